// SPDX-License-Identifier: Apache-2.0
// The tables of a report, for every format of table_export.h.
#pragma once

#include "app/study/report.h"
#include "engine/analysis/table_export.h"

#include <optional>
#include <string>

namespace heddle::app {

/// A row for each row of the study, the baseline first where the study has it first; the note says which test, what the
/// intervals hold and what is not covered.
ExportedTable verdictTable(const StudyReport& report);

/// Along the curves: area, band and how soon the baseline's last value is reached. Nothing where no row has a curve.
std::optional<ExportedTable> alongTable(const StudyReport& report);

/// A row for each run that has begun: where it was trained, how long, and its value with all digits.
ExportedTable runsTable(const StudyReport& report);

}  // namespace heddle::app
