// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_group.h"

namespace heddle::ui {

void setGroup(Run& run, storage::RunQuery& query) {
    run.plannedKey = run.damaged ? "damaged " + run.id : plannedKey(run.spec);  // nobody knows what it was
    if (run.damaged) {
        run.groupKey = run.plannedKey;
        return;
    }
    run.groupKey = groupKey(run.spec, run.runHash, [&] {
        const auto attempts = query.attempts(run.id);
        return attempts.empty() ? std::vector<std::string>() : dataHashesIn(attempts.back().context);
    });
}

GroupMember memberOf(const storage::RunRecord& run) {
    return {run.id, run.seed, run.created, run.state == "completed", run.intervened >= 0};
}

void PlannedGroups::add(const Run& run) {
    if (run.runHash.empty()) return;
    const auto [place, isNew] = newest_.try_emplace(run.plannedKey, run.created, run.groupKey);
    if (!isNew && place->second.first < run.created) place->second = {run.created, run.groupKey};
}

std::string PlannedGroups::of(const Run& run) const {
    if (!run.runHash.empty()) return run.groupKey;
    const auto found = newest_.find(run.plannedKey);
    return found == newest_.end() ? run.plannedKey : found->second.second;
}

}  // namespace heddle::ui
