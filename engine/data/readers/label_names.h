// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/readers/examples.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What a label says, however it is written: without white space around it, single spaces within, and a whole number without
/// ".0", which pandas appends where a column has gaps. Labels that say the same are one class.
std::string plainLabel(std::string_view label);

/// The labels that occur, by what they say: plainLabel() and the spellings found.
std::map<std::string, std::set<std::string>> labelSpellings(const std::vector<Example>& examples);

/// The name of a class: its only spelling, or plainLabel() of several.
const std::string& className(const std::pair<const std::string, std::set<std::string>>& label);

/// Tells of each class that is written in several ways; empty: there is none.
std::vector<std::string> spellingNotes(const std::vector<Example>& examples);

}  // namespace heddle
