// SPDX-License-Identifier: GPL-3.0-or-later
// The run table as it leaves the program.
#pragma once

#include "engine/analysis/table_export.h"
#include "ui/panels/table/arrangement.h"

namespace heddle::ui {

/// For spreadsheets and scripts: a line for each of `runs`, in the C locale with full digits, every metric with its step, n and
/// signature. `comparison` fills the columns of values and differences, as stored; null: they are empty.
ExportedTable runsTable(const std::vector<RunPointer>& runs, const std::vector<Column>& columns,
                        const StudyComparison* comparison = nullptr);
/// For papers: the rows as the screen shows them, every metric as mean ± standard deviation with its number of seeds.
ExportedTable groupsTable(const Arrangement& arrangement);
/// The table for a file of this format: groupsTable() for Markdown and LaTeX, else runsTable() of every run that is shown.
std::string exportOf(const Arrangement& arrangement, TableFormat format);

}  // namespace heddle::ui
