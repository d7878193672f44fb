// SPDX-License-Identifier: Apache-2.0
// Alignments between the words of a sentence and of its translation.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// A source word and a target word, both counted from 0.
using WordLink = std::pair<std::int64_t, std::int64_t>;

/// The links that annotators gave a pair of sentences.
struct GoldAlignment {
    std::set<WordLink> sure;
    std::set<WordLink> possible;  ///< contains the sure ones
};

/// Reads one pair of sentences in the Pharaoh format: "0-0 1-2 2?2", source first; "?" or "p" in place of "-" marks a link that
/// is only possible. Throws Error(InvalidInput) naming `where` and the link that cannot be read.
GoldAlignment parseAlignment(const std::string& line, const std::string& where);

/// Sums over sentences for the alignment error rate.
struct AlignmentCounts {
    std::int64_t links = 0;          ///< |A|: predicted
    std::int64_t sure = 0;           ///< |S|
    std::int64_t sureFound = 0;      ///< |A ∩ S|
    std::int64_t possibleFound = 0;  ///< |A ∩ P|

    void add(const std::set<WordLink>& predicted, const GoldAlignment& gold);
    /// AER = 1 − (|A ∩ S| + |A ∩ P|) ÷ (|A| + |S|) (Och and Ney 2003, Computational Linguistics 29(1), section 4), 0 … 1; NaN
    /// without links.
    double errorRate() const;
};

}  // namespace heddle
