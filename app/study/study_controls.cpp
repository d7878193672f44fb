// SPDX-License-Identifier: Apache-2.0
// StudyRuns: how large the rows are that the study makes itself, and how long they train.
#include "app/study/control_rows.h"
#include "app/study/step_times.h"
#include "app/study/study_runs.h"

#include <algorithm>
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

/// Takes the numbers of steps of controls matched in time back.
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

/// The run whose steps stand for the row's: of its trials, then of its seeds, the first that has not failed, and of those that
/// were trained again the oldest, so that no later run changes it. Empty: it has not ended; nothing: all failed.
std::optional<std::string> StudyRuns::timedRun(const std::string& row) const {
    for (const auto* runs : {&trials_, &planned_})
        for (const PlannedRun& run : *runs)
            if (nameOfRow(run) == row && !run.hasFailed()) return run.first;
    return {};
}

/// Gives the controls matched in time their number of steps once all runs that tell it have ended.
bool StudyRuns::learnTimes(storage::RunQuery& query) {
    std::map<std::string, StepTimes> times;
    const auto learn = [&](const std::string& row) {
        const auto id = timedRun(row);
        const auto run = id && !id->empty() ? query.run(*id) : std::nullopt;
        if (run) times[row] = stepTimesOf(query, *run);
        if (!id) times[row].problem = "is not there: all of its runs failed";
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
