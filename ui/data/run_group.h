// SPDX-License-Identifier: GPL-3.0-or-later
// The group of a run (engine/analysis/run_group.h), as the window knows it.
#pragma once

#include "ui/data/run_database.h"

#include <map>
#include <string>

namespace heddle::ui {

/// Sets the keys of a run that has been read. On the reader thread.
void setGroup(Run& run, storage::RunQuery& query);

/// What decides whether the run counts in its group.
GroupMember memberOf(const storage::RunRecord& run);

/// The groups of runs whose data have not been read yet: that of the newest run with the same plan. Of one database.
class PlannedGroups {
public:
    void add(const Run& run);
    /// The key of the run's group; plannedKey while no such run has begun.
    std::string of(const Run& run) const;

private:
    std::map<std::string, std::pair<double, std::string>> newest_;  ///< by plan: when it was made, its group
};

}  // namespace heddle::ui
