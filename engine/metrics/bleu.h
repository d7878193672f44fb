// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Counts of n-grams and words; those of a corpus are the sums of its sentences'.
struct BleuStatistics {
    std::array<std::int64_t, 4> matches{}, totals{};
    std::int64_t hypothesisLength = 0, referenceLength = 0;

    BleuStatistics& operator+=(const BleuStatistics& other);
    BleuStatistics& operator-=(const BleuStatistics& other);
    bool operator==(const BleuStatistics&) const = default;
};

/// Of one sentence, already split.
BleuStatistics bleuStatistics(const std::vector<std::string>& hypothesis, const std::vector<std::string>& reference);

struct BleuScore {
    double bleu = 0;  ///< 0 … 100
    double brevityPenalty = 1;
    std::array<double, 4> precisions{};  ///< percent, after smoothing
    BleuStatistics statistics;
    std::vector<BleuStatistics> sentences;  ///< of every sentence
    std::string smooth;                     ///< BleuOptions::smooth
    std::string signature;                  ///< "nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:heddle-…"
};

struct BleuOptions {
    std::string tokenize = "13a";  ///< 13a | none | char
    std::string smooth = "exp";    ///< exp | none
    bool lowercase = false;
};

/// Corpus BLEU-4 with one reference (Papineni et al. 2002), equal to sacreBLEU 2.x to 1e-9.
BleuScore corpusBleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                     const BleuOptions& options);
/// The same on tokens as given.
BleuScore corpusBleuTokens(const std::vector<std::vector<std::string>>& hypotheses,
                           const std::vector<std::vector<std::string>>& references, const std::string& smooth);

/// BLEU, 0 … 100, of these counts; `smooth` as in BleuOptions.
double bleuOf(const BleuStatistics& statistics, const std::string& smooth);

/// The words of one line as corpusBleu() compares them. Throws Error(InvalidInput) for an unknown tokenization.
std::vector<std::string> bleuWords(const std::string& line, const BleuOptions& options);

/// sacreBLEU's 13a (mteval-v13a) tokenization of one line.
std::vector<std::string> tokenize13a(const std::string& line);

}  // namespace heddle
