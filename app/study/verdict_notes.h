// SPDX-License-Identifier: Apache-2.0
// What a number of a verdict is: its test, n and assumptions, for whoever points at it (tooltips, titles) and below tables.
#pragma once

#include "engine/analysis/study.h"

#include <string>

namespace heddle::app {

/// A sentence or two for each number of a row; empty for a number that the row does not have.
struct NumberNotes {
    std::string value, difference, interval, p, equivalence, correlation, signFlip, ranks, smallest, items;
};

NumberNotes numberNotes(const Study& study, const StudyVerdict& verdict, const RowVerdict& row);

/// "Mean ± standard deviation (n − 1) …": of the values of any row.
std::string spreadNote(const Study& study);

/// What the study's test assumes of its runs.
std::string assumptionWords(const Study& study);

}  // namespace heddle::app
