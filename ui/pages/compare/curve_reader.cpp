// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/curve_reader.h"

#include "engine/analysis/mean_curve.h"
#include "ui/pages/compare/columns.h"
#include "ui/text/units.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

namespace heddle::ui {
namespace {

constexpr std::int64_t kBuckets = 2000;
const QString kSeries = QStringLiteral("series:"), kPath = QStringLiteral("/");

/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::CurveReader)
};

/// Series of single modules would make the list long; `heddle runs gradients` shows them.
bool isOffered(const storage::RunQuery::SeriesKey& series) {
    const std::string& path = series.path;
    const auto layers = path.find(".layers.");
    const bool isStack = path == "encoder" || path == "decoder";
    return path.empty() || isStack || (layers != std::string::npos && path.find('.', layers + 8) == std::string::npos);
}

bool isShare(const std::string& series) { return series == "accuracy"; }

std::vector<Row> rowsOf(storage::RunQuery& query, const CurveMetric& metric, const std::string& run,
                        const std::vector<storage::EvaluationRecord>& evaluations) {
    std::vector<Row> rows;
    if (metric.source == CurveMetric::Source::Series) {
        const double scale = isShare(metric.name) ? 100 : 1;
        for (const auto& bucket :
             query.overview(run, metric.name, metric.path, 0, std::numeric_limits<std::int64_t>::max(), kBuckets))
            rows.push_back({bucket.lastStep, scale * bucket.mean});
        return rows;
    }
    const double scale = metricScale(metric.name);
    for (const auto& e : evaluations)
        if (e.split + "." + e.metric == metric.name) rows.push_back({e.step, scale * e.value});
    return rows;
}

/// The units as the signatures say them; of a training series those of the evaluations with its name.
std::set<QString> unitsOf(const CurveMetric& metric, const std::vector<storage::EvaluationRecord>& evaluations) {
    std::set<QString> units;
    for (const auto& e : evaluations)
        if (metric.source == CurveMetric::Source::Series ? e.metric == metric.name : e.split + "." + e.metric == metric.name)
            units.insert(unitText(countedBy(e.metric, e.signature)));
    units.erase(QString());
    return units;
}

std::shared_ptr<const Series> seriesOf(const std::vector<Row>& rows) {
    Series series;
    for (const auto& row : rows) series.append(row.step, row.value);
    return shared(std::move(series));
}

/// Mean and range at the steps that all runs have.
void addMean(Curve& curve, const std::vector<std::vector<Row>>& runs) {
    std::vector<std::vector<std::pair<double, double>>> curves(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (const Row& row : runs[i]) curves[i].emplace_back(double(row.step), row.value);
    auto mean = std::make_shared<Series>(), low = std::make_shared<Series>(), high = std::make_shared<Series>();
    for (const MeanPoint& point : meanCurve(curves)) {
        mean->append(Step(point.x), point.mean);
        low->append(Step(point.x), point.low);
        high->append(Step(point.x), point.high);
    }
    curve.rows = mean;
    curve.low = low;
    curve.high = high;
}

/// Those of the runs at `places`, all of one group, that make its mean.
std::vector<std::size_t> countedAmong(const std::vector<CurveRequest>& requests, const std::vector<std::size_t>& places) {
    std::vector<GroupMember> members;
    for (const std::size_t place : places) members.push_back(requests[place].member);
    std::vector<std::size_t> counted;
    for (const std::size_t i : countedRuns(members)) counted.push_back(places[i]);
    return counted;
}

}  // namespace

QString CurveMetric::id() const {
    QString text = QString::fromStdString(name);
    if (source == Source::Evaluations) return text;
    return kSeries + text + (path.empty() ? QString() : kPath + QString::fromStdString(path));
}

CurveMetric CurveMetric::fromId(const QString& id) {
    if (!id.startsWith(kSeries)) return {Source::Evaluations, id.toStdString(), {}};
    const QString name = id.mid(kSeries.size()).section(kPath, 0, 0), path = id.section(kPath, 1);
    return {Source::Series, name.toStdString(), path.toStdString()};
}

QString CurveMetric::title() const {
    if (source == Source::Evaluations) return metricTitle(name);
    if (name == "loss") return Words::tr("Train loss, every step");
    if (name == "accuracy") return Words::tr("Train accuracy, every step, %");
    if (name == "grad_norm" && !path.empty()) return Words::tr("Gradient norm of %1").arg(QString::fromStdString(path));
    if (name == "grad_norm") return Words::tr("Gradient norm");
    if (name == "lr") return Words::tr("Learning rate");
    if (name == "tokens_per_second") return Words::tr("Tokens per second");
    if (name == "step_seconds") return Words::tr("Seconds per step");
    return QString::fromStdString(name);
}

int CurveMetric::decimals() const {
    if (source == Source::Evaluations) return metricDecimals(name);
    if (name == "lr" || name == "step_seconds") return 5;
    return name == "tokens_per_second" ? 0 : isShare(name) ? 1 : 3;
}

RunValues readValues(storage::RunQuery& query, const CurveMetric& metric, const std::string& run) {
    const auto evaluations = query.evaluations(run);
    RunValues values{rowsOf(query, metric, run, evaluations), unitsOf(metric, evaluations), {}};
    std::map<std::string, std::set<std::int64_t>> steps;
    for (const auto& e : evaluations) steps[e.split + "." + e.metric].insert(e.step);
    for (const auto& [name, at] : steps)
        if (at.size() > 1) values.metrics.insert(name);  // one point is no curve
    for (const auto& series : query.series(run))
        if (isOffered(series) && series.points > 1)
            values.metrics.insert(CurveMetric{CurveMetric::Source::Series, series.name, series.path}.id().toStdString());
    return values;
}

CurveSet curvesOf(const std::vector<CurveRequest>& requests, const std::vector<RunValues>& values) {
    CurveSet set;
    std::map<std::string, std::vector<std::size_t>> byGroup;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (values[i].rows.empty())
            ++set.missing;
        else
            byGroup[requests[i].group].push_back(i);
    }
    for (auto& [group, places] : byGroup) places = countedAmong(requests, places);
    int id = 0;
    std::map<std::string, qsizetype> first;  // curve of each group
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (values[i].rows.empty()) continue;
        const auto& seeds = byGroup[requests[i].group];
        Curve curve;
        curve.id = id++;
        curve.label = requests[i].label;
        curve.order = requests[i].order;
        curve.weight = seeds.size() > 1 ? LineWeight::Seed : curve.order == 0 ? LineWeight::Baseline : LineWeight::Normal;
        curve.inLegend = first.emplace(requests[i].group, set.curves.size()).second;
        curve.rows = seriesOf(values[i].rows);
        set.curves << curve;
    }
    for (const auto& [group, seeds] : byGroup) {
        if (seeds.size() < 2) continue;
        Curve curve;
        curve.id = id++;
        curve.order = requests[seeds.front()].order;
        curve.weight = curve.order == 0 ? LineWeight::Baseline : LineWeight::Normal;
        curve.label = Words::tr("%1, mean of %2").arg(requests[seeds.front()].groupLabel).arg(seeds.size());
        std::vector<std::vector<Row>> ofGroup;
        for (const auto seed : seeds) ofGroup.push_back(values[seed].rows);
        addMean(curve, ofGroup);
        if (curve.rows->size() < 2) continue;  // the runs were not evaluated at the same steps
        set.curves[first[group]].inLegend = false;
        set.curves << curve;
        ++set.means;
    }
    return set;
}

std::vector<CurveMetric> metricsOf(const std::vector<RunValues>& values) {
    static const std::array<const char*, 9> kFirst{"valid.loss",      "valid.accuracy",   "valid.bleu",
                                                   "train.loss",      "series:loss",      "train.accuracy",
                                                   "series:accuracy", "series:grad_norm", "series:lr"};
    std::set<std::string> found;
    for (const RunValues& one : values) found.insert(one.metrics.begin(), one.metrics.end());
    std::vector<CurveMetric> metrics;
    for (const char* id : kFirst)
        if (found.erase(id) > 0) metrics.push_back(CurveMetric::fromId(QString::fromLatin1(id)));
    for (const auto& id : found) metrics.push_back(CurveMetric::fromId(QString::fromStdString(id)));
    return metrics;
}

}  // namespace heddle::ui
