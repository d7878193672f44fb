// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/curve_panel.h"

#include "engine/analysis/mean_curve.h"

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

/// Mean and range at the steps that all runs have.
void addMean(Curve& curve, const std::vector<std::shared_ptr<const Series>>& runs) {
    std::vector<std::vector<std::pair<double, double>>> curves(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (std::int64_t row = 0; row < runs[i]->size(); ++row)
            curves[i].emplace_back(double(runs[i]->at(row).step), runs[i]->at(row).value);
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

/// Those of the runs at `places`, all of one group, that are in the mean of the group.
std::vector<std::size_t> countedAmong(const std::vector<CurveRun>& runs, const std::vector<std::size_t>& places) {
    std::vector<GroupMember> members;
    for (const std::size_t place : places) members.push_back(runs[place].member);
    std::vector<std::size_t> counted;
    for (const std::size_t i : countedRuns(members)) counted.push_back(places[i]);
    return counted;
}

Curve curveOf(const CurveRun& run) {
    Curve curve;
    curve.label = run.label;
    curve.order = run.order;
    curve.weight = run.order == 0 ? LineWeight::Baseline : LineWeight::Normal;
    return curve;
}

bool isSameLine(const Curve& a, const Curve& b) {
    return a.id == b.id && a.label == b.label && a.order == b.order && a.weight == b.weight && a.rule == b.rule &&
           a.inLegend == b.inLegend;
}

}  // namespace

CurveSet curvesOf(const std::vector<CurveRun>& runs, const std::vector<std::shared_ptr<const Series>>& rows) {
    CurveSet set;
    std::map<std::string, std::vector<std::size_t>> byGroup;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (rows[i]->size() == 0)
            ++set.missing;
        else
            byGroup[runs[i].group].push_back(i);
    }
    for (auto& [group, places] : byGroup) places = countedAmong(runs, places);
    std::map<std::string, qsizetype> first;  // curve of each group
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (rows[i]->size() == 0) continue;
        Curve curve = curveOf(runs[i]);
        curve.id = int(i);
        if (byGroup[runs[i].group].size() > 1) curve.weight = LineWeight::Seed;
        curve.inLegend = first.emplace(runs[i].group, set.curves.size()).second;
        curve.rows = rows[i];
        set.curves << curve;
    }
    for (const auto& [group, seeds] : byGroup) {
        if (seeds.size() < 2) continue;
        Curve curve = curveOf(runs[seeds.front()]);
        curve.id = int(runs.size()) + set.means;
        curve.label = CurvePanel::tr("%1, mean of %2").arg(runs[seeds.front()].groupLabel).arg(seeds.size());
        std::vector<std::shared_ptr<const Series>> ofGroup;
        for (const auto seed : seeds) ofGroup.push_back(rows[seed]);
        addMean(curve, ofGroup);
        if (curve.rows->size() < 2) continue;  // the runs were not evaluated at the same steps
        set.curves[first[group]].inLegend = false;
        set.curves << curve;
        ++set.means;
    }
    return set;
}

CurvePanel::CurvePanel(const QString& title, Databases& databases, QWidget* parent)
    : Panel(title, parent), plot_(new CurvePlot(this)), series_(databases, this) {
    plot_->setAccessibleName(title);
    setBody(plot_, {plot_});
    connect(&series_, &SeriesStore::changed, this, [this] {
        isStale_ = true;
        draw();
    });
    connect(&series_, &SeriesStore::settled, this, [this] {
        if (isStale_) draw();
    });
    connect(&series_, &SeriesStore::failed, this, &Panel::failed);
}

bool CurvePanel::setCurves(const CurveSubject& subject) {
    if (subject == subject_) return false;
    subject_ = subject;
    isStale_ = true;
    std::vector<SeriesId> wanted;
    for (std::size_t place = 0; place < subject.runs.size() * subject.kinds.size(); ++place) wanted.push_back(seriesAt(place));
    series_.setWanted(wanted);
    series_.refresh();
    draw();
    return true;
}

void CurvePanel::setLit(const std::optional<std::set<int>>& orders) {
    if (orders == lit_) return;
    lit_ = orders;
    isStale_ = true;
    draw();
}

SeriesId CurvePanel::seriesAt(std::size_t place) const {
    const CurveKind& kind = subject_.kinds[place % subject_.kinds.size()];
    return {subject_.runs[place / subject_.kinds.size()].run, kind.name, kind.path, kind.factor, kind.source};
}

/// The id of a curve is the index of its series: the kinds of the first run, then those of the second, and so on.
CurveSet CurvePanel::curves() const {
    std::vector<std::shared_ptr<const Series>> rows;
    for (std::size_t place = 0; place < subject_.runs.size() * subject_.kinds.size(); ++place)
        rows.push_back(series_.rows(seriesAt(place)));
    if (subject_.means == CurveSubject::Means::OfGroups) {
        CurveSet set = curvesOf(subject_.runs, rows);
        for (Curve& curve : set.curves) curve.smoothed = subject_.kinds.front().source != SeriesId::Source::Evaluations;
        return set;
    }
    CurveSet set;
    for (std::size_t place = 0; place < rows.size(); ++place) {
        const CurveKind& kind = subject_.kinds[place % subject_.kinds.size()];
        Curve curve = curveOf(subject_.runs[place / subject_.kinds.size()]);
        curve.id = int(place);
        curve.label = kind.label.arg(curve.label);
        curve.rule = kind.rule;
        curve.smoothed = kind.source != SeriesId::Source::Evaluations;
        curve.rows = rows[place];
        if (curve.smoothed || curve.rows->size() > 0) set.curves << curve;
    }
    return set;
}

/// A curve whose series only grew keeps its id in the plot, and with it its smoothed values.
void CurvePanel::draw() {
    if (subject_.means == CurveSubject::Means::OfGroups && !series_.isIdle()) return;  // the mean of some seeds would mislead
    isStale_ = false;
    CurveSet set = curves();
    std::map<std::pair<SeriesId, int>, int> ids;
    for (Curve& curve : set.curves) {
        const auto place = std::size_t(curve.id);
        if (place < subject_.runs.size() * subject_.kinds.size()) {
            const std::pair series(seriesAt(place), series_.generation(seriesAt(place)));
            const auto known = ids_.find(series);
            curve.id = ids[series] = known == ids_.end() ? ++lastId_ : known->second;
        } else {
            curve.id = ++lastId_;
        }
        if (!lit_ || lit_->contains(curve.order)) continue;
        curve.weight = LineWeight::Muted;
        curve.low = curve.high = nullptr;
    }
    std::stable_partition(set.curves.begin(), set.curves.end(), [](const Curve& c) { return c.weight == LineWeight::Muted; });
    const CurveSet before = std::exchange(drawn_, std::move(set));
    ids_ = std::move(ids);
    if (std::equal(drawn_.curves.begin(), drawn_.curves.end(), before.curves.begin(), before.curves.end(), isSameLine)) {
        for (qsizetype i = 0; i < before.curves.size(); ++i)
            if (drawn_.curves[i].rows != before.curves[i].rows) plot_->setRows(drawn_.curves[i].id, drawn_.curves[i].rows);
    } else {
        plot_->setCurves(drawn_.curves);
    }
    Q_EMIT drawnChanged();
}

}  // namespace heddle::ui
