// SPDX-License-Identifier: Apache-2.0
#include "app/study/item_outputs.h"

#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/base/split.h"
#include "engine/data/readers/text_file.h"
#include "engine/metrics/chrf.h"
#include "engine/metrics/classification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

/// Labels and predictions of a table of heddle classify --predictions.
struct Predictions {
    std::string path;
    std::vector<std::string> labels, predicted;
    std::vector<std::string> classes;  ///< in the task's order
};

Predictions predictionsIn(const std::string& path) {
    const std::vector<std::string> lines = readTextFile(path).lines;
    const std::vector<std::string> head = lines.empty() ? std::vector<std::string>() : splitAt(lines.front(), '\t');
    const auto column = [&](const char* name) {
        const auto found = std::find(head.begin(), head.end(), name);
        if (found == head.end())
            throwInvalid(fmt::format("the table has no column {}", name), path,
                         "give a table of heddle classify --predictions for labelled examples, or a reference first");
        return std::size_t(found - head.begin());
    };
    const std::size_t label = column("label"), prediction = column("prediction");
    Predictions read{path, {}, {}, {}};
    for (const std::string& name : head)
        if (name.starts_with("p:")) read.classes.push_back(name.substr(2));
    if (read.classes.empty())
        throwInvalid("the table does not contain classes", path, "accuracy and F1 need the predictions of a classifier");
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string> cells = splitAt(lines[i], '\t');
        if (cells.size() <= std::max(label, prediction))
            throwInvalid("a row has too few columns", fmt::format("{}, line {}", path, i + 1), "write the table again");
        read.labels.push_back(cells[label]);
        read.predicted.push_back(cells[prediction]);
    }
    return read;
}

void requireEqualCount(std::size_t count, std::size_t wanted, const std::string& path, const std::string& first) {
    if (count == 0) throwInvalid("no items in the file", path, "give the outputs of a variant for a test set");
    if (count != wanted)
        throwInvalid(fmt::format("the file has {} items, but {} has {}", count, first, wanted), path,
                     "give outputs for the same test set");
}

/// Reads the table of a file. Throws Error(InvalidInput) if it does not belong to the same test set as the first one.
Predictions sameItems(const std::string& path, const Predictions& first) {
    Predictions own = predictionsIn(path);
    requireEqualCount(own.labels.size(), first.labels.size(), path, first.path);
    for (std::size_t i = 0; i < own.labels.size(); ++i)
        if (own.labels[i] != first.labels[i])
            throwInvalid("the label of an item differs from that in " + first.path, fmt::format("{}, line {}", path, i + 2),
                         "give outputs for the same test set");
    return own;
}

/// Returns the places of `names` among the classes of a table.
std::vector<std::int64_t> classesOf(const std::vector<std::string>& names, const Predictions& table) {
    std::vector<std::int64_t> numbers;
    for (const std::string& name : names) {
        const auto found = std::find(table.classes.begin(), table.classes.end(), name);
        if (found == table.classes.end())
            throwInvalid(fmt::format("\"{}\" is not one of the classes {}", printable(name),
                                     printable(fmt::format("{}", fmt::join(table.classes, ", ")))),
                         fmt::format("{}, line {}", table.path, numbers.size() + 2),
                         "give a table of heddle classify --predictions that has this class");
        numbers.push_back(found - table.classes.begin());
    }
    return numbers;
}

ItemMeasure accuracyMeasure(const Predictions& first) {
    return {"accuracy", "accuracy", metricSignature("acc", {}, std::ssize(first.labels)), ratioMetric(),
            [first](const std::string& path) {
                const Predictions own = sameItems(path, first);
                ItemTerms terms;
                for (std::size_t i = 0; i < own.labels.size(); ++i)
                    terms.insert(terms.end(), {own.predicted[i] == own.labels[i] ? 1.0 : 0.0, 1});
                return terms;
            }};
}

/// F1 as `heddle evaluate` computes it: with two classes the F1 of the second one, else the macro average.
ItemMeasure f1Measure(const Predictions& first) {
    ClassificationOptions options;
    options.names = first.classes;
    if (options.names.size() == 2) options.positive = 1;
    const ConfusionMatrix matrix(std::ssize(options.names), classesOf(first.labels, first), classesOf(first.predicted, first));
    return {"f1", options.positive ? "F1 of " + printableExcerpt(first.classes.back(), 20) : "macro F1",
            classificationValues(matrix, options)[1].signature, f1Metric(options), [first, options](const std::string& path) {
                const Predictions own = sameItems(path, first);
                if (own.classes != first.classes)
                    throwInvalid("the classes of the table differ from those of " + first.path, path,
                                 "give outputs of classifiers with the same classes in the same order");
                return f1Terms(classesOf(own.labels, own), classesOf(own.predicted, own), options);
            }};
}

std::vector<std::string> outputsFor(const TextFile& reference, const std::string& path) {
    std::vector<std::string> lines = readTextFile(path).lines;
    requireEqualCount(lines.size(), reference.lines.size(), path, reference.path);
    return lines;
}

TextFile referenceOf(const TextOutputs& outputs) {
    TextFile reference = readTextFile(outputs.reference);
    if (outputs.items > 0 && outputs.items < reference.lines.size()) reference.lines.resize(outputs.items);
    return reference;
}

ItemMeasure bleuMeasure(const TextOutputs& outputs) {
    const TextFile reference = referenceOf(outputs);
    const BleuScore first = corpusBleu(outputsFor(reference, outputs.first), reference.lines, outputs.options);
    return {"bleu", "BLEU", first.signature, bleuMetric(first.smooth),
            [reference, options = outputs.options](const std::string& path) {
                return bleuTerms(corpusBleu(outputsFor(reference, path), reference.lines, options).sentences);
            }};
}

ItemMeasure chrfMeasure(const TextOutputs& outputs) {
    const TextFile reference = referenceOf(outputs);
    ChrfOptions options;
    options.lowercase = outputs.options.lowercase;
    const ChrfScore first = corpusChrf(outputsFor(reference, outputs.first), reference.lines, options);
    return {"chrf", "chrF", first.value.signature, chrfMetric(options), [reference, options](const std::string& path) {
                return chrfTerms(outputsFor(reference, path), reference.lines, options);
            }};
}

}  // namespace

ItemMeasure textMeasure(const std::string& metric, const TextOutputs& outputs) {
    if (metric.empty() || metric == "bleu") return bleuMeasure(outputs);
    if (metric == "chrf") return chrfMeasure(outputs);
    throwUsage("texts with a reference are scored by bleu or chrf", "--metric " + metric,
               "choose one of them, or remove --metric");
}

ItemMeasure tableMeasure(const std::string& metric, const std::string& first) {
    if (metric.empty() || metric == "accuracy") return accuracyMeasure(predictionsIn(first));
    if (metric == "f1") return f1Measure(predictionsIn(first));
    throwUsage("tables of predictions are scored by accuracy or f1", "--metric " + metric,
               "choose one of them, or remove --metric");
}

}  // namespace heddle::app
