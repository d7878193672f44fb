// SPDX-License-Identifier: Apache-2.0
// StudyRuns: how large the rows are that the study makes itself, and how long they train.
#include "app/study/control_rows.h"
#include "app/study/step_times.h"
#include "app/study/study_runs.h"
#include "engine/base/contains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace heddle::app {

bool StudyRuns::isSized(const std::string& row) const {
    return std::none_of(controls_.begin(), controls_.end(),
                        [&](const ControlSize& control) { return control.row == row && control.isAssumed; });
}

bool StudyRuns::isUntimed(const std::string& row) const {
    return std::any_of(controls_.begin(), controls_.end(), [&](const ControlSize& control) {
        return control.row == row && control.match == ControlMatch::Time && control.steps == 0;
    });
}

/// Sizes all controls anew; those matched in time lose their numbers of steps.
void StudyRuns::sizeRows(const AssumedVocabulary& assumed, bool isKnown) {
    controls_ = sizeControls(study_, assumed, isKnown, file_);
    areSizesKnown_ = isKnown;
}

/// Sizes the controls anew once a run of the baseline has read its data.
bool StudyRuns::learnSizes(storage::RunQuery& query) {
    if (areSizesKnown_ || controls_.empty()) return false;
    for (const auto* runs : {&trials_, &planned_})
        for (const PlannedRun& run : *runs) {
            if (run.id.empty() || nameOfRow(run) != study_.baseline) continue;
            if (const auto sizes = sizesFoundBy(query, run.id)) {
                sizeRows(*sizes, true);
                return true;
            }
        }
    return false;
}

/// The run whose steps stand for the row's: of the trials of the values that were asked for, then of its seeds, the first that
/// has not failed, and of those that were trained again the oldest. A value by which the grid is extended comes later and is no
/// first one, though it may be the lowest. Empty: it has not ended; nothing: all failed.
std::optional<std::string> StudyRuns::timedRun(const std::string& row) const {
    const auto isAskedFor = [&](const Trial& trial) {
        const Tuning& tuning = *study_.tuning;
        return tuning.kind != Tuning::Kind::Grid || contains(tuning.values, trial.values.at(tuning.path));
    };
    for (std::size_t i = 0; i < trials_.size(); ++i)
        if (nameOfRow(trials_[i]) == row && !trials_[i].hasFailed() && isAskedFor(trialOf_[i])) return trials_[i].first;
    for (const PlannedRun& run : planned_)
        if (nameOfRow(run) == row && !run.hasFailed()) return run.first;
    return {};
}

/// What to do where all runs of a row failed.
std::string StudyRuns::nextOfFailed(const std::string& row) const {
    const auto run = std::find_if(planned_.begin(), planned_.end(), [&](const PlannedRun& one) {
        return nameOfRow(one) == row && one.hasFailed() && !one.id.empty();
    });
    const std::string id = run == planned_.end() ? "RUN" : run->id;
    return fmt::format(
        "heddle runs show {0} tells why; heddle resume {0} tries it again, then give the study again; or leave the "
        "control out",
        id);
}

/// Gives the controls matched in time their number of steps once all runs that tell it have ended.
bool StudyRuns::learnTimes(storage::RunQuery& query) {
    std::map<std::string, StepTimes> times;
    const auto learn = [&](const std::string& row) {
        if (times.contains(row)) return true;
        const auto id = timedRun(row);
        const auto run = id && !id->empty() ? query.run(*id) : std::nullopt;
        if (run) times[row] = stepTimesOf(query, *run);
        if (!id) times[row].problem = "is missing: all of its runs failed";
        if (!id) times[row].next = nextOfFailed(row);
        return !id || run;
    };
    const auto untimed = [&] {
        return std::count_if(study_.rows.begin(), study_.rows.end(), [&](const PlanRow& row) { return isUntimed(row.name); });
    };
    const auto before = untimed();
    if (before == 0) return false;
    for (const ControlSize& control : controls_)
        if (control.match == ControlMatch::Time && (!learn(study_.baseline) || !learn(control.of))) return false;
    setTimes(study_, controls_, times);
    return untimed() < before;
}

}  // namespace heddle::app
