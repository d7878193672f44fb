// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/curves_panel.h"

#include "ui/pages/compare/legend_row.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/smoothing.h"
#include "ui/text/number.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {

CurvesPanel::CurvesPanel(Studio& studio, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      choice_(new QComboBox(this)),
      log_(new QToolButton(this)),
      smoothing_(new QSpinBox(this)),
      legendRoom_(new QScrollArea(this)),
      legend_(new LegendRow(this)),
      plot_(new CurvePlot(this)),
      empty_(new QLabel(this)),
      stack_(new QStackedLayout),
      query_(new Query(
          studio.databases(), [this] { return nextRequest(); },
          [this](const Problem& problem) {
              reading_ = false;
              take(metrics_, {});  // the old curves are of another choice
              empty_->setText(problem.what);
              studio_.report(problem);
          },
          this)) {
    choice_->setAccessibleName(tr("Metric of the curves"));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    log_->setText(tr("Log axis"));
    log_->setCheckable(true);
    log_->setToolTip(tr("Logarithmic value axis (Y)"));
    smoothing_->setRange(0, kMostSmoothing);
    smoothing_->setSpecialValueText(tr("not smoothed"));
    smoothing_->setPrefix(tr("smoothed over "));
    smoothing_->setSuffix(tr(" steps"));
    smoothing_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    smoothing_->setKeyboardTracking(false);
    smoothing_->setAccessibleName(tr("Smoothing in steps"));
    smoothing_->setToolTip(tr("Mean of the full series up to each step, a row weighted by e^(−age/n), n in steps"));
    plot_->setAccessibleName(tr("Curves of the ticked runs"));
    plot_->setValueFit(ValueFit::Robust);
    empty_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    empty_->setWordWrap(true);
    empty_->setMargin(px(12));
    empty_->setForegroundRole(QPalette::PlaceholderText);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(px(8), px(4), px(8), px(4));
    head->setSpacing(px(8));
    head->addWidget(choice_);
    head->addWidget(log_);
    head->addWidget(smoothing_);
    head->addStretch(1);
    QVBoxLayout* column = makeColumn(this);
    column->addLayout(head);
    legendRoom_->setObjectName(QStringLiteral("legendRoom"));
    legendRoom_->setAccessibleName(tr("Legend of the curves"));
    legendRoom_->setFrameShape(QFrame::NoFrame);
    legendRoom_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    legendRoom_->setWidgetResizable(true);
    legendRoom_->setWidget(legend_);
    column->addWidget(legendRoom_);
    column->addLayout(stack_, 1);
    stack_->addWidget(plot_);
    stack_->addWidget(empty_);
    connect(choice_, qOverload<int>(&QComboBox::activated), this,
            [this](int index) { setMetric(CurveMetric::fromId(choice_->itemData(index).toString())); });
    connect(log_, &QToolButton::toggled, this,
            [this](bool on) { plot_->setValueScale(on ? AxisScale::Log : AxisScale::Linear); });
    connect(plot_, &CurvePlot::valueScaleChanged, log_, [this](AxisScale scale) { log_->setChecked(scale == AxisScale::Log); });
    connect(smoothing_, qOverload<int>(&QSpinBox::valueChanged), this, [this](int steps) {
        plot_->setSmoothing(steps);
        Q_EMIT captionChanged();
    });
    take({}, {});
}

void CurvesPanel::setRuns(const std::vector<CurveRequest>& runs) {
    runs_ = runs;
    readAgain();
}

void CurvesPanel::setMetric(const CurveMetric& metric) {
    if (metric == metric_) return;
    metric_ = metric;
    plot_->resetZoom();
    readAgain();
}

void CurvesPanel::readAgain() {
    read_.clear();
    reading_ = !runs_.empty();
    query_->drop();
    if (reading_) return query_->request();
    take({}, {});
}

/// Asks for those runs of one database that are not read yet.
Query::Request CurvesPanel::nextRequest() {
    int database = 0;
    std::vector<std::string> ids;
    for (const auto& request : runs_) {
        if (read_.contains(request.run)) continue;
        const RunDatabase* open = studio_.databases().find(request.run.database);
        if (!open || !open->isOpen()) continue;
        if (ids.empty()) database = open->number();
        if (database == open->number()) ids.push_back(request.run.id);
    }
    if (ids.empty()) {
        if (reading_) takeAll();
        return {};
    }
    return {database, [this, database, ids, metric = metric_](storage::RunQuery& query) -> Query::Apply {
                std::map<RunRef, RunValues> values;
                for (const auto& id : ids) values.emplace(RunRef(database, id), readValues(query, metric, id));
                return [this, values = std::move(values)] {
                    read_.insert(values.begin(), values.end());
                    query_->request();
                };
            }};
}

void CurvesPanel::takeAll() {
    reading_ = false;
    std::vector<RunValues> values;
    std::set<QString> units;
    for (const auto& request : runs_) {
        values.push_back(read_[request.run]);
        units.insert(values.back().units.begin(), values.back().units.end());
    }
    unit_ = QStringList(units.begin(), units.end()).join(QStringLiteral("; "));
    take(metricsOf(values), curvesOf(runs_, values));
}

void CurvesPanel::take(const std::vector<CurveMetric>& metrics, const CurveSet& set) {
    fillChoice(metrics);
    shown_ = set;
    plot_->setDecimals(metric_.decimals());
    plot_->setValueTitle(unit_.isEmpty() ? metric_.title() : QStringLiteral("%1 (%2)").arg(metric_.title(), unit_));
    draw();
    empty_->setText(runs_.empty() ? tr("Tick runs in the table to draw their curves here (Space ticks what is selected).")
                                  : tr("The ticked runs have no values of this metric yet."));
    stack_->setCurrentIndex(set.curves.isEmpty() ? 1 : 0);
    Q_EMIT captionChanged();
}

/// Grey ones first, so that they lie below the others.
void CurvesPanel::draw() {
    drawn_ = shown_.curves;
    for (Curve& curve : drawn_)
        if (!lit_.contains(curve.order)) {
            curve.weight = LineWeight::Muted;
            curve.low = curve.high = nullptr;
        }
    std::stable_partition(drawn_.begin(), drawn_.end(), [](const Curve& c) { return c.weight == LineWeight::Muted; });
    plot_->setCurves(drawn_);
    legend_->setCurves(drawn_);
    fitLegend();
}

/// Leaves two thirds of the panel to the plot: a longer legend is scrolled.
void CurvesPanel::fitLegend() { legendRoom_->setFixedHeight(std::min(legend_->heightForWidth(width()), height() / 3)); }

void CurvesPanel::resizeEvent(QResizeEvent*) { fitLegend(); }

void CurvesPanel::setLit(const std::set<int>& orders) {
    if (orders == lit_) return;
    lit_ = orders;
    draw();
    Q_EMIT captionChanged();
}

void CurvesPanel::fillChoice(const std::vector<CurveMetric>& metrics) {
    std::vector<CurveMetric> all = metrics;
    if (std::find(all.begin(), all.end(), metric_) == all.end()) all.insert(all.begin(), metric_);
    if (all == metrics_) return;
    metrics_ = all;
    const QSignalBlocker quiet(choice_);
    choice_->clear();
    for (const auto& metric : all) choice_->addItem(metric.title(), metric.id());
    choice_->setCurrentIndex(int(std::find(all.begin(), all.end(), metric_) - all.begin()));
}

QString CurvesPanel::caption() const {
    QStringList parts;
    if (!unit_.isEmpty() && !drawn_.isEmpty()) parts << unit_;
    if (shown_.means > 0) parts << tr("mean and range of the seeds, single seeds thin");
    if (!drawn_.isEmpty() && drawn_.first().weight == LineWeight::Muted)
        parts << tr("%1 groups in colour, the rest grey; selected rows first").arg(lit_.size());
    if (shown_.missing > 0)
        parts << tr("%1 of %Ln run(s) without such values", nullptr, int(runs_.size())).arg(count(shown_.missing));
    if (metric_.source == CurveMetric::Source::Series) parts << tr("means of stretches of steps");
    if (smoothing_->value() > 0) parts << tr("smoothed over %1 steps").arg(count(smoothing_->value()));
    return parts.join(QStringLiteral(" · "));
}

}  // namespace heddle::ui
