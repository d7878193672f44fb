// SPDX-License-Identifier: Apache-2.0
#include "app/study/step_times.h"

#include "app/study/attempt_context.h"
#include "engine/base/json.h"
#include "engine/run/event_words.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

namespace heddle::app {
namespace {

/// The least share of an attempt's time with the same number of runs at once. For a moment, between the end of one run and the
/// start of the next, there is one less.
constexpr double kShareOfOneTime = 0.95;

constexpr const char* kTrainAlone =
    "delete that first run (heddle runs delete) and give the study again without --jobs; or leave the control out";

std::string placeOf(const storage::AttemptRecord& attempt, const Json& context) {
    std::string place = attempt.device;
    if (const Json name = context.value("device_name", Json()); name.is_string() && !name.get<std::string>().empty())
        place += fmt::format(" ({})", name.get<std::string>());
    place += fmt::format(" of host {}, {} thread{}", attempt.host, attempt.threads, attempt.threads == 1 ? "" : "s");
    if (const auto atOnce = runsAtOnceIn(context); atOnce && atOnce->runs > 1)
        place += fmt::format(", {} runs at once", atOnce->runs);
    return place;
}

/// Why the steps of an attempt have no one time, or empty. Its context says how many runs at once were asked for ("jobs") and,
/// once it has ended, how many there were ("runs_at_once").
std::string runsAtOnceProblem(const Json& context) {
    const auto atOnce = runsAtOnceIn(context);
    if (atOnce && atOnce->share < kShareOfOneTime)
        return fmt::format("was trained with {} to {} runs at once, so that its steps have no one time", atOnce->least,
                           atOnce->most);
    const Json jobs = context.value("jobs", Json());
    if (atOnce || !jobs.is_number_integer() || jobs <= 1) return {};
    return fmt::format("was trained with up to {} runs at once, and no record says how many there were",
                       jobs.get<std::int64_t>());
}

}  // namespace

StepTimes stepTimesOf(storage::RunQuery& query, const storage::RunRecord& run) {
    StepTimes times;
    times.steps = run.step;
    for (const storage::AttemptRecord& attempt : query.attempts(run.id)) {
        const Json context = contextOf(attempt);
        const std::string place = placeOf(attempt, context);
        if (!times.place.empty() && times.place != place)
            times.problem = fmt::format("was trained in parts, on {} and on {}", times.place, place);
        times.place = place;
        const std::string problem = runsAtOnceProblem(context);
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
