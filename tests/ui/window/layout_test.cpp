// SPDX-License-Identifier: GPL-3.0-or-later
// Arrangements of panels under names.
#include "tests/ui/support/offscreen.h"
#include "ui/pages/layout_box.h"
#include "ui/pages/page.h"

#include <QtTest/qtestmouse.h>
#include <gtest/gtest.h>
#include <QAction>
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

class TwoSides : public Page {
public:
    explicit TwoSides(Studio& studio) : Page(studio, PageId::Compose, text("two")) {
        left = makeDock(text("left"), text("Left"), new QWidget(this));
        right = makeDock(text("right"), text("Right"), new QWidget(this));
        addDockWidget(Qt::LeftDockWidgetArea, left);
        addDockWidget(Qt::RightDockWidgetArea, right);
        setCentralWidget(new QWidget(this));
        tabWhenNarrow(left, right);
        rememberLayout();
    }
    QString title() const override { return text("Two"); }
    Icon icon() const override { return Icon::Compose; }
    void setShown(bool) override {}

    QDockWidget *left, *right;
};

constexpr QSize kNarrow(900, 600), kWide(1400, 600);

class Sides : public Layouts {
protected:
    static void show(TwoSides& page, QSize size) {
        page.resize(size);
        page.show();
        settle();
    }
    static void settle() {
        for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();  // timers of no delay, and what is queued
    }
    static bool areTabs(const TwoSides& page) { return page.tabifiedDockWidgets(page.left).contains(page.right); }
    static bool becomeTabs(const TwoSides& page) {
        return waitUntil([&] { return areTabs(page); });
    }
    static bool becomeSides(const TwoSides& page) {
        return waitUntil([&] { return !areTabs(page); });
    }

    TwoSides two_{studio_};
};

TEST_F(Sides, TabsOfTheUserStayWhereThePageIsWide) {
    show(two_, kWide);
    two_.tabifyDockWidget(two_.left, two_.right);
    for (const QSize size : {QSize(1500, 600), kNarrow, kWide}) {
        two_.resize(size);
        settle();
        EXPECT_TRUE(areTabs(two_)) << size.width();
    }
    two_.saveSession(settings_);
    TwoSides later(studio_);
    later.restoreSession(settings_);
    show(later, kWide);
    EXPECT_TRUE(areTabs(later)) << "in the next session, too";
    LayoutBox layouts(two_, settings_, &two_);
    layouts.save(text("tabs"));
    layouts.apply({});
    EXPECT_FALSE(areTabs(two_));
    layouts.apply(text("tabs"));
    settle();
    EXPECT_TRUE(areTabs(two_)) << "and under a name";
}

TEST_F(Sides, TabsOfANarrowPageAreTakenApartInALaterWideOne) {
    show(two_, kNarrow);
    ASSERT_TRUE(becomeTabs(two_));
    two_.saveSession(settings_);
    TwoSides later(studio_);
    later.restoreSession(settings_);
    show(later, kWide);
    EXPECT_TRUE(becomeSides(later));
    LayoutBox layouts(two_, settings_, &two_);
    layouts.save(text("narrow"));
    layouts.apply({});
    EXPECT_TRUE(areTabs(two_)) << "the page is too narrow for the standard layout";
    two_.resize(kWide);
    ASSERT_TRUE(becomeSides(two_));
    layouts.apply(text("narrow"));
    EXPECT_TRUE(becomeSides(two_)) << "the user has not asked for tabs";
    two_.resize(kNarrow);
    EXPECT_TRUE(becomeTabs(two_));
}

TEST_F(Sides, ADockThatWasHiddenCatchesUpWhenItIsShown) {
    two_.right->hide();
    show(two_, kNarrow);
    ASSERT_FALSE(areTabs(two_));
    two_.right->toggleViewAction()->trigger();
    ASSERT_TRUE(becomeTabs(two_));
    EXPECT_TRUE(waitUntil([&] { return two_.left->visibleRegion().isEmpty() && !two_.right->visibleRegion().isEmpty(); }))
        << "the one that the user asked for is in front";
    two_.right->toggleViewAction()->trigger();
    two_.resize(kWide);
    settle();
    two_.right->toggleViewAction()->trigger();
    EXPECT_TRUE(becomeSides(two_));
}

TEST_F(Sides, ADockThatFloatsStaysOutOfANarrowPage) {
    show(two_, kWide);
    two_.right->setFloating(true);
    two_.resize(kNarrow);
    settle();
    EXPECT_TRUE(two_.right->isFloating());
    EXPECT_FALSE(areTabs(two_));
}

}  // namespace
}  // namespace heddle::ui::test
