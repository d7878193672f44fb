// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/noise_floor.h"
#include "engine/analysis/study.h"

#include <cstddef>
#include <optional>
#include <string>

namespace heddle::app {

/// "heddle.verdict/1": every number with the test that it is of.
Json verdictDocument(const Study& study, const StudyVerdict& verdict);

/// The same for people, in few lines: what was asked, a line for each of a few variants (a table for more), what was left out,
/// the test and what the numbers do not cover. What else is known of them is in the document and in the report.
std::string verdictText(const Study& study, const StudyVerdict& verdict);

/// The scatter of runs that differ in their seeds alone. It tells which differences a number of seeds can show.
struct SeedScatter {
    double deviation = 0;
    std::size_t runs = 0;
    std::size_t earlierGroups = 0;  ///< how many groups of earlier runs; 0: the runs are the baseline's own
};

/// Returns the scatter of the baseline's own runs; nothing if it has fewer than kFewestOwn.
std::optional<SeedScatter> scatterOf(const SeedValues& baseline);
SeedScatter scatterOf(const NoiseFloor& earlier);
inline constexpr std::size_t kFewestOwn = 3;

/// A sentence on the scatter, and a table of the smallest differences that 3 to 20 seeds can show.
std::string detectableText(const Study& study, const SeedScatter& by);
/// The member "detectable" of "heddle.study-plan/1".
Json detectableDocument(const Study& study, const SeedScatter& by);

}  // namespace heddle::app
