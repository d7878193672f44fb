// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/study.h"

#include <string>

namespace heddle::app {

/// "heddle.verdict/1": every number with the test that it is of.
Json verdictDocument(const Study& study, const StudyVerdict& verdict);

/// The same for people: what was asked, a row for each variant, what was left out, and what the numbers do not cover.
std::string verdictText(const Study& study, const StudyVerdict& verdict);

/// Which differences so many seeds show, by the scatter of the baseline's runs; empty where there are not three of them yet.
std::string detectableText(const Study& study, const SeedValues& baseline);

}  // namespace heddle::app
