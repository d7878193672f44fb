// SPDX-License-Identifier: GPL-3.0-or-later
// However long the legend of the curves is, the plot has room.
#include "tests/ui/support/offscreen.h"
#include "ui/pages/compare/compared_curves.h"
#include "ui/panels/curve_legend.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

TEST(CurvesLegend, FiveHundredTickedRunsLeaveRoomForThePlot) {
    const QTemporaryDir folder;
    QSettings settings(folder.filePath(text("settings.ini")), QSettings::IniFormat);
    Studio studio({}, settings);
    ComparedCurves panel(studio);
    QList<Curve> curves;
    for (int run = 0; run < 500; ++run) {
        Curve curve;
        curve.label = text("many-eau-base s%1").arg(run);
        curve.order = 1 + run % 9;
        curves << curve;
    }
    panel.resize(350, 600);
    panel.show();
    the<CurveLegend>(panel).setCurves(curves.mid(0, 2));
    panel.resize(350, 601);
    auto& room = *panel.findChild<QScrollArea*>(text("legendRoom"));
    ASSERT_TRUE(waitUntil([&] { return room.height() > 0 && room.height() == the<CurveLegend>(panel).height(); }))
        << "a short legend is seen whole: " << room.height() << ", " << the<CurveLegend>(panel).height();
    the<CurveLegend>(panel).setCurves(curves);
    panel.resize(350, 600);
    ASSERT_TRUE(waitUntil([&] { return room.verticalScrollBar()->maximum() > 0; })) << "the rest of it can be scrolled to";
    EXPECT_LE(room.height(), panel.height() / 3);
    EXPECT_GE(the<CurveLegend>(panel).height(), 500 / 3 * 10);
}

}  // namespace
