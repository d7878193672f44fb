// SPDX-License-Identifier: Apache-2.0
#include "app/reports/efficiency.h"

#include "engine/analysis/metric_summary.h"
#include "engine/base/json.h"
#include "engine/run/attempt_facts.h"
#include "engine/run/run_state.h"
#include "engine/spec/run_spec.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace heddle::app {
namespace {

/// A time in a run: seconds since an attempt began.
struct Moment {
    std::int64_t attempt = 0;
    double seconds = 0;
};

struct Interval {
    double begin = 0, end = 0;
    bool isClosed = false;
};

/// Intervals in state running, by attempt.
class RunningTime {
public:
    RunningTime(const std::vector<storage::EventRecord>& events, const std::vector<storage::AttemptRecord>& attempts) {
        std::map<std::int64_t, double> lengths;
        for (const auto& attempt : attempts) lengths[attempt.attempt] = attempt.seconds;
        const std::string running(name(RunState::Running));
        for (const auto& event : events) {
            if (event.kind != "state" || !lengths.contains(event.attempt)) continue;
            auto& intervals = byAttempt_[event.attempt];
            const bool isOpen = !intervals.empty() && !intervals.back().isClosed;
            if (event.text == running) {
                // The interval of a killed attempt ends at its last record.
                intervals.push_back({event.seconds, lengths[event.attempt]});
            } else if (isOpen && event.seconds > intervals.back().begin) {  // ignores events of the next owner, at 0 seconds
                intervals.back().end = event.seconds;
                intervals.back().isClosed = true;
            }
        }
    }

    double total() const { return until({std::numeric_limits<std::int64_t>::max(), 0}); }
    double until(const Moment& moment) const {
        double sum = 0;
        for (const auto& [attempt, intervals] : byAttempt_) {
            if (attempt > moment.attempt) break;
            for (const Interval& one : intervals)
                sum += std::max(0.0, (attempt < moment.attempt ? one.end : std::min(one.end, moment.seconds)) - one.begin);
        }
        return sum;
    }

private:
    std::map<std::int64_t, std::vector<Interval>> byAttempt_;
};

/// Seconds of the test split's evaluations; every metric of an evaluation repeats its seconds.
double testSeconds(const std::vector<storage::EvaluationRecord>& evaluations) {
    std::map<std::pair<std::int64_t, std::int64_t>, double> seconds;
    for (const auto& e : evaluations)
        if (e.split == "test") seconds[{e.attempt, e.step}] = e.seconds;
    double sum = 0;
    for (const auto& [key, one] : seconds) sum += one;
    return sum;
}

/// Steps per epoch of the newest attempt that records it; 0: none.
std::int64_t stepsPerEpoch(const std::vector<storage::AttemptRecord>& attempts) {
    std::int64_t steps = 0;
    for (const auto& attempt : attempts)
        if (const AttemptFacts facts = attemptFacts(attempt.context); facts.stepsPerEpoch > 0) steps = facts.stepsPerEpoch;
    return steps;
}

/// The metric that selects the best checkpoint.
std::string stopMetric(const storage::RunRecord& run) {
    const Json spec = Json::parse(run.spec, nullptr, false);
    const Json::json_pointer at("/train/early_stopping/metric");
    return spec.is_object() && spec.contains(at) ? spec.at(at).get<std::string>() : TrainSpec().stopMetric;
}

/// The end of an evaluation. Evaluations have no time of their own; the engine emits a memory event after each.
std::optional<Moment> endOf(const storage::EvaluationRecord& evaluation, const std::vector<storage::EventRecord>& events) {
    for (const auto& event : events)
        if (event.kind == "memory" && event.attempt == evaluation.attempt && event.step == evaluation.step)
            return Moment{event.attempt, event.seconds};
    return std::nullopt;
}

}  // namespace

Efficiency efficiencyOf(storage::RunQuery& query, const storage::RunRecord& run) {
    const auto attempts = query.attempts(run.id);
    const auto events = query.events(run.id);
    auto evaluations = query.evaluations(run.id);
    const RunningTime running(events, attempts);
    Efficiency efficiency;
    efficiency.seconds = run.seconds;
    efficiency.trainingSeconds = std::max(0.0, running.total() - testSeconds(evaluations));
    if (const std::int64_t steps = stepsPerEpoch(attempts); steps > 0 && run.step > 0)
        efficiency.secondsPerEpoch = efficiency.trainingSeconds * static_cast<double>(steps) / static_cast<double>(run.step);

    efficiency.bestMetric = stopMetric(run);
    std::erase_if(evaluations, [&](const auto& e) { return e.split != "valid" || e.metric != efficiency.bestMetric; });
    // A damaged evaluation might be the best one, so there is no best then.
    const bool isDamaged = std::any_of(evaluations.begin(), evaluations.end(), [](const auto& e) { return e.damaged; });
    if (evaluations.empty() || isDamaged) return efficiency;
    const std::int64_t best = summariseMetric(evaluations).bestStep;
    efficiency.stepsToBest = best;
    const auto evaluation = std::find_if(evaluations.begin(), evaluations.end(), [&](const auto& e) { return e.step == best; });
    if (const auto end = endOf(*evaluation, events)) efficiency.secondsToBest = running.until(*end);
    return efficiency;
}

Json efficiencyDocument(const Efficiency& efficiency) {
    return {{"seconds", efficiency.seconds},
            {"training_seconds", efficiency.trainingSeconds},
            {"seconds_per_epoch", orNull(efficiency.secondsPerEpoch)},
            {"best_metric", efficiency.bestMetric},
            {"steps_to_best", orNull(efficiency.stepsToBest)},
            {"seconds_to_best", orNull(efficiency.secondsToBest)}};
}

}  // namespace heddle::app
