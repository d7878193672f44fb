// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/offscreen.h"
#include "ui/text/number.h"
#include "ui/theme/system_appearance.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/window/status_item.h"

#include <QApplication>
#include <QDBusVariant>
#include <QEvent>
#include <QFontMetrics>
#include <QSignalSpy>

#include <gmock/gmock.h>

#include <cmath>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {
const QString kSpace = QStringLiteral("org.freedesktop.appearance");

class PaintCount : public QObject {
public:
    explicit PaintCount(QWidget& watched) { watched.installEventFilter(this); }
    int seen = 0;

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        seen += event->type() == QEvent::Paint;
        return false;
    }
};

}  // namespace

TEST(SystemAppearance, TakesThePortalsAnswersWrappedOnceOrTwice) {
    SystemAppearance system;
    QSignalSpy changed(&system, &SystemAppearance::changed);
    EXPECT_FALSE(system.prefersDark());
    system.take(kSpace, text("color-scheme"), QVariant::fromValue(QDBusVariant(QVariant::fromValue(QDBusVariant(1U)))));
    EXPECT_TRUE(system.prefersDark());
    system.take(kSpace, text("color-scheme"), 2U);
    EXPECT_FALSE(system.prefersDark());
    EXPECT_EQ(changed.size(), 2);
    system.take(kSpace, text("color-scheme"), 0U);
    EXPECT_EQ(changed.size(), 2) << "no preference looks as light does";
    system.take(kSpace, text("contrast"), 1U);
    EXPECT_TRUE(system.prefersContrast());
    system.take(text("org.gnome.desktop.interface"), text("enable-animations"), false);
    EXPECT_TRUE(system.reducedMotion());
    system.take(text("org.example"), text("color-scheme"), 1U);
    EXPECT_FALSE(system.prefersDark());
}

TEST(Theme, WhatAsksItForColoursIsPaintedAgainWhenTheyChange) {
    Theme::instance().setAppearance(Appearance::Light);
    Chip chip(text("E1"));  // listens to nothing: the palette has it painted
    PaintCount paints(chip);
    chip.show();
    ASSERT_TRUE(waitUntil([&] { return paints.seen > 0; }));
    const int before = paints.seen;
    Theme::instance().setAppearance(Appearance::Dark);
    EXPECT_TRUE(waitUntil([&] { return paints.seen > before; }));
    Theme::instance().setAppearance(Appearance::Light);
}

TEST(Type, SizesFollowTheApplicationFont) {
    const QFont before = QApplication::font();
    EXPECT_EQ(typeFont(Type::Body).pixelSize(), 12);
    EXPECT_EQ(typeFont(Type::Caption).pixelSize(), 11);
    EXPECT_EQ(typeFont(Type::Section).pixelSize(), 13);
    EXPECT_EQ(typeFont(Type::KeyFigure).pixelSize(), 15);
    EXPECT_EQ(typeFont(Type::Verdict).pixelSize(), 16);
    EXPECT_EQ(strongFont(Type::Body).weight(), QFont::DemiBold);
    EXPECT_EQ(px(24), 24);
    QFont big = before;
    big.setPixelSize(24);
    QApplication::setFont(big);
    EXPECT_EQ(px(24), 48);
    EXPECT_EQ(typeFont(Type::Caption).pixelSize(), 22);
    QApplication::setFont(before);
}

TEST(Type, NumbersHaveTabularFigures) {
    EXPECT_TRUE(hasTabularFigures(numberFont(Type::Body)));
    const QFontMetrics metrics(numberFont(Type::Caption));
    EXPECT_EQ(metrics.horizontalAdvance(text("1111")), metrics.horizontalAdvance(text("8080")));
    EXPECT_TRUE(isMonospaced(typeFont(Type::Mono))) << typeFont(Type::Mono).toString().toStdString();
    EXPECT_FALSE(isMonospaced(typeFont(Type::Body)));
    EXPECT_THAT(typeFont(Type::Body).families().join(QLatin1Char(',')).toStdString(), testing::HasSubstr("DejaVu Sans"));
}

TEST(Number, IsWrittenAsTheScreenWritesIt) {
    EXPECT_EQ(number(-0.0421, 3), text("−0.042"));
    EXPECT_EQ(number(4061869, 0), text("4,061,869"));
    EXPECT_EQ(number(2.9e29, 3), text("2.900e+29"));
    EXPECT_EQ(number(-1e7, 1), text("−1.000e+07"));
    EXPECT_EQ(number(9'999'999, 1), text("9,999,999.0"));
    EXPECT_EQ(number(std::nan(""), 2), text("NaN"));
    EXPECT_EQ(number(-INFINITY, 2), text("−∞"));
    EXPECT_EQ(number(std::optional<double>(), 2), text("–"));
    EXPECT_EQ(signedNumber(363648, 0), text("+363,648"));
    EXPECT_EQ(signedNumber(-2.5, 1), text("−2.5"));
    EXPECT_EQ(signedNumber(0, 1), text("0.0"));
    EXPECT_EQ(shortNumber(0.25), text("0.25"));
    EXPECT_EQ(shortNumber(25000), text("25,000"));
    EXPECT_EQ(shortNumber(0), text("0"));
    EXPECT_EQ(shortNumber(3.14159), text("3.142"));
    EXPECT_EQ(shortNumber(-1e-3), text("−0.001"));
    EXPECT_EQ(count(-12345), text("−12,345"));
}
