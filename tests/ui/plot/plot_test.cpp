// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/example_data.h"
#include "tests/ui/support/offscreen.h"
#include "ui/plot/axis_fit.h"
#include "ui/plot/curve_plot.h"
#include "ui/theme/theme.h"
#include "ui/widgets/picture.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QMimeData>
#include <QPainter>
#include <QSignalSpy>
#include <QTableView>

#include <gmock/gmock.h>

#include <stdexcept>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

/// Share of the pixels of `area` that are (nearly) `color`.
double share(const QImage& image, const QColor& color, QRect area) {
    int hits = 0;
    for (int y = area.top(); y <= area.bottom(); ++y)
        for (int x = area.left(); x <= area.right(); ++x) {
            const QColor here = image.pixelColor(x, y);
            hits += std::abs(here.red() - color.red()) + std::abs(here.green() - color.green()) +
                        std::abs(here.blue() - color.blue()) <
                    12;
        }
    return double(hits) / (area.width() * area.height());
}

Curve single(std::shared_ptr<const Series> rows) {
    Curve curve;
    curve.id = 7;
    curve.label = QStringLiteral("run");
    curve.order = 1;
    curve.rows = std::move(rows);
    return curve;
}

class Curves : public testing::Test {
protected:
    Curves() {
        Theme::instance().setAppearance(Appearance::Light);
        plot_.resize(700, 360);
        plot_.show();
    }
    CurvePlot plot_;
};

}  // namespace

TEST(AxisFit, AnAxisOfStepsGrowsInSteps) {
    EXPECT_EQ(reachOf(0), 10);
    EXPECT_EQ(reachOf(120), 150);
    EXPECT_EQ(reachOf(147), 150);
    EXPECT_EQ(reachOf(148), 200) << "a part of the axis is always free";
    EXPECT_EQ(reachOf(9900), 15000);
}

TEST(AxisFit, EndsOnRoundNumbersAndCoversTheValues) {
    for (const auto& [low, high] :
         {std::pair(1.03, 3.41), std::pair(-0.0021, 0.0007), std::pair(30.2, 74.9), std::pair(5.0, 5.0)}) {
        Extent values;
        values.add(low);
        values.add(high);
        const Extent nice = niceExtent(values);
        EXPECT_LE(nice.low, low);
        EXPECT_GE(nice.high, high);
        EXPECT_LT(nice.high - nice.low, std::max(1.0, (high - low) * 1.6));
    }
    Extent small, larger;
    small.add(1), small.add(3.30);
    larger.add(1), larger.add(3.32);
    EXPECT_EQ(niceExtent(small).high, niceExtent(larger).high) << "a little more data does not move the axis";
    Extent loss;
    loss.add(0.013), loss.add(8.9);
    EXPECT_DOUBLE_EQ(niceLogExtent(loss).low, 0.01);
    EXPECT_DOUBLE_EQ(niceLogExtent(loss).high, 10);
}

TEST_F(Curves, TheCrossHairReadsADashWhereACurveHasNoValue) {
    auto lasting = std::make_shared<Series>(), ended = std::make_shared<Series>();
    for (Step step = 1; step <= 1200; ++step) lasting->append(step, 2);
    for (Step step = 1; step <= 60; ++step) ended->append(step, 5);
    Curve a = single(lasting), b = single(ended);
    b.id = 8;
    b.label = QStringLiteral("ended at 60");
    plot_.setCurves({b, a});
    EXPECT_TRUE(plot_.readOut().rows.isEmpty()) << "no cross-hair";
    plot_.setCursor(1133);
    EXPECT_EQ(plot_.readOut().caption, QStringLiteral("step 1,133"));
    const QString dash(QChar(0x2013));
    EXPECT_EQ(plot_.readOut().rows,
              (QList<QStringList>{{QStringLiteral("run"), QStringLiteral("2.000"), dash}, {b.label, dash, dash}}));
    plot_.setCursor(60.4);
    EXPECT_EQ(plot_.readOut().rows.first(), (QStringList{b.label, QStringLiteral("5.000"), dash}));
}

TEST_F(Curves, AxisReachesTheExpectedStepsAndRobustFitCutsTheStart) {
    plot_.setCurves(lossCurves());
    plot_.setExpectedSteps({0, 30000});
    plot_.replotNow();
    EXPECT_EQ(plot_.stepRange(), (std::pair<double, double>(0, 30000)));
    const double full = plot_.valueRange().second;
    EXPECT_GT(full, 8.5);
    plot_.setValueFit(ValueFit::Robust);
    plot_.replotNow();
    EXPECT_LT(plot_.valueRange().second, full - 1);
}

TEST_F(Curves, ANoteShowsHowFarALineLeavesTheAxis) {
    auto rows = std::make_shared<Series>();
    for (Step step = 1; step <= 400; ++step) rows->append(step, step == 1 ? 2.9e29 : 1 + 1.0 / double(step));
    plot_.setCurves({single(rows)});
    plot_.replotNow();
    EXPECT_EQ(plot_.aboveText(), QString()) << "the whole line is in the picture";
    plot_.setValueFit(ValueFit::Robust);
    plot_.replotNow();
    ASSERT_LT(plot_.valueRange().second, 3);
    EXPECT_EQ(plot_.aboveText(), text("↑ to 2.900e+29, above the axis"));
    auto few = std::make_shared<Series>();
    for (Step step = 1; step <= 5; ++step) few->append(step, step == 1 ? 9 : 1);
    plot_.setCurves({single(few)});
    plot_.replotNow();
    EXPECT_GE(plot_.valueRange().second, 9) << "five points have no outlier";
}

TEST_F(Curves, ASpikeOfOneRowInAMillionIsDrawn) {
    auto rows = std::make_shared<Series>();
    for (Step step = 0; step < 1'000'000; ++step) rows->append(step, step == 612'345 ? 100 : 1);
    Curve curve = single(rows);
    curve.smoothed = true;
    plot_.setCurves({curve});
    plot_.setSmoothing(5000);
    ASSERT_TRUE(waitUntil([&] {
        plot_.replotNow();
        const QImage image = plot_.image({700, 360}, 1);
        const int x = 44 + int((700 - 56) * 0.612345);
        const QColor faint = Theme::runAt(1).color;
        for (int probe = x - 25; probe <= x + 25; ++probe)
            for (int y = 40; y < 160; ++y)
                if (image.pixelColor(probe, y).blue() > image.pixelColor(probe, y).red() + 25 && faint.isValid()) return true;
        return false;
    }));
}

TEST_F(Curves, LineBreaksWhereTheLossIsNotFinite) {
    auto rows = std::make_shared<Series>();
    for (Step step = 0; step < 100; ++step) rows->append(step, step >= 40 && step <= 60 ? std::nan("") : 1);
    plot_.setCurves({single(rows)});
    plot_.replotNow();
    const QImage image = plot_.image({700, 360}, 1);
    const QColor line = Theme::runAt(1).color;
    EXPECT_GT(share(image, line, QRect(150, 8, 100, 300)), 0);
    EXPECT_EQ(share(image, line, QRect(360, 8, 40, 300)), 0);
}

TEST_F(Curves, TheAxisFollowsOtherRowsOfTheSameSteps) {
    const auto rising = [](double to) {
        auto rows = std::make_shared<Series>();
        for (Step step = 0; step <= 100; ++step) rows->append(step, to * double(step) / 100);
        return rows;
    };
    plot_.setCurves({single(rising(1))});
    plot_.replotNow();
    EXPECT_LT(plot_.valueRange().second, 2);
    plot_.setRows(7, rising(50));
    plot_.replotNow();
    EXPECT_GE(plot_.valueRange().second, 50);
    plot_.setValueFit(ValueFit::Robust);
    plot_.replotNow();
    EXPECT_LE(plot_.valueRange().second, 50);
}

TEST_F(Curves, DragZoomsAndDoubleClickResets) {
    plot_.setCurves(lossCurves());
    plot_.replotNow();
    const auto whole = plot_.stepRange();
    QWidget* chart = plot_.findChild<QWidget*>();
    QTest::mousePress(chart, Qt::LeftButton, {}, {200, 100});
    QTest::mouseMove(chart, {400, 250});
    QTest::mouseRelease(chart, Qt::LeftButton, {}, {400, 250});
    EXPECT_TRUE(plot_.isZoomed());
    plot_.replotNow();
    const auto zoomed = plot_.stepRange();
    EXPECT_GT(zoomed.first, whole.first);
    EXPECT_LT(zoomed.second, whole.second);
    plot_.setRows(1, lossSeries({9, 1.2, 0.1, 40000, 1, 3}));
    plot_.replotNow();
    EXPECT_EQ(plot_.stepRange(), zoomed) << "new rows do not move a chosen zoom";
    QTest::mouseDClick(chart, Qt::LeftButton, {}, {300, 150});
    plot_.replotNow();
    EXPECT_FALSE(plot_.isZoomed());
    QTest::mouseClick(chart, Qt::LeftButton, {}, {300, 150});
    EXPECT_FALSE(plot_.isZoomed()) << "a click is not a drag";
}

TEST_F(Curves, KeysSwitchLogTableAndMoveTheCrossHair) {
    plot_.setCurves(lossCurves());
    plot_.replotNow();
    QTest::keyClick(&plot_, Qt::Key_Y);
    EXPECT_EQ(plot_.valueScale(), AxisScale::Log);
    plot_.replotNow();
    EXPECT_GT(plot_.valueRange().first, 0);
    QSignalSpy moved(&plot_, &CurvePlot::cursorMoved);
    QTest::keyClick(&plot_, Qt::Key_Right, Qt::ShiftModifier);
    QTest::keyClick(&plot_, Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(moved.size(), 2);
    QTest::keyClick(&plot_, Qt::Key_T);
    EXPECT_EQ(plot_.mode(), PlotMode::Table);
    EXPECT_NE(plot_.findChild<QTableView*>(), nullptr);
    plot_.setMode(PlotMode::Chart);
}

TEST_F(Curves, TableHasEveryRowIfTheyAreFew) {
    auto rows = std::make_shared<Series>();
    for (Step step = 10; step <= 300; step += 10) rows->append(step, double(step) / 100);
    plot_.setCurves({single(rows)});
    plot_.replotNow();
    PlotTable table = plot_.table();
    EXPECT_EQ(table.columns, (QStringList{QStringLiteral("Step"), QStringLiteral("run")}));
    ASSERT_EQ(table.rows.size(), 30);
    EXPECT_EQ(table.rows[4], (QStringList{QStringLiteral("50"), QStringLiteral("0.500")}));
    EXPECT_TRUE(table.caption.isEmpty());
    plot_.setCurves(lossCurves());
    plot_.replotNow();
    table = plot_.table();
    EXPECT_LE(table.rows.size(), 501);
    EXPECT_GT(table.rows.size(), 100);
    PlotTableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setTable(table);
    EXPECT_EQ(model.rowCount(), table.rows.size());
}

TEST_F(Curves, ExportsAsPictureVectorAndText) {
    plot_.setCurves(lossCurves());
    plot_.replotNow();
    EXPECT_EQ(plot_.image({300, 200}, 2).size(), QSize(600, 400));
    const QByteArray svg = plot_.svg({300, 200});
    EXPECT_TRUE(svg.contains("<svg") && svg.contains("polyline")) << svg.left(400).toStdString();
    const QByteArray pdf = pdfOf(plot_.picture({300, 200}));
    EXPECT_TRUE(pdf.startsWith("%PDF"));
    EXPECT_TRUE(pdf.contains("/MediaBox [0 0 225")) << "the size in points";
    EXPECT_FALSE(pdf.contains("/Subtype /Image")) << "vectors, not an image of the screen";
    const Picture picture = plot_.picture({300, 200});
    EXPECT_TRUE(painted(picture, QStringLiteral("a.PNG"))().startsWith("\x89PNG"));
    EXPECT_TRUE(painted(picture, QStringLiteral("a.svg"))().contains("<svg"));
    EXPECT_THROW(painted(picture, QStringLiteral("a.docx"))(), std::runtime_error) << "no SVG under another name";
    QTest::keySequence(&plot_, QKeySequence::Copy);
    const QMimeData* copied = QApplication::clipboard()->mimeData();
    EXPECT_TRUE(copied->hasImage());
    EXPECT_TRUE(copied->hasFormat(QStringLiteral("image/svg+xml")));
    EXPECT_TRUE(copied->text().startsWith(QStringLiteral("Step\teau-base s4, train")));
}

TEST_F(Curves, FollowTheTheme) {
    plot_.setCurves(lossCurves());
    plot_.replotNow();
    Theme::instance().setAppearance(Appearance::Dark);
    plot_.replotNow();
    const QImage image = plot_.grab().toImage();
    EXPECT_GT(share(image, Theme::color(Token::Base), image.rect()), 0.5);
}

TEST_F(Curves, PicturesAreLightInTheDarkThemeAndTheWindowIsUnchanged) {
    plot_.setCurves(lossCurves());
    plot_.replotNow();
    const QByteArray light = plot_.svg({700, 360});
    const QImage lightPicture = plot_.image({700, 360}, 1);
    Theme::instance().setAppearance(Appearance::Dark);
    plot_.replotNow();
    const QImage window = plot_.grab().toImage();
    QSignalSpy changed(&Theme::instance(), &Theme::changed);
    EXPECT_EQ(plot_.svg({700, 360}), light);
    const QImage picture = plot_.image({700, 360}, 1);
    EXPECT_EQ(picture, lightPicture);
    EXPECT_EQ(picture.pixelColor(1, 1), QColor(Qt::white));
    QTest::keySequence(&plot_, QKeySequence::Copy);
    EXPECT_EQ(qvariant_cast<QImage>(QApplication::clipboard()->mimeData()->imageData()).pixelColor(1, 1), QColor(Qt::white));
    EXPECT_TRUE(changed.isEmpty());
    EXPECT_TRUE(Theme::isDark());
    EXPECT_EQ(plot_.grab().toImage(), window);
    plot_.replotNow();
    EXPECT_EQ(plot_.grab().toImage(), window) << "the window has its colours again";
}

TEST_F(Curves, HiddenPlotsAreNotDrawn) {
    CurvePlot hidden;
    hidden.setCurves(lossCurves());
    hidden.setExpectedSteps({0, 50000});
    for (int i = 0; i < 10; ++i) QCoreApplication::processEvents();
    EXPECT_NE(hidden.stepRange().second, 50000);
    hidden.show();
    EXPECT_TRUE(waitUntil([&] { return hidden.stepRange().second == 50000; }));
}

TEST_F(Curves, RowsAfterAnEmptySmoothedSeriesAreDrawn) {
    plot_.setSmoothing(50);
    Curve curve;
    curve.id = 7;
    curve.smoothed = true;
    curve.rows = std::make_shared<Series>();
    plot_.setCurves({curve});
    EXPECT_TRUE(waitUntil([&] { return plot_.isSettled(); }));
    QTest::qWait(50);  // the smoothed series of no rows arrives
    plot_.setRows(7, lossSeries({9, 1, 0.1, 300, 1, 1}));
    EXPECT_GT(plot_.replotNow(), 0);
    EXPECT_TRUE(waitUntil([&] { return plot_.isSettled(); }));
    EXPECT_GT(plot_.valueRange().second, 8);
    plot_.setValueBounds(0, 8);
    plot_.replotNow();
    EXPECT_EQ(plot_.valueRange().second, 8);
}

TEST_F(Curves, RowsThatAddLessThanAPixelAreDrawnLater) {
    const auto flat = [](Step last, double end) {
        auto rows = std::make_shared<Series>();
        for (Step step = 1; step < last; ++step) rows->append(step, 1);
        rows->append(last, end);
        return rows;
    };
    plot_.setExpectedSteps({0, 100'000});
    plot_.setCurves({single(flat(10'000, 1))});
    ASSERT_TRUE(waitUntil([&] { return plot_.valueRange().second > 0; }));
    plot_.replotNow();
    const double before = plot_.valueRange().second;
    plot_.setRows(7, flat(10'010, 100));
    QTest::qWait(600);
    EXPECT_EQ(plot_.valueRange().second, before) << "ten of a hundred thousand steps are a fifteenth of a pixel";
    plot_.setRows(7, flat(11'000, 100));
    EXPECT_FALSE(plot_.isSettled()) << "a picture would end before the rows";
    EXPECT_TRUE(waitUntil([&] { return plot_.valueRange().second >= 100; })) << "seven pixels";
    QElapsedTimer clock;
    clock.start();
    plot_.setRows(7, flat(11'010, 500));
    EXPECT_TRUE(waitUntil([&] { return plot_.valueRange().second >= 500; })) << "later, but drawn";
    EXPECT_GT(clock.elapsed(), 1000);
    plot_.setRows(7, flat(11'020, 900));
    plot_.setCursor(5000);
    plot_.setValueFit(ValueFit::Robust);
    clock.start();
    EXPECT_TRUE(waitUntil([&] { return plot_.isSettled(); })) << "changes by the user are drawn at once";
    EXPECT_LT(clock.elapsed(), 1000);
}
