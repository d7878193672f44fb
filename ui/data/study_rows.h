// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/study/study_runs.h"
#include "ui/data/run_facts.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace heddle::ui {

/// Where the runs of a study's rows are in the table of runs.
struct RowsInTable {
    std::map<std::string, std::string> groups;                     ///< key of each row's group, by the name of the row
    std::map<std::pair<std::string, std::uint64_t>, RunRef> runs;  ///< by row and seed

    /// RunRef() if there is none.
    RunRef run(const std::string& row, std::uint64_t seed) const;
};

/// `database`: the number of the study's database.
RowsInTable rowsInTable(const RunTable& table, const app::StudyRuns& runs, int database);

}  // namespace heddle::ui
