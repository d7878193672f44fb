// SPDX-License-Identifier: Apache-2.0
#include "app/study/step_times.h"

#include "engine/run/attempt_facts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace heddle::app {
namespace {

/// The least share of an attempt's time with the same number of runs at once. For a moment, between the end of one run and the
/// start of the next, there is one less.
constexpr double kShareOfOneTime = 0.95;

constexpr const char* kTrainAlone =
    "delete that first run (heddle runs delete) and give the study again without --jobs; or leave the control out";

std::string placeOf(const storage::AttemptRecord& attempt, const AttemptFacts& facts) {
    std::string place = attempt.device;
    if (!facts.deviceName.empty()) place += fmt::format(" ({})", facts.deviceName);
    place += fmt::format(" of host {}, {} thread{}", attempt.host, attempt.threads, attempt.threads == 1 ? "" : "s");
    if (facts.runsAtOnce && facts.runsAtOnce->runs > 1) place += fmt::format(", {} runs at once", facts.runsAtOnce->runs);
    return place;
}

/// Why the steps of an attempt have no one time, or empty.
std::string runsAtOnceProblem(const AttemptFacts& facts) {
    const auto& atOnce = facts.runsAtOnce;
    if (atOnce && atOnce->share < kShareOfOneTime)
        return fmt::format("was trained with {} to {} runs at once, so that its steps have no one time", atOnce->least,
                           atOnce->most);
    if (atOnce || facts.jobs <= 1) return {};
    return fmt::format("was trained with up to {} runs at once, and no record says how many there were", facts.jobs);
}

}  // namespace

StepTimes stepTimesOf(storage::RunQuery& query, const storage::RunRecord& run) {
    StepTimes times;
    times.steps = run.step;
    for (const storage::AttemptRecord& attempt : query.attempts(run.id)) {
        const AttemptFacts facts = attemptFacts(attempt.context);
        const std::string place = placeOf(attempt, facts);
        if (!times.place.empty() && times.place != place)
            times.problem = fmt::format("was trained in parts, on {} and on {}", times.place, place);
        times.place = place;
        const std::string problem = runsAtOnceProblem(facts);
        if (problem.empty()) continue;
        times.problem = problem;
        times.next = kTrainAlone;
    }
    double sum = 0;
    std::int64_t count = 0;
    for (const auto& point : query.points(run.id, "step_seconds", "", 2, run.step)) {
        if (!std::isfinite(point.value)) continue;
        sum += point.value;
        ++count;
    }
    if (count > 0 && sum > 0)
        times.seconds = sum / double(count);
    else
        times.problem = "has no recorded times of steps", times.next.clear();
    return times;
}

}  // namespace heddle::app
