// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// "charpos": the score that a widely copied PyTorch implementation calls BLEU. Words are paired by position, each pair gives
/// character 1- to 4-grams, sums are taken over the pairs of one sentence. It is not corpus BLEU: it exists to be compared with
/// tables that may have used it.
struct CharposScore {
    double score = 0;  ///< 0 … 100: 100 · exp(min(0, 1 − r/c) + mean of log precisions); 0 if any statistic is 0
    std::array<std::int64_t, 4> matches{}, totals{};
    std::int64_t hypothesisCharacters = 0, referenceCharacters = 0;
};

/// One sentence. Words beyond the end of the shorter side are ignored. A character is a Unicode code point.
CharposScore charpos(const std::vector<std::string>& hypothesis, const std::vector<std::string>& reference);

}  // namespace heddle
