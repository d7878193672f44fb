// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict beside or before the curves.
#include "tests/ui/support/bare_studio.h"
#include "tests/ui/support/offscreen.h"
#include "ui/pages/compare/compare_page.h"

#include <gtest/gtest.h>
#include <QDockWidget>

namespace heddle::ui::test {
namespace {

TEST(CompareSides, AreTabsInASmallWindowAndStayTabsWhereTheUserMadeThem) {
    BareStudio bare;
    ComparePage page(bare.studio);
    page.resize(1376, 840);
    page.show();
    auto* curves = findNamed<QDockWidget>(page, "curves");
    auto* verdict = findNamed<QDockWidget>(page, "verdict");
    ASSERT_TRUE(curves && verdict);
    const auto areTabs = [&] { return page.tabifiedDockWidgets(curves).contains(verdict); };
    page.resize(950, 550);
    ASSERT_TRUE(waitUntil(areTabs));
    page.resize(1376, 840);
    ASSERT_TRUE(waitUntil([&] { return !areTabs(); })) << "a larger window has room for both";

    page.tabifyDockWidget(curves, verdict);
    for (const int width : {1300, 950, 1376}) {
        page.resize(width, 840);
        for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();  // timers of no delay, and what is queued
        EXPECT_TRUE(areTabs()) << width;
    }
}

}  // namespace
}  // namespace heddle::ui::test
