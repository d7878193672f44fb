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

/// Which differences so many seeds show, by how runs scatter that differ in their seeds alone.
struct Detectable {
    double deviation = 0;
    std::size_t runs = 0;
    std::size_t earlierGroups = 0;  ///< of the runs' groups; 0: they are the baseline's own
};

/// By the baseline's own runs where there are kFewestOwn of them; else by `earlier`.
std::optional<Detectable> detectableBy(const SeedValues& baseline, const std::optional<NoiseFloor>& earlier);
inline constexpr std::size_t kFewestOwn = 3;

std::string detectableText(const Study& study, const Detectable& by);
/// The member "detectable" of "heddle.study-plan/1".
Json detectableDocument(const Study& study, const Detectable& by);

}  // namespace heddle::app
