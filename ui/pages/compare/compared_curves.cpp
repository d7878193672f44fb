// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compared_curves.h"

#include "engine/metrics/metric.h"
#include "storage/run_query.h"
#include "ui/panels/curve_legend.h"
#include "ui/panels/table/columns.h"
#include "ui/plot/smoothing.h"
#include "ui/text/number.h"
#include "ui/text/sentence.h"
#include "ui/text/system_titles.h"
#include "ui/text/units.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QComboBox>
#include <QScrollArea>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace heddle::ui {
namespace {

const QString kSeries = QStringLiteral("series:"), kPath = QStringLiteral("/");
const QString kMetric = QStringLiteral("compare/metric"), kOutliers = QStringLiteral("compare/ignore_outliers");

/// Series of single modules would make the list long; `heddle runs gradients` shows them.
bool isOffered(const storage::RunQuery::SeriesKey& series) {
    const std::string& path = series.path;
    const auto layers = path.find(".layers.");
    const bool isStack = path == "encoder" || path == "decoder";
    return path.empty() || isStack || (layers != std::string::npos && path.find('.', layers + 8) == std::string::npos);
}

}  // namespace

QString CurveMetric::id() const {
    QString text = QString::fromStdString(name);
    if (source == SeriesId::Source::Evaluations) return text;
    return kSeries + text + (path.empty() ? QString() : kPath + QString::fromStdString(path));
}

CurveMetric CurveMetric::fromId(const QString& id) {
    if (!id.startsWith(kSeries)) return {SeriesId::Source::Evaluations, id.toStdString(), {}};
    const QString name = id.mid(kSeries.size()).section(kPath, 0, 0), path = id.section(kPath, 1);
    return {SeriesId::Source::Means, name.toStdString(), path.toStdString()};
}

QString CurveMetric::title() const {
    if (source == SeriesId::Source::Evaluations) return metricTitle(name);
    if (name == "loss") return ComparedCurves::tr("Train loss, every step");
    if (name == "accuracy") return ComparedCurves::tr("Train accuracy, every step, %");
    if (name == "grad_norm" && !path.empty())
        return ComparedCurves::tr("Gradient norm of %1").arg(QString::fromStdString(path));
    if (name == "grad_norm") return ComparedCurves::tr("Gradient norm");
    if (name == "lr") return ComparedCurves::tr("Learning rate");
    if (name == "tokens_per_second") return ComparedCurves::tr("Tokens per second");
    if (name == "step_seconds") return ComparedCurves::tr("Seconds per step");
    if (const SystemSeries* system = findSystemSeries(name)) return systemTitle(*system);
    const MetricInfo* info = findMetric(name);
    QString words = info ? QString::fromUtf8(info->title.data(), qsizetype(info->title.size())) : QString::fromStdString(name);
    if (info) words = withCapital(words);
    if (!path.empty()) words = ComparedCurves::tr("%1 of %2", "series, place").arg(words, QString::fromStdString(path));
    return info && info->unit == "%" ? ComparedCurves::tr("%1, %").arg(words) : words;
}

int CurveMetric::decimals() const {
    if (source == SeriesId::Source::Evaluations) return metricDecimals(name);
    if (name == "lr" || name == "step_seconds") return 5;
    if (const SystemSeries* system = findSystemSeries(name)) return system->decimals;
    if (const MetricInfo* info = findMetric(name)) return info->decimals;
    return name == "tokens_per_second" ? 0 : 3;
}

CurveKind CurveMetric::kind() const {
    CurveKind kind{.source = source, .name = name, .path = path};
    if (source == SeriesId::Source::Evaluations)
        kind.factor = metricScale(name);
    else if (const SystemSeries* system = findSystemSeries(name))
        kind.factor = system->factor;
    else if (const MetricInfo* info = findMetric(name))
        kind.factor = info->shownScale();
    return kind;
}

MetricOffer readOffer(storage::RunQuery& query, const std::string& run) {
    MetricOffer offer;
    std::map<std::string, std::set<std::int64_t>> steps;
    for (const auto& e : query.evaluations(run)) {
        const std::string metric = e.split + "." + e.metric;
        steps[metric].insert(e.step);
        if (const QString unit = unitText(countedBy(e.metric, e.signature)); !unit.isEmpty())
            for (const std::string& name : {metric, e.metric}) offer.units[name].insert(unit);
    }
    for (const auto& [name, at] : steps)
        if (at.size() > 1) offer.metrics.insert(name);  // one point is no curve
    for (const auto& series : query.series(run))
        if (isOffered(series) && series.points > 1)
            offer.metrics.insert(CurveMetric{SeriesId::Source::Means, series.name, series.path}.id().toStdString());
    return offer;
}

std::vector<CurveMetric> metricsOf(const std::vector<MetricOffer>& offers) {
    static const std::array<const char*, 9> kFirst{"valid.loss",      "valid.accuracy",   "valid.bleu",
                                                   "train.loss",      "series:loss",      "train.accuracy",
                                                   "series:accuracy", "series:grad_norm", "series:lr"};
    std::set<std::string> found;
    for (const MetricOffer& one : offers) found.insert(one.metrics.begin(), one.metrics.end());
    std::vector<CurveMetric> metrics;
    for (const char* id : kFirst)
        if (found.erase(id) > 0) metrics.push_back(CurveMetric::fromId(QString::fromLatin1(id)));
    for (const auto& id : found) metrics.push_back(CurveMetric::fromId(QString::fromStdString(id)));
    return metrics;
}

ComparedCurves::ComparedCurves(Studio& studio, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      choice_(new QComboBox(this)),
      log_(new QToolButton(this)),
      smoothing_(new QSpinBox(this)),
      legendRoom_(new QScrollArea(this)),
      legend_(new CurveLegend(CurveLegend::Form::Wrapped, this)),
      panel_(new CurvePanel(tr("Curves of the ticked runs"), studio.databases(), this)),
      ignoreOutliers_(panel_->plot().makeOutlierAction(this)),
      reading_(this, [this](Result<Offers> offers) { takeOffers(std::move(offers)); }) {
    panel_->titleRow()->hide();  // its dock has a title
    plot().setValueFit(ValueFit::Robust);
    legendRoom_->setObjectName(QStringLiteral("legendRoom"));
    legendRoom_->setAccessibleName(tr("Legend of the curves"));
    legendRoom_->setFrameShape(QFrame::NoFrame);
    legendRoom_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    legendRoom_->setWidgetResizable(true);
    legendRoom_->setWidget(legend_);
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(buildHead());
    column->addWidget(legendRoom_);
    column->addWidget(panel_, 1);
    connect(panel_, &CurvePanel::drawnChanged, this, &ComparedCurves::showDrawn);
    connect(panel_, &Panel::failed, this, [this](const Problem& problem) {
        problem_ = problem.what;
        studio_.report(problem);
    });
    showDrawn();
}

QWidget* ComparedCurves::buildHead() {
    choice_->setAccessibleName(tr("Metric of the curves"));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    fillChoice();
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
    smoothing_->setToolTip(tr("Mean of a training series up to each step, a row weighted by e^(−age/n), n in steps"));
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(px(8), px(4), px(8), px(4));
    row->setSpacing(px(8));
    for (QWidget* control : std::initializer_list<QWidget*>{choice_, log_, smoothing_}) row->addWidget(control);
    row->addStretch(1);
    connect(choice_, qOverload<int>(&QComboBox::activated), this,
            [this](int index) { setMetric(CurveMetric::fromId(choice_->itemData(index).toString())); });
    connect(log_, &QToolButton::toggled, this,
            [this](bool on) { plot().setValueScale(on ? AxisScale::Log : AxisScale::Linear); });
    connect(&plot(), &CurvePlot::valueScaleChanged, log_,
            [this](AxisScale scale) { log_->setChecked(scale == AxisScale::Log); });
    connect(smoothing_, qOverload<int>(&QSpinBox::valueChanged), this, [this](int steps) {
        plot().setSmoothing(steps);
        showCaption();
    });
    return head;
}

void ComparedCurves::setRuns(const std::vector<CurveRun>& runs) {
    runs_ = runs;
    due_.clear();
    for (const CurveRun& run : runs_) due_.insert(run.run);
    std::erase_if(offers_, [this](const auto& known) { return !due_.contains(known.first); });
    reading_.cancel();
    readNextOffers();
    if (!panel_->setCurves({runs_, {metric_.kind()}, CurveSubject::Means::OfGroups})) panel_->refresh();
    light();  // last: the runs before are not drawn in the colours of these
}

void ComparedCurves::setMetric(const CurveMetric& metric) {
    if (metric == metric_) return;
    metric_ = metric;
    plot().resetZoom();
    fillChoice();
    panel_->setCurves({runs_, {metric_.kind()}, CurveSubject::Means::OfGroups});
}

void ComparedCurves::setChosen(const std::vector<RunPointer>& runs) {
    chosen_.clear();
    for (const auto& run : runs) chosen_.push_back(studio_.colours().orderOf(run->record.groupKey));
    light();
}

void ComparedCurves::light() {
    std::vector<int> orders;
    const auto take = [&](int order) {
        const bool isDrawn = std::any_of(runs_.begin(), runs_.end(), [&](const CurveRun& run) { return run.order == order; });
        if (isDrawn && std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(order);
    };
    for (const int order : chosen_) take(order);
    for (const CurveRun& run : runs_) take(run.order);
    if (orders.size() > kRunColourNames.size()) orders.resize(kRunColourNames.size());
    lit_ = {orders.begin(), orders.end()};
    panel_->setLit(lit_);
}

/// Asks what the runs of one database have.
void ComparedCurves::readNextOffers() {
    if (due_.empty()) return;
    asked_ = due_.begin()->database;
    std::vector<RunRef> runs;
    for (const RunRef& run : due_)
        if (run.database == asked_) runs.push_back(run);
    std::erase_if(due_, [this](const RunRef& run) { return run.database == asked_; });
    reading_.ask(studio_.databases().reader(asked_), [runs = std::move(runs)](storage::RunQuery& query) {
        Offers offers;
        for (const RunRef& run : runs) offers.emplace(run, readOffer(query, run.id));
        return offers;
    });
}

void ComparedCurves::takeOffers(Result<Offers> offers) {
    const QString database = QString::number(asked_);
    if (offers) {
        reported_.succeeded(database);
        for (auto& [run, offer] : *offers) offers_[run] = std::move(offer);
    } else if (reported_.isNew(database, offers.problem())) {
        studio_.report(offers.problem());
    }
    if (!due_.empty()) return readNextOffers();
    fillChoice();
    showCaption();
}

void ComparedCurves::fillChoice() {
    std::vector<MetricOffer> offers;
    for (const auto& [run, offer] : offers_) offers.push_back(offer);
    std::vector<CurveMetric> metrics = metricsOf(offers);
    if (std::find(metrics.begin(), metrics.end(), metric_) == metrics.end()) metrics.insert(metrics.begin(), metric_);
    bool isSame = choice_->count() == int(metrics.size());
    for (int i = 0; isSame && i < choice_->count(); ++i) isSame = choice_->itemData(i) == metrics[std::size_t(i)].id();
    if (!isSame) {
        choice_->clear();
        for (const CurveMetric& metric : metrics) choice_->addItem(metric.title(), metric.id());
    }
    choice_->setCurrentIndex(choice_->findData(metric_.id()));
}

void ComparedCurves::showDrawn() {
    const CurveSet& drawn = panel_->drawn();
    plot().setDecimals(metric_.decimals());
    legend_->setCurves(drawn.curves);
    fitLegend();
    if (!drawn.curves.isEmpty()) problem_.clear();
    if (!drawn.curves.isEmpty())
        panel_->setPlaceholder({}, {});
    else if (runs_.empty())
        panel_->setPlaceholder(tr("No run is ticked"),
                               tr("Tick runs in the table to draw their curves here (Space ticks what is selected)."));
    else
        panel_->setPlaceholder(tr("No curves"),
                               problem_.isEmpty() ? tr("The ticked runs have no values of this metric yet.") : problem_);
    showCaption();
}

/// Leaves two thirds of the room to the plot: a longer legend is scrolled.
void ComparedCurves::fitLegend() { legendRoom_->setFixedHeight(std::min(legend_->heightForWidth(width()), height() / 3)); }

void ComparedCurves::resizeEvent(QResizeEvent*) { fitLegend(); }

/// Of what is drawn; empty if it is not known.
QString ComparedCurves::unit() const {
    std::set<QString> units;
    for (const auto& [run, offer] : offers_)
        if (const auto found = offer.units.find(metric_.name); found != offer.units.end())
            units.insert(found->second.begin(), found->second.end());
    return QStringList(units.begin(), units.end()).join(QStringLiteral("; "));
}

void ComparedCurves::showCaption() {
    const CurveSet& drawn = panel_->drawn();
    const QString unit = this->unit();
    const bool isSeries = metric_.source != SeriesId::Source::Evaluations;
    plot().setValueTitle(unit.isEmpty() ? metric_.title() : QStringLiteral("%1 (%2)").arg(metric_.title(), unit));
    QStringList parts;
    if (!unit.isEmpty() && !drawn.curves.isEmpty()) parts << unit;
    if (drawn.means > 0) parts << tr("mean and range of the seeds, single seeds thin");
    if (!drawn.curves.isEmpty() && drawn.curves.first().weight == LineWeight::Muted)
        parts << tr("%1 groups in colour, the rest grey; selected rows first").arg(lit_.size());
    if (drawn.missing > 0)
        parts << tr("%1 of %Ln run(s) without such values", nullptr, int(runs_.size())).arg(count(drawn.missing));
    if (isSeries) parts << tr("means of stretches of steps");
    if (isSeries && smoothing_->value() > 0) parts << tr("smoothed over %1 steps").arg(count(smoothing_->value()));
    setWindowTitle(parts.isEmpty() ? tr("Curves") : tr("Curves · %1").arg(parts.join(QStringLiteral(" · "))));
}

void ComparedCurves::saveSession(QSettings& settings) const {
    settings.setValue(kMetric, metric_.id());
    settings.setValue(kOutliers, ignoreOutliers_->isChecked());
}

void ComparedCurves::restoreSession(const QSettings& settings) {
    if (const QString metric = settings.value(kMetric).toString(); !metric.isEmpty()) setMetric(CurveMetric::fromId(metric));
    ignoreOutliers_->setChecked(settings.value(kOutliers, true).toBool());
}

}  // namespace heddle::ui
