// SPDX-License-Identifier: GPL-3.0-or-later
// Plots and maps as screen readers see them.
#include "tests/ui/support/offscreen.h"
#include "ui/plot/bar_plot.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/head_grid.h"
#include "ui/plot/map_view.h"
#include "ui/plot/ridge_plot.h"

#include <QAccessible>

#include <gtest/gtest.h>

#include <array>

using namespace heddle::ui;
using namespace heddle::ui::test;

TEST(PlotAccessible, PlotsAreChartsWithNamesAndTablesOnDemand) {
    QWidget window;
    const std::array<PlotView*, 5> plots{new CurvePlot(&window), new MapView(&window), new HeadGrid(&window),
                                         new BarPlot(&window), new RidgePlot(&window)};
    for (PlotView* plot : plots) {
        plot->setAccessibleName(text("Loss of the run"));
        plot->setAccessibleDescription(text("step 400"));
        auto* read = QAccessible::queryAccessibleInterface(plot);
        ASSERT_NE(read, nullptr) << plot->metaObject()->className();
        EXPECT_EQ(read->role(), QAccessible::Chart) << plot->metaObject()->className();
        EXPECT_EQ(read->text(QAccessible::Name), text("Loss of the run"));
        EXPECT_EQ(read->text(QAccessible::Description), text("step 400"));
        EXPECT_FALSE(read->text(QAccessible::Help).isEmpty());
        EXPECT_EQ(read->childCount(), 0) << "the canvas is not a child";
        plot->setMode(PlotMode::Table);
        EXPECT_EQ(read->role(), QAccessible::Grouping);
        EXPECT_GT(read->childCount(), 0) << "the table";
    }
}

TEST(CurvePlot, TheAxisHasTheTitleWithoutAPanel) {
    const auto inkAtTheLeft = [](CurvePlot::TitlePlace place) {
        CurvePlot plot;
        Curve curve;
        auto rows = std::make_shared<Series>();
        curve.rows = rows;
        plot.setCurves({curve});
        plot.setValueTitle(text("tokens/s"), place);
        plot.resize(400, 240);
        plot.show();
        waitUntil([&] { return plot.isSettled(); });
        const QImage image = plot.grab().toImage().copy(0, 20, 60, 180);
        int ink = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) ink += image.pixelColor(x, y) != image.pixelColor(0, 0);
        return ink;
    };
    EXPECT_GT(inkAtTheLeft(CurvePlot::TitlePlace::Axis), inkAtTheLeft(CurvePlot::TitlePlace::Panel));
}
