// SPDX-License-Identifier: GPL-3.0-or-later
// Shares of weights near zero, by groups of modules.
#pragma once

#include "ui/data/run_detail.h"
#include "ui/plot/bar_plot.h"

#include <map>

namespace heddle::ui {

/// Thresholds as the series' names write them; the third is shown first.
inline constexpr std::array<const char*, 4> kThresholds{"0", "0.0001", "0.001", "0.01"};

struct Sparsity {
    Step step = 0;                         ///< when the shares were recorded
    std::map<std::string, double> shares;  ///< by module path; "" is the whole model
    Step spacing = 0;                      ///< from one record to the next
};

/// The newest shares at or before `step`; nothing if none were recorded by then.
std::optional<Sparsity> readSparsity(storage::RunQuery& query, const RunDetail& detail, const std::string& threshold,
                                     Step step);

/// The shares of another run to compare at `step`. Nothing if its next ones would have been due by then, or if it ended before.
std::optional<Sparsity> readSparsityBeside(storage::RunQuery& query, const RunDetail& detail, const std::string& threshold,
                                           Step step);

/// "encoder.adjuster" for "encoder.layers.0.self.adjuster", "embedding" for "embed.source", "head" for "head".
std::string groupOf(const std::string& path);

/// Parameters by module path; empty when the vocabulary or a block is not known.
std::map<std::string, std::int64_t> parametersOf(const RunDetail& detail);

struct Group {
    std::string name;
    double share = 0;
};
struct Grouped {
    std::vector<Group> groups;  ///< in model order; "whole model" alone when modules were not recorded
    bool weighted = true;       ///< by parameters; false: plain means of the modules
};
Grouped grouped(const Sparsity& sparsity, const std::map<std::string, std::int64_t>& parameters);

}  // namespace heddle::ui
