// SPDX-License-Identifier: GPL-3.0-or-later
// Live curves over steps: loss, accuracy, rates. Drag zooms, double-click or R resets, wheel zooms in x (with Shift in y),
// middle button or Ctrl-drag pans, Shift+Left/Right moves the cross-hair, Y switches the log axis, T the table.
#pragma once

#include "ui/plot/curve.h"
#include "ui/plot/plot_view.h"

#include <QElapsedTimer>
#include <QTimer>

#include <functional>

class QCPItemText;
class QCustomPlot;

namespace heddle::ui {

class CurveLine;
class CursorLayer;
class EventLayer;
class LineLayer;
class Smoother;

class CurvePlot : public PlotView {
    Q_OBJECT

public:
    explicit CurvePlot(QWidget* parent = nullptr);
    ~CurvePlot() override;

    /// Replaces all curves and keeps the zoom.
    void setCurves(const QList<Curve>& curves);
    /// New rows of curve `id`, whose series has grown. They are drawn when the difference is visible, see scheduleGrowth().
    void setRows(int id, std::shared_ptr<const Series> rows);
    void setEvents(const QList<CurveEvent>& events);
    /// n of the smoothing in steps; 0 switches it off.
    void setSmoothing(double n);
    double smoothing() const { return smoothing_; }
    void setStepAxis(const StepAxis& axis);
    void setValueScale(AxisScale scale);
    AxisScale valueScale() const { return scale_; }
    void setValueFit(ValueFit fit);
    /// Makes the action "Ignore outliers", which switches between ValueFit::Robust and ValueFit::Full.
    QAction* makeOutlierAction(QObject* parent);
    /// The range of possible values, e.g. 0 to 100 for a share in %: the axis never extends beyond it.
    void setValueBounds(double low, double high);
    /// The quantity. Exported pictures have it at the axis; on the screen the title of the panel has it, else the axis.
    enum class TitlePlace { Panel, Axis };
    void setValueTitle(const QString& title, TitlePlace place = TitlePlace::Panel);
    /// How far the lines extend above the axis, as text; empty if none does.
    QString aboveText() const;
    /// Decimals in the read-out.
    void setDecimals(int decimals);
    /// Number of steps that the run will have: the axis extends to it from the start and does not move.
    void setExpectedSteps(StepRange steps);
    /// Head of the read-out, one line or more, e.g. with the epoch. Default "step 9,988".
    void setStepText(std::function<QString(Step)> text);
    /// The cross-hair of a linked plot; an empty step hides it.
    void setCursor(std::optional<double> step);
    /// The box beside the cross-hair as a table: a row for each curve, "–" without a value. Empty without a cross-hair.
    PlotTable readOut() const;
    void resetZoom();
    bool isZoomed() const { return zoomed_; }
    void setVisibleRange(double firstStep, double lastStep);

    /// The steps on the axis, the values on the axis.
    std::pair<double, double> stepRange() const;
    std::pair<double, double> valueRange() const;
    /// Nothing is left to smooth or draw, except perhaps the newest rows of a growing series.
    bool isSettled() const;
    /// Draws now (otherwise at most 20 times a second, and only while visible). Returns milliseconds.
    double replotNow();

    PlotTable table() const override;
    void paintOn(QPaintDevice& device, QSize size) override;

Q_SIGNALS:
    void cursorMoved(std::optional<double> step);
    void valueScaleChanged(heddle::ui::AxisScale scale);

protected:
    void recolour() override;
    void redraw() override { scheduleReplot(); }
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void scheduleReplot();
    void scheduleGrowth();
    bool hasGrown() const;
    void replotWithin(int milliseconds);
    void fitAxes();
    void updateCursor();
    void moveCursorTo(std::optional<double> step, std::optional<double> pointerY);
    void zoomTo(QRectF pixels);
    bool mouse(QEvent* event);
    void panTo(QPointF place);
    void hover(QPointF place);
    CurveLine* lineOf(int id) const;
    bool smoothAgain(CurveLine& line);

    QCustomPlot* plot_;
    StepAxis steps_;
    QList<CurveLine*> lines_;
    LineLayer* lineLayer_;
    EventLayer* eventLayer_;
    CursorLayer* cursorLayer_;
    Smoother* smoother_;
    QCPItemText* above_;
    QString valueTitle_, screenTitle_;
    double smoothing_ = 0;
    AxisScale scale_ = AxisScale::Linear;
    ValueFit fit_ = ValueFit::Full;
    StepRange expected_;
    std::pair<double, double> bounds_{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    bool zoomed_ = false, dirty_ = true, grown_ = false;
    std::optional<QPointF> dragFrom_, panFrom_;
    QTimer replotTimer_;
    QElapsedTimer sinceReplot_;
};

}  // namespace heddle::ui
