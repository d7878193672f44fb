// SPDX-License-Identifier: Apache-2.0
// All that users can read of a run database, as lines of text, to compare a damaged file with the original.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace heddle::storage {

struct Reading {
    std::set<std::string> lines;        ///< one for each record that was not reported as damaged, with all its values
    std::vector<std::string> overview;  ///< of every curve
    std::vector<std::string> damages;   ///< what was reported as damaged or missing, or could not be read at all
};

/// Reads a whole database through RunQuery. An error is one of the damages, never thrown.
Reading readEverything(const std::string& file);

/// The first difference of `after` from `before` that is not reported as damage; empty: none.
std::string firstFalsehood(const Reading& before, const Reading& after);

}  // namespace heddle::storage
