// SPDX-License-Identifier: GPL-3.0-or-later
// The wheel and the panning mouse on a curve plot, the tooltips of flags, and outliers.
#include "tests/ui/support/example_data.h"
#include "tests/ui/support/offscreen.h"
#include "ui/plot/curve_plot.h"

#include <QAction>
#include <QCoreApplication>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::ui::test {
namespace {

class CurveMouse : public testing::Test {
protected:
    CurveMouse() {
        plot_.resize(700, 360);
        plot_.show();
        plot_.setCurves(lossCurves());
        plot_.replotNow();
        steps_ = plot_.stepRange();
        values_ = plot_.valueRange();
    }
    QWidget& chart() { return *plot_.findChild<QWidget*>(); }
    void turn(Qt::KeyboardModifiers modifiers) {
        const QPointF middle = chart().rect().center();
        QWheelEvent wheel(middle, chart().mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&chart(), &wheel);
        plot_.replotNow();
    }
    void mouse(QEvent::Type type, QPointF place, Qt::MouseButtons buttons) {
        const Qt::MouseButton button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
        QMouseEvent event(type, place, chart().mapToGlobal(place), button, buttons, Qt::ControlModifier);
        QCoreApplication::sendEvent(&chart(), &event);
    }
    static double width(std::pair<double, double> range) { return range.second - range.first; }

    CurvePlot plot_;
    std::pair<double, double> steps_, values_;
};

}  // namespace

TEST_F(CurveMouse, TheWheelZoomsStepsAndWithShiftValues) {
    turn(Qt::NoModifier);
    EXPECT_NEAR(width(plot_.stepRange()), 0.85 * width(steps_), 1e-6 * width(steps_));
    EXPECT_EQ(plot_.valueRange(), values_);
    turn(Qt::ShiftModifier);
    EXPECT_NEAR(width(plot_.valueRange()), 0.85 * width(values_), 1e-6 * width(values_));
    EXPECT_NEAR(width(plot_.stepRange()), 0.85 * width(steps_), 1e-6 * width(steps_));
    plot_.resetZoom();
    plot_.replotNow();
    EXPECT_EQ(plot_.stepRange(), steps_);
}

TEST_F(CurveMouse, CtrlAndTheLeftButtonPan) {
    mouse(QEvent::MouseButtonPress, {300, 150}, Qt::LeftButton);
    mouse(QEvent::MouseMove, {200, 150}, Qt::LeftButton);
    mouse(QEvent::MouseButtonRelease, {200, 150}, Qt::NoButton);
    plot_.replotNow();
    EXPECT_TRUE(plot_.isZoomed());
    EXPECT_GT(plot_.stepRange().first, steps_.first);
    EXPECT_NEAR(width(plot_.stepRange()), width(steps_), 1e-6 * width(steps_)) << "moved, not zoomed";
    const auto moved = plot_.stepRange();
    mouse(QEvent::MouseMove, {100, 150}, Qt::NoButton);
    plot_.replotNow();
    EXPECT_EQ(plot_.stepRange(), moved) << "the button is up";
}

TEST_F(CurveMouse, OutliersAreIgnoredOrShown) {
    auto rows = std::make_shared<Series>();
    for (Step step = 1; step <= 1000; ++step) rows->append(step, step == 500 ? 1000 : 1 + 0.001 * double(step));
    Curve curve;
    curve.rows = rows;
    plot_.setCurves({curve});
    plot_.setValueFit(ValueFit::Robust);
    QAction& ignore = *plot_.makeOutlierAction(&plot_);
    ASSERT_TRUE(ignore.isChecked());
    plot_.replotNow();
    EXPECT_LT(plot_.valueRange().second, 100);
    ignore.trigger();
    plot_.replotNow();
    EXPECT_GE(plot_.valueRange().second, 1000);
}

TEST_F(CurveMouse, AFlagSaysWhatHappenedThere) {
    plot_.setEvents({{Step((steps_.first + steps_.second) / 2), EventKind::Resumed, text("resumed here")}});
    plot_.replotNow();
    const auto isTold = [&](int x) {
        mouse(QEvent::MouseMove, {double(x), chart().height() / 2.0}, Qt::NoButton);
        return QToolTip::isVisible() && QToolTip::text() == text("resumed here");
    };
    int x = chart().width() / 8;
    EXPECT_FALSE(isTold(x)) << "no flag is near";
    while (x < chart().width() && !isTold(x)) x += 3;
    EXPECT_GT(x, chart().width() / 3);
    EXPECT_LT(x, 2 * chart().width() / 3);
    QToolTip::hideText();
}

}  // namespace heddle::ui::test
