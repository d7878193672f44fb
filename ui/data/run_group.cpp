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

}  // namespace heddle::ui
