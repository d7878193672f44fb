// SPDX-License-Identifier: Apache-2.0
#include "app/study/step_times.h"

#include "engine/base/json.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::app {
namespace {

std::string placeOf(const storage::AttemptRecord& attempt) {
    const Json context = Json::parse(attempt.context, nullptr, false);
    const auto fact = [&](const char* key) { return context.is_object() ? context.value(key, Json()) : Json(); };
    std::string place = attempt.device;
    if (const Json name = fact("device_name"); name.is_string() && !name.get<std::string>().empty())
        place += fmt::format(" ({})", name.get<std::string>());
    place += fmt::format(" of host {}, {} thread{}", attempt.host, attempt.threads, attempt.threads == 1 ? "" : "s");
    if (const Json jobs = fact("jobs"); jobs.is_number_integer() && jobs > 1)
        place += fmt::format(", {} runs at once", jobs.get<std::int64_t>());
    return place;
}

}  // namespace

StepTimes stepTimesOf(storage::RunQuery& query, const storage::RunRecord& run) {
    StepTimes times;
    times.steps = run.step;
    for (const storage::AttemptRecord& attempt : query.attempts(run.id)) {
        const std::string place = placeOf(attempt);
        if (!times.place.empty() && times.place != place)
            times.problem = fmt::format("was trained in parts, on {} and on {}", times.place, place);
        times.place = place;
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
        times.problem = "has no recorded times of steps";
    return times;
}

}  // namespace heddle::app
