// SPDX-License-Identifier: GPL-3.0-or-later
// Style and icons: metrics, what is painted where, focus ring.
#include "tests/ui/support/offscreen.h"
#include "ui/text/states.h"
#include "ui/theme/controls.h"
#include "ui/theme/focus_ring.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QtTest/qtestkeyboard.h>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStyleOptionSlider>
#include <QTabBar>
#include <QToolTip>
#include <QTreeView>
#include <QVBoxLayout>

#include <gmock/gmock.h>

#include <set>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

QRgb pixel(QWidget& widget, QPoint place) { return widget.grab().toImage().pixel(place); }

class Look : public testing::Test {
protected:
    void SetUp() override { Theme::instance().setAppearance(Appearance::Light); }
};

}  // namespace

TEST_F(Look, HeightsAreOnTheGrid) {
    QPushButton button(text("Save"));
    QLineEdit field;
    QComboBox combo;
    QTabBar tabs;
    tabs.addTab(text("Log"));
    QTreeView tree;
    QStandardItemModel model;
    model.setHorizontalHeaderLabels({text("Run")});
    tree.setModel(&model);
    EXPECT_EQ(button.sizeHint().height(), 24);
    EXPECT_EQ(field.sizeHint().height(), 22);
    EXPECT_EQ(combo.sizeHint().height(), 24);
    EXPECT_EQ(tabs.sizeHint().height(), 26);
    EXPECT_EQ(tree.header()->sizeHint().height(), 24);
    setControlRole(button, ControlRole::Small);
    EXPECT_EQ(button.sizeHint().height(), px(4) + button.fontMetrics().height());
    EXPECT_GE(button.sizeHint().height(), 20);
}

TEST_F(Look, HeadersShowTheWholeOfTheirLetters) {
    const auto lowest = [](const char* words) {
        QTreeView tree;
        QStandardItemModel model;
        model.setHorizontalHeaderLabels({text(words)});
        tree.setModel(&model);
        tree.resize(200, 100);
        tree.show();
        const QImage picture = tree.header()->grab().toImage();
        for (int y = picture.height() - 2; y > 0; --y)  // above the line
            for (int x = 0; x < 40; ++x)
                if (picture.pixelColor(x, y).lightness() < 128) return y;
        return 0;
    };
    EXPECT_GE(lowest("ppp"), lowest("xxx") + 2);
}

TEST_F(Look, ButtonsAreFlatInTheTokens) {
    QPushButton button;
    button.resize(60, 24);
    button.show();
    EXPECT_EQ(pixel(button, {30, 12}), Theme::color(Token::Panel).rgb());
    EXPECT_EQ(pixel(button, {30, 0}), Theme::color(Token::Border).rgb());
    EXPECT_EQ(pixel(button, {30, 3}), pixel(button, {30, 20})) << "no gradient";
    button.setCheckable(true);
    button.setChecked(true);
    EXPECT_EQ(pixel(button, {30, 12}), Theme::color(Token::Sel).rgb());
    EXPECT_EQ(pixel(button, {30, 0}), Theme::color(Token::Accent).rgb());
    setControlRole(button, ControlRole::Primary);
    button.setChecked(false);
    EXPECT_EQ(pixel(button, {30, 12}), Theme::color(Token::Accent).rgb());
    button.setEnabled(false);
    EXPECT_EQ(pixel(button, {30, 0}), Theme::color(Token::Line).rgb());
}

TEST_F(Look, FollowsTheThemeWithoutBeingSetAgain) {
    QPushButton button;
    button.resize(60, 24);
    button.show();
    Theme::instance().setAppearance(Appearance::Dark);
    EXPECT_EQ(pixel(button, {30, 12}), Theme::color(Token::Panel).rgb());
    EXPECT_EQ(qRed(pixel(button, {30, 12})), 0x23);
}

TEST_F(Look, AFieldWithAProblemSaysSoInMoreThanColour) {
    QLineEdit field;
    field.resize(60, 22);
    field.show();
    setFieldProblem(field, text("not divisible by 8"));
    EXPECT_EQ(pixel(field, {30, 0}), Theme::color(Token::Bad).rgb());
    EXPECT_EQ(field.toolTip(), text("not divisible by 8"));
    EXPECT_EQ(field.accessibleDescription(), text("not divisible by 8"));
    setFieldProblem(field, {});
    EXPECT_EQ(pixel(field, {30, 0}), Theme::color(Token::Border).rgb());
}

TEST_F(Look, ScrollBarsHaveNoArrowsAndHoldTheirThumbInside) {
    QScrollBar bar(Qt::Horizontal);
    bar.resize(200, 11);
    bar.setRange(0, 100);
    bar.setPageStep(100);
    bar.show();
    QStyleOptionSlider option;
    option.initFrom(&bar);
    option.orientation = Qt::Horizontal;
    option.minimum = 0;
    option.maximum = 100;
    option.pageStep = 100;
    for (const int position : {0, 37, 100}) {
        option.sliderPosition = option.sliderValue = position;
        const QRect thumb = bar.style()->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, &bar);
        EXPECT_EQ(thumb.left(), position) << "100 of 200 px free";
        EXPECT_EQ(thumb.width(), 100);
    }
    EXPECT_TRUE(bar.style()->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarAddLine, &bar).isEmpty());
}

TEST_F(Look, FocusRingComesWithTheKeyboardNotWithAClick) {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* first = new QPushButton(text("first"));
    auto* second = new QPushButton(text("second"));
    auto* field = new QLineEdit;
    for (QWidget* widget : std::initializer_list<QWidget*>{first, second, field}) column->addWidget(widget);
    window.show();
    window.activateWindow();
    ASSERT_TRUE(waitUntil([&] { return window.isActiveWindow(); }));
    const FocusRing* ring = qApp->findChild<FocusRing*>();
    ASSERT_NE(ring, nullptr);
    second->setFocus(Qt::MouseFocusReason);
    EXPECT_EQ(ring->ringed(), nullptr);
    first->setFocus(Qt::OtherFocusReason);
    QTest::keyClick(first, Qt::Key_Tab);
    EXPECT_EQ(QApplication::focusWidget(), second);
    EXPECT_EQ(ring->ringed(), second);
    field->setFocus(Qt::MouseFocusReason);
    EXPECT_EQ(ring->ringed(), field) << "fields always";
    first->setFocus(Qt::MouseFocusReason);
    EXPECT_EQ(ring->ringed(), nullptr);
}

TEST_F(Look, EveryIconRendersAndHasOnlyTheOneColour) {
    std::set<QByteArray> pictures;
    for (std::size_t i = 0; i < kIconNames.size(); ++i) {
        const QImage image = iconPixmap(Icon(i), Theme::color(Token::Accent), 16, 2).toImage();
        ASSERT_EQ(image.size(), QSize(32, 32)) << kIconNames[i];
        int drawn = 0;
        for (int y = 0; y < 32; ++y)
            for (int x = 0; x < 32; ++x) {
                const QColor here = image.pixelColor(x, y);
                if (here.alpha() < 200) continue;
                ++drawn;
                EXPECT_NEAR(here.red(), Theme::color(Token::Accent).red(), 3) << kIconNames[i];
                EXPECT_NEAR(here.blue(), Theme::color(Token::Accent).blue(), 3) << kIconNames[i];
            }
        EXPECT_GT(drawn, 8) << kIconNames[i];
        EXPECT_TRUE(pictures.insert(QByteArray(reinterpret_cast<const char*>(image.constBits()), image.sizeInBytes())).second)
            << kIconNames[i] << " looks like another";
    }
}

TEST_F(Look, IconsTakeTheTokenOfTheirModeAndTheRatioOfTheScreen) {
    const QIcon save =
        themeIcon(Icon::Stop, IconColours{Token::Text, Token::Text, Token::Onsel, Token::Disabled, Token::Accent});
    const auto colour = [&](QIcon::Mode mode, QIcon::State state) {
        QImage image = save.pixmap(QSize(16, 16), mode, state).toImage();
        QColor strongest(Qt::transparent);
        for (int x = 0; x < 16; ++x)
            if (image.pixelColor(x, 8).alpha() > strongest.alpha()) strongest = image.pixelColor(x, 8);
        strongest.setAlpha(255);
        return strongest.rgb();
    };
    const auto close = [](QRgb a, QRgb b) {
        return std::abs(qRed(a) - qRed(b)) + std::abs(qGreen(a) - qGreen(b)) + std::abs(qBlue(a) - qBlue(b)) < 8;
    };
    EXPECT_TRUE(close(colour(QIcon::Normal, QIcon::Off), Theme::color(Token::Text).rgb()));
    EXPECT_TRUE(close(colour(QIcon::Disabled, QIcon::Off), Theme::color(Token::Disabled).rgb()));
    EXPECT_TRUE(close(colour(QIcon::Normal, QIcon::On), Theme::color(Token::Accent).rgb()));
    Theme::instance().setAppearance(Appearance::Dark);
    EXPECT_TRUE(close(colour(QIcon::Normal, QIcon::Off), Theme::color(Token::Text).rgb())) << "live";
    const QPixmap sharp = save.pixmap(QSize(16, 16), 2.0);
    EXPECT_EQ(sharp.devicePixelRatio(), 2.0);
    EXPECT_EQ(sharp.size(), QSize(32, 32));
}

TEST_F(Look, EveryMarkHasItsOwnWordAndRunStatesTheirOwnIcon) {
    std::set<QString> words;
    std::set<Icon> icons;
    for (int i = 0; i <= int(Mark::NotComparable); ++i) EXPECT_TRUE(words.insert(lookOf(Mark(i)).word).second);
    for (int i = 0; i <= int(Mark::Interrupted); ++i) EXPECT_TRUE(icons.insert(lookOf(Mark(i)).icon).second);
}

/// A name, note or tag of a stranger's database; with markup Qt would open the image, which may be a device that has no end.
TEST_F(Look, NoTextIsMarkupUnlessItsLabelSaysSo) {
    const QString image = text("<b>x</b><img src=\"/dev/zero\">");
    QLabel label(image), rich(text("<b>own words</b>"));
    rich.setTextFormat(Qt::RichText);
    label.show();
    rich.show();
    EXPECT_EQ(label.textFormat(), Qt::PlainText);
    EXPECT_GT(label.sizeHint().width(), label.fontMetrics().horizontalAdvance(image) / 2) << "the tags are shown as they are";
    EXPECT_EQ(rich.textFormat(), Qt::RichText);
    QToolTip::showText(QPoint(10, 10), image, &label);
    int tips = 0;
    for (const QWidget* window : QApplication::topLevelWidgets())
        if (const auto* tip = qobject_cast<const QLabel*>(window); tip && tip->inherits("QTipLabel")) {
            EXPECT_EQ(tip->text(), image);
            EXPECT_EQ(tip->textFormat(), Qt::PlainText);
            ++tips;
        }
    EXPECT_EQ(tips, 1);
    QToolTip::hideText();
    QMessageBox question(QMessageBox::Question, text("Question"), image);
    question.show();
    for (const QLabel* part : question.findChildren<QLabel*>()) EXPECT_NE(part->textFormat(), Qt::AutoText);
}
