// SPDX-License-Identifier: GPL-3.0-or-later
// Arrangements of panels under names.
#include "tests/ui/support/offscreen.h"
#include "ui/pages/layout_box.h"
#include "ui/pages/page.h"

#include <QtTest/qtestmouse.h>
#include <gtest/gtest.h>
#include <QComboBox>
#include <QDockWidget>
#include <QMouseEvent>
#include <QTemporaryDir>

namespace heddle::ui::test {
namespace {

class OneDock : public Page {
public:
    explicit OneDock(Studio& studio) : Page(studio, PageId::Compose, text("one")), dock(new QDockWidget(this)) {
        dock->setObjectName(text("dock"));
        auto* body = new QWidget(dock);
        body->setMinimumSize(80, 50);
        dock->setWidget(body);
        addDockWidget(Qt::LeftDockWidgetArea, dock);
        auto* middle = new QWidget(this);
        middle->setMinimumSize(200, 50);
        setCentralWidget(middle);
        resizeDocks({dock}, {250}, Qt::Horizontal);
        rememberLayout();
        show();
    }
    QString title() const override { return text("One"); }
    Icon icon() const override { return Icon::Compose; }
    void setShown(bool) override {}
    bool isSettled() const override { return true; }

    QDockWidget* dock;
};

class Layouts : public testing::Test {
protected:
    QStringList names(const LayoutBox& layouts) {
        QStringList words;
        for (int i = 0; i < layouts.box().count(); ++i) words << layouts.box().itemText(i);
        words.removeAll(QString());  // the separator
        return words;
    }

    static bool isWide(const OneDock& page, int width) {
        return waitUntil([&] { return page.dock->width() == width; });
    }

    QTemporaryDir folder_;
    QSettings settings_{folder_.filePath(text("s.ini")), QSettings::IniFormat};
    Studio studio_{nullptr, settings_};
    OneDock page_{studio_};
};

TEST_F(Layouts, AKeptOneIsShownAgainAndTheStandardOneStays) {
    LayoutBox layouts(page_, settings_, &page_);
    EXPECT_EQ(layouts.box().currentText(), text("Standard"));
    page_.dock->hide();
    layouts.save(text("diagram only"));
    EXPECT_EQ(layouts.box().currentText(), text("diagram only"));
    layouts.apply({});
    EXPECT_TRUE(page_.dock->isVisible());
    EXPECT_EQ(layouts.box().currentText(), text("Standard"));
    layouts.apply(text("diagram only"));
    EXPECT_FALSE(page_.dock->isVisible());
    page_.resetLayout();
    EXPECT_TRUE(page_.dock->isVisible());
    EXPECT_EQ(layouts.box().currentText(), text("Standard")) << "the menu resets the box too";
}

TEST_F(Layouts, NamesOutliveTheProgramUntilTheyAreForgotten) {
    page_.dock->hide();
    LayoutBox(page_, settings_, &page_).save(text("wide/r"));
    OneDock later(studio_);
    LayoutBox layouts(later, settings_, &later);
    EXPECT_EQ(names(layouts), (QStringList{text("Standard"), text("wide/r"), text("Save as…"), text("Delete wide/r")}));
    layouts.apply(text("wide/r"));
    EXPECT_FALSE(later.dock->isVisible());
    layouts.remove(text("wide/r"));
    EXPECT_EQ(names(layouts), (QStringList{text("Standard"), text("Save as…")}));
    EXPECT_FALSE(later.dock->isVisible()) << "forgetting moves nothing";
}

TEST_F(Layouts, ADockGetsItsWidthBackWhenTheWindowGrowsAlsoAfterARestart) {
    page_.resize(1200, 600);
    ASSERT_TRUE(isWide(page_, 250)) << page_.dock->width();
    page_.resize(320, 600);
    ASSERT_TRUE(waitUntil([&] { return page_.dock->width() < 150; })) << "else nothing was crushed";
    page_.resize(1600, 600);
    EXPECT_TRUE(isWide(page_, 250)) << page_.dock->width();

    const QPoint separator(page_.dock->geometry().right() + 1, 300), moved = separator + QPoint(100, 0);
    QTest::mousePress(&page_, Qt::LeftButton, {}, separator);
    QMouseEvent drag(QEvent::MouseMove, moved, page_.mapToGlobal(moved), Qt::NoButton, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&page_, &drag);
    ASSERT_TRUE(isWide(page_, 350)) << page_.dock->width();
    QTest::mouseRelease(&page_, Qt::LeftButton, {}, moved);
    page_.resize(320, 600);
    ASSERT_TRUE(waitUntil([&] { return page_.dock->width() < 150; }));
    page_.saveSession(settings_);

    OneDock later(studio_);
    later.restoreSession(settings_);
    later.resize(1600, 600);
    EXPECT_TRUE(isWide(later, 350)) << later.dock->width();
    later.resetLayout();
    EXPECT_TRUE(isWide(later, 250)) << later.dock->width();
}

}  // namespace
}  // namespace heddle::ui::test
