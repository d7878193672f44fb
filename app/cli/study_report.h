// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/study.h"

#include <string>

namespace heddle::app {

/// "heddle.verdict/1": every number with the test that it is of.
Json verdictDocument(const Study& study, const StudyVerdict& verdict);

/// The same for people, in few lines: what was asked, a line for each of a few variants (a table for more), what was left out,
/// the test and what the numbers do not cover. What else is known of them is in the document and in the report.
std::string verdictText(const Study& study, const StudyVerdict& verdict);

/// Which differences so many seeds show, by the scatter of the baseline's runs; empty where there are not three of them yet.
std::string detectableText(const Study& study, const SeedValues& baseline);

}  // namespace heddle::app
