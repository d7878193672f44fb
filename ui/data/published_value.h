// SPDX-License-Identifier: GPL-3.0-or-later
// What papers print for the value of a run that `heddle reproduce` made: its recipe says which printed number stands beside
// which measurement, and how the run differs from the paper. Of other runs nothing is known.
#pragma once

#include "engine/analysis/study.h"
#include "storage/records.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

struct PublishedValue {
    double value = 0;                  ///< as our metric is stored: a share from 0 to 1
    std::string printed;               ///< with the unit and the digits of the paper: "82.90%"
    std::string source;                ///< paper, table, row, column
    std::string reading;               ///< which measurement of ours the recipe puts beside it; empty: there is only one
    std::vector<std::string> differs;  ///< from the paper, by its recipe; whole sentences
    bool isQuick = false;              ///< of the small version, whose values are not to be put beside the printed ones
    bool operator==(const PublishedValue&) const = default;
};

/// Whether `heddle reproduce` made the run.
bool isReproduced(const storage::RunRecord& run);

/// For any thread; reads a recipe once. Nothing: no recipe of this program made the run, or its paper prints no such value.
/// Throws Error for a spec or a recipe that cannot be read.
std::optional<PublishedValue> publishedValue(const storage::RunRecord& run, const StudyMetric& metric);

}  // namespace heddle::ui
