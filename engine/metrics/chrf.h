// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/metric.h"

#include <array>
#include <string>
#include <vector>

namespace heddle {

struct ChrfOptions {
    int characterOrder = 6;
    int wordOrder = 0;        ///< 0: chrF; 2: chrF++
    bool lowercase = false;   ///< both sides, before anything else
    bool whitespace = false;  ///< white space counts as characters
};

struct ChrfScore {
    MetricValue
        value;  ///< "chrf" or "chrf++", 0 … 100; signature "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:heddle-…"
    std::vector<std::array<std::int64_t, 3>> statistics;  ///< n-grams of {hypotheses, references, both}; characters, then words
};

/// Corpus chrF2 with one reference (Popović 2015, 2017), equal to sacreBLEU 2.x without eps smoothing to 1e-9. A character is a
/// code point. Throws Error(InvalidInput) for unequal numbers of sentences, for none, and for orders outside 1 … 10 and 0 … 10.
ChrfScore corpusChrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                     const ChrfOptions& options);

/// chrF2, 0 … 100, of ChrfScore::statistics or of sums of such.
double chrfOf(const std::vector<std::array<std::int64_t, 3>>& statistics);

}  // namespace heddle
