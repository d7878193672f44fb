// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/curve_plot.h"

#include "ui/plot/axis_fit.h"
#include "ui/plot/plot_layers.h"
#include "ui/plot/qcp_theme.h"
#include "ui/plot/smoothing.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAction>

#include <utility>

namespace heddle::ui {
namespace {
constexpr int kFrameMs = 50;                    // 20 Hz
constexpr int kGrowthMs = 240, kRestMs = 1950;  // for new rows that add at least a pixel, and less
constexpr double kRobustCut = 0.04;
}  // namespace

CurvePlot::CurvePlot(QWidget* parent) : PlotView(parent), plot_(new QCustomPlot(this)), smoother_(new Smoother(this)) {
    plot_->addLayer(QStringLiteral("curves"), plot_->layer(QStringLiteral("main")));
    plot_->addLayer(QStringLiteral("lines"), plot_->layer(QStringLiteral("curves")));
    lineLayer_ = new LineLayer(plot_);
    eventLayer_ = new EventLayer(plot_, &steps_);
    cursorLayer_ = new CursorLayer(plot_, &steps_);
    above_ = new QCPItemText(plot_);
    above_->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
    above_->position->setType(QCPItemPosition::ptAxisRectRatio);
    above_->position->setCoords(1, 0);
    above_->setPadding(QMargins(px(4), px(1), px(4), px(1)));
    above_->setVisible(false);
    plot_->layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
    plot_->xAxis->setTicker(QSharedPointer<LocaleTicker>::create());
    plot_->yAxis->setTicker(QSharedPointer<LocaleTicker>::create());
    plot_->xAxis->setLabel(tr("step"));
    plot_->setMouseTracking(true);
    plot_->setMinimumSize(1, 1);  // QCustomPlot cannot paint at an empty size
    plot_->installEventFilter(this);
    setChart(plot_);
    replotTimer_.setSingleShot(true);
    connect(&replotTimer_, &QTimer::timeout, this, [this] {
        if (isVisible() && (dirty_ || grown_)) replotNow();
    });
    connect(this, &PlotView::modeChanged, this, &CurvePlot::scheduleReplot);
    connect(smoother_, &Smoother::ready, this, [this](int id, std::shared_ptr<const Series> smoothed, double n) {
        CurveLine* line = lineOf(id);
        if (!line || n != smoothing_) return;
        const bool grew = line->smoothed && line->smoothedBy == n;
        line->smoothed = std::move(smoothed);
        line->smoothedBy = n;
        grew ? scheduleGrowth() : scheduleReplot();
    });
    recolour();
}

CurvePlot::~CurvePlot() { plot_->removeEventFilter(this); }

void CurvePlot::recolour() {
    applyTheme(*plot_);
    above_->setFont(typeFont(Type::Caption));
    above_->setColor(Theme::color(Token::Text2));
    above_->setBrush(Theme::color(Token::Base));
}

void CurvePlot::setValueTitle(const QString& title, TitlePlace place) {
    valueTitle_ = title;
    screenTitle_ = place == TitlePlace::Axis ? title : QString();
    plot_->yAxis->setLabel(screenTitle_);
}

QString CurvePlot::aboveText() const { return above_->visible() ? above_->text() : QString(); }

CurveLine* CurvePlot::lineOf(int id) const {
    for (CurveLine* line : lines_)
        if (line->curve.id == id) return line;
    return nullptr;
}

void CurvePlot::setCurves(const QList<Curve>& curves) {
    cursorLayer_->lines.clear();
    for (CurveLine* line : lines_) {
        smoother_->remove(line->curve.id);
        plot_->removePlottable(line);
    }
    lines_.clear();
    for (const Curve& curve : curves) {
        auto* line = new CurveLine(plot_->xAxis, plot_->yAxis, &steps_, *lineLayer_);
        line->setLayer(QStringLiteral("curves"));
        line->curve = curve;
        line->setName(curve.label);
        if (!curve.inLegend || curve.weight == LineWeight::Muted) line->removeFromLegend();
        line->markerLane = int(lines_.size());
        line->markersAlong = curves.size() > 1;
        lines_.append(line);
        smoothAgain(*line);
    }
    cursorLayer_->lines = lines_;
    scheduleReplot();
}

void CurvePlot::setRows(int id, std::shared_ptr<const Series> rows) {
    CurveLine* line = lineOf(id);
    if (!line) return;
    line->curve.rows = std::move(rows);
    if (!smoothAgain(*line)) scheduleGrowth();
}

/// False: smoothing is off and the rows themselves are drawn.
bool CurvePlot::smoothAgain(CurveLine& line) {
    if (!line.curve.smoothed || !line.curve.rows || smoothing_ <= 0) {
        line.smoothed.reset();
        return false;
    }
    smoother_->request(line.curve.id, line.curve.rows, smoothing_);
    return true;
}

void CurvePlot::setSmoothing(double n) {
    if (n == smoothing_) return;
    smoothing_ = n;
    for (CurveLine* line : lines_) smoothAgain(*line);
    scheduleReplot();
}

void CurvePlot::setEvents(const QList<CurveEvent>& events) {
    if (events == eventLayer_->events) return;
    eventLayer_->events = events;
    scheduleReplot();
}

void CurvePlot::setStepAxis(const StepAxis& axis) {
    const auto [first, last] = stepRange();
    const bool other = axis.title() != steps_.title();
    steps_ = axis;
    plot_->xAxis->setLabel(axis.countsSteps() ? tr("step") : axis.title());
    if (zoomed_) plot_->xAxis->setRange(steps_.toX(first), steps_.toX(last));
    other ? scheduleReplot() : scheduleGrowth();  // time and tokens grow with the run
}

void CurvePlot::setValueScale(AxisScale scale) {
    if (scale == scale_) return;
    scale_ = scale;
    const bool log = scale == AxisScale::Log;
    plot_->yAxis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (log)
        plot_->yAxis->setTicker(QSharedPointer<LocaleLogTicker>::create());
    else
        plot_->yAxis->setTicker(QSharedPointer<LocaleTicker>::create());
    scheduleReplot();
    Q_EMIT valueScaleChanged(scale);
}

void CurvePlot::setValueFit(ValueFit fit) {
    fit_ = fit;
    scheduleReplot();
}

QAction* CurvePlot::makeOutlierAction(QObject* parent) {
    auto* action = new QAction(tr("Ignore outliers"), parent);
    action->setToolTip(tr("Fits the axis without the highest %1 % of the steps, where the line may leave the plot")
                           .arg(number(100 * kRobustCut, 0)));
    action->setCheckable(true);
    action->setChecked(fit_ == ValueFit::Robust);
    connect(action, &QAction::toggled, this, [this](bool on) { setValueFit(on ? ValueFit::Robust : ValueFit::Full); });
    return action;
}

void CurvePlot::setValueBounds(double low, double high) {
    bounds_ = {low, high};
    scheduleReplot();
}
void CurvePlot::setDecimals(int decimals) { cursorLayer_->decimals = decimals; }
void CurvePlot::setExpectedSteps(StepRange steps) {
    if (steps.first == expected_.first && steps.last == expected_.last) return;
    expected_ = steps;
    scheduleReplot();
}
PlotTable CurvePlot::readOut() const { return cursorLayer_->table(); }
void CurvePlot::setStepText(std::function<QString(Step)> text) { cursorLayer_->describe = std::move(text); }

void CurvePlot::setCursor(std::optional<double> step) { moveCursorTo(step, std::nullopt); }

void CurvePlot::moveCursorTo(std::optional<double> step, std::optional<double> pointerY) {
    cursorLayer_->step = step;
    cursorLayer_->pointerY = pointerY;
    updateCursor();
}

/// Only the overlay is drawn again.
void CurvePlot::updateCursor() {
    if (isVisible() && !dirty_) cursorLayer_->layer()->replot();
}

void CurvePlot::resetZoom() {
    zoomed_ = false;
    scheduleReplot();
}

void CurvePlot::setVisibleRange(double firstStep, double lastStep) {
    zoomed_ = true;
    plot_->xAxis->setRange(steps_.toX(firstStep), steps_.toX(lastStep));
    scheduleReplot();
}

std::pair<double, double> CurvePlot::stepRange() const {
    const QCPRange range = plot_->xAxis->range();
    return {steps_.toStep(range.lower), steps_.toStep(range.upper)};
}
std::pair<double, double> CurvePlot::valueRange() const { return {plot_->yAxis->range().lower, plot_->yAxis->range().upper}; }

void CurvePlot::fitAxes() {
    if (zoomed_) return;
    StepRange steps = expected_;
    for (const CurveLine* line : lines_) {
        if (!line->curve.rows || line->curve.rows->size() == 0) continue;
        const StepRange own = line->curve.rows->range();
        steps = steps.empty() ? own : StepRange{std::min(steps.first, own.first), std::max(steps.last, own.last)};
    }
    if (steps.empty()) return;
    Extent values;
    double top = -std::numeric_limits<double>::infinity();
    for (const CurveLine* line : lines_) {
        const auto own = line->fitOf(double(steps.first), double(steps.last), fit_ == ValueFit::Robust ? kRobustCut : 0);
        values.add(own.values);
        top = std::max(top, own.greatest);
    }
    plot_->xAxis->setRange(steps_.toX(double(steps.first)), steps_.toX(double(std::max(steps.first + 1, steps.last))));
    const Extent fitted = scale_ == AxisScale::Log ? niceLogExtent(values) : niceExtent(values);
    plot_->yAxis->setRange(std::max(fitted.low, bounds_.first), std::min(fitted.high, bounds_.second));
    above_->setVisible(top > plot_->yAxis->range().upper);
    above_->setText(tr("↑ to %1, above the axis").arg(shortNumber(top)));
}

void CurvePlot::scheduleReplot() {
    dirty_ = true;
    replotWithin(kFrameMs);
}

/// Drawing takes time from a training on the same machine, so rows that add less than a pixel are drawn later.
void CurvePlot::scheduleGrowth() {
    grown_ = true;
    replotWithin(hasGrown() ? kGrowthMs : kRestMs);
}

/// A line has grown by a pixel or more since the last replot.
bool CurvePlot::hasGrown() const {
    return grown_ && std::any_of(lines_.begin(), lines_.end(), [](const CurveLine* line) { return line->hasGrown(); });
}

/// Replots when `milliseconds` have passed since the last replot.
void CurvePlot::replotWithin(int milliseconds) {
    if (mode() == PlotMode::Table) {
        fitAxes();
        tableChanged();
    }
    if (!isVisible()) return;
    const qint64 since = sinceReplot_.isValid() ? sinceReplot_.elapsed() : milliseconds;
    const int wait = int(std::max<qint64>(0, milliseconds - since));
    if (!replotTimer_.isActive() || replotTimer_.remainingTime() > wait) replotTimer_.start(wait);
}

double CurvePlot::replotNow() {
    QElapsedTimer clock;
    clock.start();
    replotTimer_.stop();
    fitAxes();
    plot_->replot(QCustomPlot::rpQueuedRefresh);
    dirty_ = grown_ = false;
    sinceReplot_.start();
    return double(clock.nsecsElapsed()) / 1e6;
}

bool CurvePlot::isSettled() const {
    if (!isVisible()) return true;
    for (const CurveLine* line : lines_) {
        const Series* rows = line->curve.rows.get();
        if (!line->curve.smoothed || smoothing_ <= 0 || !rows || rows->size() == 0) continue;
        if (!line->smoothed || line->smoothed->size() == 0 || line->smoothed->range().last != rows->range().last) return false;
    }
    return !dirty_ && !hasGrown();
}

void CurvePlot::showEvent(QShowEvent* event) {
    PlotView::showEvent(event);
    if (dirty_ || grown_) scheduleReplot();
}

void CurvePlot::paintOn(QPaintDevice& device, QSize size) {
    fitAxes();
    plot_->legend->setVisible(plot_->legend->itemCount() > 1);  // on the screen, one legend is shared by all plots
    plot_->yAxis->setLabel(valueTitle_);
    paintPlot(*plot_, device, size);
    plot_->legend->setVisible(false);
    plot_->yAxis->setLabel(screenTitle_);
}

}  // namespace heddle::ui
