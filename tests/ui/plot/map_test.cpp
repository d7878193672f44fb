// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/example_data.h"
#include "tests/ui/support/offscreen.h"
#include "ui/plot/bar_plot.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/head_grid.h"
#include "ui/plot/map_view.h"
#include "ui/plot/ridge_plot.h"
#include "ui/plot/scrubber.h"
#include "ui/theme/theme.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QAbstractScrollArea>
#include <QAccessible>
#include <QApplication>
#include <QLineEdit>
#include <QSignalSpy>
#include <QVBoxLayout>

#include <gmock/gmock.h>

#include <array>
#include <cmath>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

MapData grid(int rows, int columns) {
    MapData map;
    map.rows = rows;
    map.columns = columns;
    for (int i = 0; i < rows * columns; ++i) map.values.push_back(float(i) / float(rows * columns));
    return map;
}

}  // namespace

TEST(MapScale, PositionIsASquareRootForAttentionAndLinearForGates) {
    EXPECT_DOUBLE_EQ(MapScale::attention().position(0.25), 0.5);
    EXPECT_DOUBLE_EQ(MapScale::gate().position(0.25), 0.25);
    EXPECT_DOUBLE_EQ(MapScale::symmetric(1).position(0.5), 0.75);
    EXPECT_DOUBLE_EQ(MapScale::gate().position(7), 1) << "values beyond the ends have the position of the end";
    EXPECT_TRUE(std::isnan(MapScale::gate().position(NAN)));
}

TEST(MapScale, SymmetricLimitsAreRoundAndZeroIsInTheMiddle) {
    for (const auto& [largest, limit] : {std::pair(0.25, 0.3), std::pair(0.3, 0.3), std::pair(1.0, 1.0), std::pair(3.1, 5.0),
                                         std::pair(6.0, 10.0), std::pair(0.0017, 0.002), std::pair(0.0, 1.0)}) {
        const MapScale scale = MapScale::symmetric(largest);
        EXPECT_NEAR(scale.high, limit, limit * 1e-9) << largest;
        EXPECT_EQ(scale.low, -scale.high);
        EXPECT_DOUBLE_EQ(scale.position(0), 0.5);
    }
}

TEST(MapView, PictureHasACodeForEachCellExceptMaskedOnes) {
    MapView view;
    view.resize(400, 400);
    view.setScale(MapScale::gate());
    MapData map = grid(3, 4);
    map.masked.assign(12, 0);
    map.masked[5] = 1;
    map.values[7] = NAN;
    map.values[11] = 1;
    view.setData(map);
    const QImage& picture = view.picture();
    ASSERT_EQ(picture.size(), QSize(4, 3));
    EXPECT_EQ(picture.format(), QImage::Format_Indexed8);
    EXPECT_EQ(picture.pixelIndex(0, 0), 0);
    EXPECT_EQ(picture.pixelIndex(3, 2), 254);
    EXPECT_EQ(picture.pixelIndex(1, 1), 255) << "masked: the background is visible";
    EXPECT_EQ(picture.pixelIndex(3, 1), 255) << "not finite: hatched instead";
    EXPECT_EQ(qAlpha(picture.color(255)), 0);
    EXPECT_EQ(picture.color(254), Theme::map(MapId::Gate)[255]);
    EXPECT_THROW(view.setData({2, 2, {1, 2, 3}, {}, {}, {}, {}, {}}), std::invalid_argument);
}

TEST(MapView, ThemeChangeOnlyChangesTheTable) {
    Theme::instance().setAppearance(Appearance::Light);
    MapView view;
    view.resize(300, 300);
    view.show();
    view.setData(attention());
    const QImage before = view.picture();
    ASSERT_GT(before.width(), 2);
    Theme::instance().setAppearance(Appearance::Dark);
    EXPECT_NE(view.picture().color(200), before.color(200));
    EXPECT_EQ(view.picture().pixelIndex(2, 2), before.pixelIndex(2, 2));
    Theme::instance().setAppearance(Appearance::Light);
}

TEST(MapView, SmallCellsAreAveragedAndANoteShowsHowMany) {
    MapData map = grid(4, 4);
    map.masked.assign(16, 0);
    map.masked[0] = map.masked[1] = map.masked[4] = map.masked[5] = 1;
    map.values[2] = NAN;
    const MapData half = averaged(map, {2, 2});
    ASSERT_EQ(half.rows, 2);
    EXPECT_TRUE(half.isMasked(0, 0));
    EXPECT_NEAR(half.at(0, 1), (3 + 6 + 7) / 3.0 / 16, 1e-6) << "NaN left out";
    EXPECT_NEAR(half.at(1, 1), (10 + 11 + 14 + 15) / 4.0 / 16, 1e-6);
    MapView view;
    view.resize(300, 300);
    view.show();
    view.setData(grid(512, 512));
    EXPECT_FALSE(view.caption().isEmpty());
    EXPECT_LE(view.picture().width() * 2, 300);
    view.setData(grid(8, 8));
    EXPECT_TRUE(view.caption().isEmpty());
}

TEST(MapView, CellsFillTheMap) {
    MapView view;
    const auto share = [&](QSize size) {
        view.resize(size);
        view.show();
        const QSize cells = view.cells().size();
        return std::pair(double(cells.width()) / size.width(), double(cells.height()) / size.height());
    };
    view.setData(grid(6, 6));
    for (const QSize size : {QSize(300, 300), QSize(700, 500), QSize(1200, 900)}) {
        EXPECT_GT(share(size).first, 0.85) << size.width();
        EXPECT_GT(share(size).second, 0.85) << size.width();
    }
    EXPECT_LE(view.cells().width(), 2 * view.cells().height());
    MapData sites = grid(5, 64);
    for (int row = 0; row < 5; ++row) {
        sites.rowLabels << QStringLiteral("decoder.layers.%1.self.residual").arg(row);
        sites.rowValues << QStringLiteral("0.47");
    }
    view.setShape(MapShape::Stretched);
    view.setData(sites);
    for (const int width : {127, 220, 400, 1000}) {
        EXPECT_GT(share({width, 260}).first, 0.4) << width << ": labels and gaps take at most 60 %";
        EXPECT_GT(share({width, 260}).second, 0.85) << width;
    }
}

TEST(MapView, EveryPixelOfACellBelongsToIt) {
    MapView view;
    MapData stripes = grid(1, 40);
    for (int column = 0; column < 40; ++column) stripes.values[std::size_t(column)] = float(column % 2);
    view.setShape(MapShape::Stretched);
    view.setData(stripes);
    const QWidget& chart = *the<QAbstractScrollArea>(view).viewport();
    for (const int width : {230, 401, 517}) {
        view.resize(width, 120);
        view.show();
        const QRect cells = view.cells();
        const QImage image = view.grab().toImage();
        const int y = chart.mapTo(&view, cells.center()).y();
        int column = 0, wrong = 0;
        for (int x = cells.left() + 1; x < cells.right(); ++x) {  // except the frame
            const auto colour = [&](int at) { return image.pixel(chart.mapTo(&view, QPoint(at, 0)).x(), y); };
            if (x > cells.left() + 1 && colour(x) != colour(x - 1)) ++column;
            wrong += view.cellAt({x, cells.center().y()})->x() != column;
        }
        EXPECT_EQ(column, 39) << width;
        EXPECT_LT(wrong, 8) << width << ": except pixels that an edge divides in half, which Qt may round differently";
    }
}

TEST(MapView, KeysMoveOverTheCellsAndDescribeThem) {
    MapView view;
    view.resize(400, 400);
    view.show();
    view.setData(attention());
    QSignalSpy changed(&view, &MapView::currentChanged);
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_Left);
    QTest::keyClick(&view, Qt::Key_Left);
    EXPECT_EQ(view.current(), QPoint(0, 0));
    EXPECT_TRUE(view.accessibleDescription().startsWith(QStringLiteral("<s>, a: 0.")));
    QTest::keyClick(&view, Qt::Key_Escape);
    EXPECT_FALSE(view.current());
    EXPECT_EQ(view.table().rows.size(), 10);
    EXPECT_EQ(view.table().columns.size(), 12);
}

TEST(Ridges, AreSpreadEvenlyWithBothEnds) {
    EXPECT_EQ(spread(5, 14), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
    const auto chosen = spread(51, 14);
    EXPECT_EQ(chosen.size(), 14U);
    EXPECT_EQ(chosen.front(), 0U);
    EXPECT_EQ(chosen.back(), 50U);
    EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
    EXPECT_EQ(spread(3, 1), std::vector<std::size_t>{2});
    EXPECT_TRUE(spread(0, 5).empty());
}

TEST(Ridges, TableHasTheMeanAndTheEnds) {
    RidgePlot plot;
    Histogram flat{10, 0, 1, std::vector<float>(64, 2)};
    plot.setHistograms({flat}, RidgeKind::Unit);
    const PlotTable table = plot.table();
    ASSERT_EQ(table.rows.size(), 1);
    EXPECT_EQ(table.rows[0][1], QStringLiteral("0.500"));
    EXPECT_EQ(table.rows[0][2], QStringLiteral("0.047")) << "3 of 64 bins have their middle below 5 %";
    EXPECT_EQ(table.rows[0][4], QStringLiteral("128"));
    EXPECT_FALSE(plot.image({300, 200}, 1).isNull());
}

TEST(Ridges, AHistogramWithoutBinsIsNotDrawn) {
    RidgePlot plot;
    plot.setHistograms({{10, 0, 1, {}}, {20, 0, 1, {1, 2}}}, RidgeKind::Unit);
    EXPECT_EQ(plot.table().rows.size(), 2);
    EXPECT_FALSE(plot.image({300, 200}, 1).isNull());
}

TEST(Plots, AreReachedByTab) {
    QWidget window;
    auto* const column = new QVBoxLayout(&window);
    const QList<QWidget*> plots{new QLineEdit(&window), new MapView(&window),   new HeadGrid(&window),
                                new BarPlot(&window),   new RidgePlot(&window), new CurvePlot(&window)};
    for (QWidget* plot : plots) column->addWidget(plot);
    window.show();
    ASSERT_TRUE(waitUntil([&window] { return window.isActiveWindow(); }));
    plots.front()->setFocus();
    for (QWidget* plot : plots) {
        EXPECT_TRUE(plot->hasFocus()) << plot->metaObject()->className();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
}

TEST(Bars, TableAndReferences) {
    BarPlot plot;
    BarData data = sparsity();
    data.bars[0].reference.reset();
    plot.setData(data);
    EXPECT_EQ(plot.table().rows[0], (QStringList{QStringLiteral("encoder.attn"), QStringLiteral("5.1"), QStringLiteral("–")}));
    EXPECT_TRUE(plot.svg({200, 300}).contains("encoder.eau"));
}

TEST(Pictures, OfEveryPlotAreLightInTheDarkTheme) {
    Theme::instance().setAppearance(Appearance::Light);
    MapView map;
    map.setData(attention());
    RidgePlot ridges;
    ridges.setHistograms(gateHistograms(), RidgeKind::Unit);
    BarPlot bars;
    bars.setData(sparsity());
    const std::array<PlotView*, 3> plots{&map, &ridges, &bars};
    std::vector<QImage> light;
    for (PlotView* plot : plots) light.push_back(plot->image({300, 200}, 1));
    Theme::instance().setAppearance(Appearance::Dark);
    const QColor dark = Theme::color(Token::Base);
    const QList<QRgb> colours = map.picture().colorTable();
    for (std::size_t i = 0; i < plots.size(); ++i) {
        const QImage picture = plots[i]->image({300, 200}, 1);
        EXPECT_EQ(picture, light[i]) << i;
        EXPECT_EQ(picture.pixelColor(1, 1), QColor(Qt::white)) << i;
    }
    EXPECT_EQ(Theme::color(Token::Base), dark);
    EXPECT_EQ(map.picture().colorTable(), colours) << "the screen has its colours again";
    Theme::instance().setAppearance(Appearance::Light);
}

class ScrubberTest : public testing::Test {
protected:
    ScrubberTest() {
        scrubber_.resize(500, 46);
        scrubber_.setSteps(10000);
        scrubber_.setSnapshots({0, 100, 300, 1000, 3000});
        scrubber_.show();
    }
    Scrubber scrubber_;
};

TEST_F(ScrubberTest, FollowsTheNewestUntilMovedBack) {
    EXPECT_EQ(scrubber_.value(), 3000);
    scrubber_.setSnapshots({0, 100, 300, 1000, 3000, 4000});
    EXPECT_EQ(scrubber_.value(), 4000);
    QSignalSpy follow(&scrubber_, &Scrubber::followChanged);
    QTest::keyClick(&scrubber_, Qt::Key_Left);
    EXPECT_EQ(scrubber_.value(), 3000);
    EXPECT_EQ(scrubber_.follow(), Follow::Off);
    EXPECT_EQ(follow.size(), 1);
    scrubber_.setSnapshots({0, 100, 300, 1000, 3000, 4000, 5000});
    EXPECT_EQ(scrubber_.value(), 3000) << "released";
    QTest::keyClick(&scrubber_, Qt::Key_End);
    EXPECT_EQ(scrubber_.follow(), Follow::On);
    EXPECT_EQ(scrubber_.value(), 5000);
    QTest::keyClick(&scrubber_, Qt::Key_Home);
    EXPECT_EQ(scrubber_.value(), 0);
}

TEST_F(ScrubberTest, PointerGoesToTheNearestSnapshot) {
    QTest::mouseClick(&scrubber_, Qt::LeftButton, {}, {60, 14});  // about step 1,100
    EXPECT_EQ(scrubber_.value(), 1000);
    EXPECT_EQ(scrubber_.nearestSnapshot(210), 300);
    EXPECT_EQ(scrubber_.nearestSnapshot(190), 100);
    EXPECT_EQ(scrubber_.nearestSnapshot(99999), 3000);
    Scrubber empty;
    EXPECT_EQ(empty.nearestSnapshot(5), 5);
}

TEST_F(ScrubberTest, HasItsValueAsAccessibleText) {
    QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(&scrubber_);
    ASSERT_NE(spoken, nullptr);
    ASSERT_NE(spoken->valueInterface(), nullptr);
    EXPECT_EQ(spoken->valueInterface()->currentValue().toInt(), 3000);
    EXPECT_EQ(spoken->text(QAccessible::Name), QStringLiteral("Snapshot"));
}
