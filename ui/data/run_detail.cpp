// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_detail.h"

#include "engine/base/json.h"
#include "engine/run/attempt_facts.h"
#include "engine/run/run_state.h"
#include "ui/data/exposures.h"

#include <algorithm>
#include <iterator>

namespace heddle::ui {
namespace {

void readContext(RunDetail& detail) {
    if (detail.attempts.empty()) return;
    const AttemptFacts facts = attemptFacts(detail.attempts.back().context);
    detail.stepsPerEpoch = facts.stepsPerEpoch;
    detail.vocabSource = facts.vocabSource;
    detail.vocabTarget = facts.vocabTarget;
    detail.classes = facts.classes;
}

/// Keeps `steps` ascending and without duplicates: two attempts may have the same step.
void insertStep(std::vector<Step>& steps, Step step) {
    const auto place = std::lower_bound(steps.begin(), steps.end(), step);
    if (place == steps.end() || *place != step) steps.insert(place, step);
}

void readMaps(storage::RunQuery& query, const RunDetail& before, RunDetail& detail) {
    const auto added = query.mapsSince(detail.record.ref.id, before.mapsRead);
    if (!added.isComplete) detail.maps = before.maps;
    for (const auto& map : added.snapshots) insertStep(detail.maps[{map.name, map.path}][map.probe], map.step);
    detail.mapsRead = added.place;
}

void readHistograms(storage::RunQuery& query, const RunDetail& before, RunDetail& detail) {
    const auto added = query.histogramsSince(detail.record.ref.id, before.histogramsRead);
    if (!added.isComplete) detail.histograms = before.histograms;
    for (const auto& histogram : added.snapshots)
        if (exposureOf({histogram.name, histogram.path}))
            insertStep(detail.histograms[{histogram.name, histogram.path}], histogram.step);
    detail.histogramsRead = added.place;
}

std::vector<int> snapshotStepsOf(const RunDetail& detail) {
    std::vector<int> all;
    const auto add = [&all](const std::vector<Step>& steps) {  // most sites have equal steps
        std::vector<int> both;
        std::set_union(all.begin(), all.end(), steps.begin(), steps.end(), std::back_inserter(both));
        all = std::move(both);
    };
    for (const auto& [site, probes] : detail.maps)
        for (const auto& [probe, steps] : probes) add(steps);
    for (const auto& [site, steps] : detail.histograms) add(steps);
    std::vector<Step> validated;  // sparsity and samples are recorded then
    for (const auto& row : detail.evaluations)
        if (row.split == "valid" && (validated.empty() || validated.back() < row.step)) validated.push_back(row.step);
    add(validated);
    return all;
}

CurveEvent resumption(const storage::AttemptRecord& attempt) {
    CurveEvent flag{attempt.firstStep, EventKind::Resumed, {}};
    if (attempt.replay == "equal")
        flag.text = RunDatabase::tr("resumed; %1 of %1 replayed steps equal").arg(attempt.replayedSteps);
    else if (attempt.replay == "different") {
        flag.text = RunDatabase::tr("resumed; replayed steps differ");
        flag.kind = EventKind::Gap;
    } else {
        flag.text = RunDatabase::tr("resumed at step %1").arg(attempt.firstStep);
    }
    return flag;
}

std::shared_ptr<const Measurement> measurementIn(const storage::RunQuery::Item& item) {
    if (item.damaged) return nullptr;
    try {
        return std::make_shared<const Measurement>(Measurement::parse(parseJson(item.body, item.key)));
    } catch (const std::exception&) {  // of a newer program
        return nullptr;
    }
}

void readMeasurements(storage::RunQuery& query, const RunDetail& before, RunDetail& detail) {
    for (const auto& item : query.items(Measurement::kind(detail.record.id))) {
        const auto known = before.measurementsRead.find(item.key);
        const bool isSame = known != before.measurementsRead.end() && known->second.first == item.rev;
        auto measurement = isSame ? known->second.second : measurementIn(item);
        if (measurement) detail.measurements.push_back(measurement);
        detail.measurementsRead[item.key] = {item.rev, std::move(measurement)};
    }
}

}  // namespace

std::shared_ptr<const RunDetail> readDetail(storage::RunQuery& query, const RunRef& ref,
                                            const std::shared_ptr<const RunDetail>& before) {
    const std::string& run = ref.id;
    auto record = query.run(run);
    if (!record) return nullptr;
    auto detail = std::make_shared<RunDetail>();
    detail->record = Run(std::move(*record), ref.database);
    setGroup(detail->record, query);
    detail->attempts = query.attempts(run);
    detail->evaluations = query.evaluations(run);
    detail->checkpoints = query.checkpoints(run);
    detail->events = query.events(run);
    detail->series = query.series(run);
    const RunDetail nothing{};
    const RunDetail& earlier = before ? *before : nothing;
    readMaps(query, earlier, *detail);
    readHistograms(query, earlier, *detail);
    readContext(*detail);
    readMeasurements(query, earlier, *detail);
    detail->snapshotSteps = snapshotStepsOf(*detail);
    return detail;
}

std::shared_ptr<const Series> RunDetail::evaluated(const std::string& split, const std::string& metric, double factor) const {
    auto rows = std::make_shared<Series>();
    for (const auto& row : evaluations)
        if (row.split == split && row.metric == metric && (rows->size() == 0 || row.step > rows->range().last))
            rows->append(row.step, row.value * factor);
    return rows;
}

std::optional<Counted> RunDetail::counted(const std::string& metric) const {
    for (const char* split : {"valid", "train", "test"})
        for (const auto& row : evaluations)
            if (row.split == split && row.metric == metric) return countedBy(metric, row.signature);
    return std::nullopt;
}

std::optional<double> RunDetail::evaluatedAt(const std::string& split, const std::string& metric, Step step) const {
    const auto row = endedBefore(step) ? std::nullopt : evaluated(split, metric, 1)->lastBy(step);
    if (!row) return std::nullopt;
    const auto found = std::find_if(evaluations.begin(), evaluations.end(), [&](const auto& evaluation) {
        return evaluation.step == row->step && evaluation.split == split && evaluation.metric == metric;
    });
    return found->value;  // as stored: a Series rounds it
}

bool RunDetail::endedBefore(Step step) const {
    const auto state = runStateFromName(record.state);
    const Step last = evaluations.empty() ? record.step : std::max<Step>(record.step, evaluations.back().step);
    return (!state || isFinal(*state)) && step > last;
}

std::optional<std::int64_t> RunDetail::epochOf(Step step) const {
    if (stepsPerEpoch <= 0) return std::nullopt;
    return step <= 0 ? 0 : (step + stepsPerEpoch - 1) / stepsPerEpoch;
}

std::optional<Step> RunDetail::bestStep() const {
    std::optional<Step> best;
    for (const auto& checkpoint : checkpoints)
        if (checkpoint.kind == "best") best = checkpoint.step;
    return best;
}

QList<CurveEvent> RunDetail::flags() const {
    QList<CurveEvent> all;
    for (const auto& attempt : attempts)
        if (attempt.attempt > 1) all.append(resumption(attempt));
    // A failure before a later attempt is in the log only.
    const storage::EventRecord* failure = record.state == "failed" ? lastEvent("failure") : nullptr;
    if (failure) all.append({failure->step, EventKind::Failure, QString::fromStdString(failure->text)});
    for (const auto& event : events) {
        if (event.kind == "gap") all.append({event.step, EventKind::Gap, QString::fromStdString(event.text)});
        if (event.kind == kInterventionEvent)
            all.append({event.step, EventKind::Intervention, QString::fromStdString(event.text)});
    }
    return all;
}

std::optional<InterventionsAt> RunDetail::interventions() const {
    const storage::EventRecord* last = lastEvent(kInterventionEvent);
    if (!last) return std::nullopt;
    try {
        return readInterventionsAt(last->step, last->data);
    } catch (const std::exception&) {  // a damaged row; the log shows it
        return std::nullopt;
    }
}

const storage::EventRecord* RunDetail::lastEvent(const std::string& kind) const {
    const auto last = std::find_if(events.rbegin(), events.rend(), [&](const auto& event) { return event.kind == kind; });
    return last == events.rend() ? nullptr : &*last;
}

std::optional<Step> stepAtOrBefore(const std::vector<Step>& steps, Step step) {
    if (steps.empty()) return std::nullopt;
    const auto after = std::upper_bound(steps.begin(), steps.end(), step);
    return after == steps.begin() ? *after : *(after - 1);
}

}  // namespace heddle::ui
