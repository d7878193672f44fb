// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict is shown beside the curves or before them, and the tool bars fit into a window of usual width.
#include "tests/ui/support/bare_studio.h"
#include "tests/ui/support/offscreen.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compare/question_bar.h"
#include "ui/widgets/segments.h"

#include <gtest/gtest.h>
#include <QComboBox>
#include <QDockWidget>
#include <QStyleOptionComboBox>
#include <QToolButton>

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

TEST(CompareBars, ShowTheirWholeContentsInAWindowOf1440) {
    BareStudio bare;
    ComparePage page(bare.studio);
    page.resize(1376, 840);  // the size that the rail leaves to the page
    page.show();
    QCoreApplication::processEvents();
    EXPECT_TRUE(the<QuestionBar>(page).views().isVisible());
    const auto& correction = named<QComboBox>(page, "correction");
    QStyleOptionComboBox option;
    option.initFrom(&correction);
    option.editable = false;
    const int room =
        correction.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &correction).width();
    EXPECT_GE(room, correction.fontMetrics().horizontalAdvance(correction.currentText())) << "its words are not cut";
    for (const auto* bar : page.findChildren<QToolBar*>()) {
        const auto* more = bar->findChild<QToolButton*>(text("qt_toolbar_ext_button"));
        EXPECT_TRUE(!more || !more->isVisible()) << bar->objectName().toStdString();
    }
}

}  // namespace
}  // namespace heddle::ui::test
