// SPDX-License-Identifier: Apache-2.0
// Everything that people read of a run database, as lines of text: to compare a damaged file with the one it was.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace heddle::storage {

struct Reading {
    std::set<std::string> lines;        ///< a line for each record that was shown as whole, with every value of it
    std::vector<std::string> overview;  ///< of every curve
    std::vector<std::string> damages;   ///< what was reported as damaged or missing, or could not be read at all
};

/// Reads a whole database through RunQuery. An error is one of the damages, never thrown.
Reading readEverything(const std::string& file);

/// What a reading shows that is neither as it was nor said to be damaged; empty: nothing is false.
std::string firstFalsehood(const Reading& before, const Reading& after);

}  // namespace heddle::storage
