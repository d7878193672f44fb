// SPDX-License-Identifier: GPL-3.0-or-later
// The group of a run (engine/analysis/run_group.h), as the window knows it.
#pragma once

#include "ui/data/run_database.h"

namespace heddle::ui {

/// Sets the keys of a run that has been read. On the reader thread.
void setGroup(Run& run, storage::RunQuery& query);

/// What decides whether the run counts in its group.
GroupMember memberOf(const storage::RunRecord& run);

}  // namespace heddle::ui
