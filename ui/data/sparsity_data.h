// SPDX-License-Identifier: GPL-3.0-or-later
// Shares of weights near zero, by groups of modules.
#pragma once

#include "engine/analysis/module_groups.h"
#include "ui/data/run_detail.h"
#include "ui/plot/bar_plot.h"

#include <map>

namespace heddle::ui {

/// Thresholds as in the names of series; the third is the default.
inline constexpr std::array<const char*, 4> kThresholds{"0", "0.0001", "0.001", "0.01"};

struct Sparsity {
    Step step = 0;                         ///< when the shares were recorded
    std::map<std::string, double> shares;  ///< by module path; "" is the whole model
    Step spacing = 0;                      ///< from one record to the next
};

/// The newest shares at or before `step`; nothing if none were recorded by then.
std::optional<Sparsity> readSparsity(storage::RunQuery& query, const RunDetail& detail, const std::string& threshold,
                                     Step step);

/// The shares of a compared run at `step`; nothing if its next ones were due by then or if it ended before.
std::optional<Sparsity> readSparsityBeside(storage::RunQuery& query, const RunDetail& detail, const std::string& threshold,
                                           Step step);

/// Parameters by module path; empty when the vocabulary or a block is not known.
std::map<std::string, std::int64_t> parametersOf(const RunDetail& detail);

}  // namespace heddle::ui
