// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Returns the nearest of `known` by edit distance, ignoring case, if it is plausibly meant, else an empty text.
std::string didYouMean(const std::string& word, const std::vector<std::string>& known);

/// Returns the word of didYouMean() in a question, `did you mean "x"?`, or an empty text.
std::string nearestHint(const std::string& word, const std::vector<std::string>& known);

/// Advice for an unknown word: `did you mean "x"? Known: …`; only the list when nothing is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace heddle
