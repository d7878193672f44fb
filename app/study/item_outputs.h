// SPDX-License-Identifier: Apache-2.0
// What each item of a test set adds to the sums of a metric, read from the outputs of a variant in files, one for each seed.
#pragma once

#include "engine/analysis/item_metric.h"
#include "engine/metrics/bleu.h"

#include <cstddef>
#include <functional>
#include <string>

namespace heddle::app {

/// How each file is measured.
struct ItemMeasure {
    std::string name;       ///< "f1"
    std::string title;      ///< "F1 of yes"
    std::string signature;  ///< of the first file
    ItemMetric metric;
    /// Returns the terms of a file's items. Throws Error(InvalidInput) if the file cannot be read or does not belong to the
    /// test set of the first one.
    std::function<ItemTerms(const std::string& path)> termsOf;
};

/// Files of texts, one sentence a line, and the file of their references.
struct TextOutputs {
    std::string reference;     ///< path
    std::string first;         ///< path of the first file of outputs
    std::size_t items = 0;     ///< how many of the first lines of the reference are used; 0: all
    BleuOptions options = {};  ///< chrF uses only `lowercase` of them
};

/// Returns the measure of texts. `metric` is "bleu" or "chrf"; empty means "bleu". Throws Error(Usage) for another metric, and
/// Error(InvalidInput) for files that cannot be read or have unequal numbers of lines.
ItemMeasure textMeasure(const std::string& metric, const TextOutputs& outputs);

/// Returns the measure of tables of `heddle classify --predictions`. `metric` is "accuracy" or "f1" (the F1 of the second of
/// two classes, else the macro average); empty means "accuracy". `first` is the path of the first table. Throws the same
/// errors.
ItemMeasure tableMeasure(const std::string& metric, const std::string& first);

}  // namespace heddle::app
