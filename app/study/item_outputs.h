// SPDX-License-Identifier: Apache-2.0
// Outputs of a variant for a test set in files, one file for each seed: what each item adds to the sums of a metric.
#pragma once

#include "engine/analysis/item_metric.h"
#include "engine/metrics/bleu.h"

#include <cstddef>
#include <functional>
#include <string>

namespace heddle::app {

/// What is measured of each file.
struct ItemMeasure {
    std::string name;       ///< "f1"
    std::string title;      ///< "F1 of yes"
    std::string signature;  ///< of the first file
    ItemMetric metric;
    /// Throws Error(InvalidInput) for a file that cannot be read or is not of the first one's test set.
    std::function<ItemTerms(const std::string& path)> termsOf;
};

/// Files of texts, a sentence a line, beside their references.
struct TextOutputs {
    std::string reference;     ///< path
    std::string first;         ///< path of the first file of outputs
    std::size_t items = 0;     ///< the first so many lines of the reference; 0: all
    BleuOptions options = {};  ///< chrF takes the case from it
};

/// Of texts. `metric`: "bleu" or "chrf"; empty: BLEU. Throws Error(Usage) for another one, Error(InvalidInput) for files that
/// cannot be read or have unequal numbers of lines.
ItemMeasure textMeasure(const std::string& metric, const TextOutputs& outputs);

/// Of tables of `heddle classify --predictions`, `first` the path of the first. `metric`: "accuracy" or "f1" (of the second of
/// two classes, else macro); empty: accuracy. Throws likewise.
ItemMeasure tableMeasure(const std::string& metric, const std::string& first);

}  // namespace heddle::app
