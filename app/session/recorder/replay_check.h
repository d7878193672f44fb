// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"
#include "storage/run_query.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

/// Compares the replayed steps of a resumed attempt bit by bit with earlier records, for all series flagged deterministic. A
/// value type, cheap to copy, so that a failed transaction can be undone.
class ReplayCheck {
public:
    /// Recorded values of one series as bit patterns, in order of step.
    using Recorded = std::map<std::pair<std::string, std::string>, std::vector<std::pair<std::int64_t, std::uint32_t>>>;

    ReplayCheck() = default;  ///< not a resume; no verdict
    explicit ReplayCheck(Recorded earlier);

    /// Loads values recorded by attempts before `attempt` after step `resumedFrom`; for each step of the newest attempt that
    /// has it.
    static ReplayCheck load(storage::RunQuery& query, const std::string& run, std::int64_t attempt, std::int64_t resumedFrom);

    /// Compares values of the new attempt. Ignores series that are not deterministic or were not recorded before.
    void compare(const SeriesBlock& series);

    struct Verdict {
        std::string replay;  ///< "equal" | "different" | "nothing to compare"
        std::int64_t steps = 0;
        std::string text;  ///< for users: "resume verified: 57 steps equal"
    };
    /// Returns the verdict once, after the last recorded step or at the end of the attempt.
    enum class Moment { Running, AttemptEnded };
    std::optional<Verdict> conclude(Moment moment);

private:
    std::shared_ptr<const Recorded> earlier_;  ///< null: no check, or concluded
    std::int64_t lastRecorded_ = 0, lastSeen_ = 0;
    std::set<std::int64_t> compared_;
    std::string firstDifference_;
};

}  // namespace heddle::app
