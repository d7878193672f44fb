// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/replay_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace heddle::app {

ReplayCheck::ReplayCheck(Recorded earlier) {
    for (const auto& [key, points] : earlier)
        if (!points.empty()) lastRecorded_ = std::max(lastRecorded_, points.back().first);
    earlier_ = std::make_shared<const Recorded>(std::move(earlier));
}

ReplayCheck ReplayCheck::load(storage::RunQuery& query, const std::string& run, std::int64_t attempt,
                              std::int64_t resumedFrom) {
    Recorded recorded;
    for (const auto& key : query.series(run)) {
        if (!key.deterministic) continue;
        std::map<std::int64_t, std::uint32_t> bits;
        // Oldest first, so that values of newer attempts replace older ones.
        for (std::int64_t earlier = 1; earlier < attempt; ++earlier)
            for (const auto& point : query.pointsOfAttempt(run, earlier, key.name, key.path, resumedFrom + 1,
                                                           std::numeric_limits<std::int64_t>::max()))
                bits[point.step] = std::bit_cast<std::uint32_t>(point.value);
        if (!bits.empty()) recorded[{key.name, key.path}].assign(bits.begin(), bits.end());
    }
    return ReplayCheck(std::move(recorded));
}

void ReplayCheck::compare(const SeriesBlock& series) {
    if (!earlier_ || series.values.empty() || !series.deterministic) return;
    const auto last = series.firstStep + series.stride * static_cast<std::int64_t>(series.values.size() - 1);
    lastSeen_ = std::max(lastSeen_, last);
    const auto found = earlier_->find({series.name, series.path});
    if (found == earlier_->end()) return;

    const auto& points = found->second;
    auto place = std::lower_bound(points.begin(), points.end(), std::pair{series.firstStep, std::uint32_t{0}});
    for (; place != points.end() && place->first <= last; ++place) {
        const std::int64_t offset = place->first - series.firstStep;
        if (offset % series.stride != 0) continue;
        const float now = series.values[static_cast<std::size_t>(offset / series.stride)];
        compared_.insert(place->first);
        if (std::bit_cast<std::uint32_t>(now) != place->second && firstDifference_.empty())
            firstDifference_ =
                fmt::format("step {}, {}{}{}: {} recorded, {} now", place->first, series.name,
                            series.path.empty() ? "" : " of ", series.path, std::bit_cast<float>(place->second), now);
    }
}

std::optional<ReplayCheck::Verdict> ReplayCheck::conclude(Moment moment) {
    if (!earlier_ || (moment == Moment::Running && lastSeen_ < lastRecorded_)) return std::nullopt;
    earlier_.reset();
    const auto steps = static_cast<std::int64_t>(compared_.size());
    if (!firstDifference_.empty())
        return Verdict{"different", steps, "the resumed run differs from what was recorded: " + firstDifference_};
    if (steps == 0) return Verdict{"nothing to compare", 0, "resumed; no step was recorded beyond the checkpoint"};
    return Verdict{"equal", steps, fmt::format("resume verified: {} step{} equal", steps, steps == 1 ? "" : "s")};
}

}  // namespace heddle::app
