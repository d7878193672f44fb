// SPDX-License-Identifier: Apache-2.0
#include "app/cli/comparison.h"

#include "app/cli/terminal.h"
#include "app/study/verdict_words.h"
#include "engine/analysis/two_level.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"
#include "engine/base/split.h"
#include "engine/data/readers/text_file.h"
#include "engine/metrics/bleu.h"
#include "engine/metrics/chrf.h"
#include "engine/metrics/classification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace heddle::app {
namespace {

constexpr const char* kForm = "heddle compare --items [REFERENCE] BASE=FILE,FILE OTHER=FILE,FILE";
constexpr const char* kCovers =
    "covers seeds and test items of the same kind; not other data to train on, and not items of another kind";

struct NamedOutputs {
    std::string name;
    std::vector<std::string> files;  ///< one for each seed
    SeedItems items = {};
    double score = 0;  ///< mean over the files
};

/// Splits the arguments into the reference, empty if there is none, and the outputs.
std::pair<std::string, std::vector<NamedOutputs>> outputsIn(const std::vector<std::string>& arguments) {
    std::string reference;
    std::vector<NamedOutputs> outputs;
    for (const std::string& argument : arguments) {
        const std::size_t equals = argument.find('=');
        if (equals == std::string::npos && &argument == &arguments.front()) {
            reference = argument;
            continue;
        }
        if (equals == std::string::npos || equals == 0)
            throwUsage("not of the form NAME=FILE,FILE", argument, std::string("write ") + kForm);
        std::vector<std::string> files = splitAt(argument.substr(equals + 1), ',');
        if (contains(files, std::string())) throwUsage("empty file name", argument, std::string("write ") + kForm);
        outputs.push_back({argument.substr(0, equals), std::move(files)});
    }
    if (outputs.size() < 2) throwUsage("outputs of two variants are needed", "--items", std::string("write ") + kForm);
    return {reference, outputs};
}

/// What is measured of each file.
struct Measure {
    std::string name;       ///< "f1"
    std::string title;      ///< "F1 of yes"
    std::string signature;  ///< of the first file
    ItemMetric metric;
    std::function<ItemTerms(const std::string& path)> termsOf;
};

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

/// The table of a file, of the same test set as the first one.
Predictions sameItems(const std::string& path, const Predictions& first) {
    Predictions own = predictionsIn(path);
    requireEqualCount(own.labels.size(), first.labels.size(), path, first.path);
    for (std::size_t i = 0; i < own.labels.size(); ++i)
        if (own.labels[i] != first.labels[i])
            throwInvalid("the label of an item differs from that in " + first.path, fmt::format("{}, line {}", path, i + 2),
                         "give outputs for the same test set");
    return own;
}

/// The places of `names` among the classes of a table.
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

Measure accuracyMeasure(const Predictions& first) {
    return {"accuracy", "accuracy", metricSignature("acc", {}, std::ssize(first.labels)), ratioMetric(),
            [first](const std::string& path) {
                const Predictions own = sameItems(path, first);
                ItemTerms terms;
                for (std::size_t i = 0; i < own.labels.size(); ++i)
                    terms.insert(terms.end(), {own.predicted[i] == own.labels[i] ? 1.0 : 0.0, 1});
                return terms;
            }};
}

/// F1 as heddle evaluate has it: of two classes that of the second one, else the macro average.
Measure f1Measure(const Predictions& first) {
    ClassificationOptions options;
    options.names = first.classes;
    if (options.names.size() == 2) options.positive = 1;
    const ConfusionMatrix matrix(std::ssize(options.names), classesOf(first.labels, first), classesOf(first.predicted, first));
    return {"f1", options.positive ? "F1 of " + cut(printable(first.classes.back()), 20) : "macro F1",
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

Measure bleuMeasure(const TextFile& reference, const std::string& first) {
    return {"bleu", "BLEU", corpusBleu(outputsFor(reference, first), reference.lines, {}).signature,
            bleuMetric(BleuOptions{}.smooth), [reference](const std::string& path) {
                return bleuTerms(corpusBleu(outputsFor(reference, path), reference.lines, {}).sentences);
            }};
}

Measure chrfMeasure(const TextFile& reference, const std::string& first) {
    return {"chrf", "chrF", corpusChrf(outputsFor(reference, first), reference.lines, {}).value.signature, chrfMetric({}),
            [reference](const std::string& path) { return chrfTerms(outputsFor(reference, path), reference.lines, {}); }};
}

/// `metric`: empty for the usual one of the files.
Measure measureOf(const std::string& metric, const std::string& reference, const std::string& first) {
    const bool areTexts = !reference.empty();
    if (areTexts && (metric.empty() || metric == "bleu")) return bleuMeasure(readTextFile(reference), first);
    if (areTexts && metric == "chrf") return chrfMeasure(readTextFile(reference), first);
    if (!areTexts && (metric.empty() || metric == "accuracy")) return accuracyMeasure(predictionsIn(first));
    if (!areTexts && metric == "f1") return f1Measure(predictionsIn(first));
    throwUsage(
        areTexts ? "texts with a reference are scored by bleu or chrf" : "tables of predictions are scored by accuracy or f1",
        "--metric " + metric, "choose one of them, or remove --metric");
}

void readItems(std::vector<NamedOutputs>& outputs, const Measure& measure) {
    for (NamedOutputs& output : outputs)
        for (const std::string& path : output.files) {
            ItemTerms terms = measure.termsOf(path);
            output.score += measure.metric.score(measure.metric.sumsOf(terms)) / double(output.files.size());
            output.items[output.items.size() + 1] = std::move(terms);
        }
}

Json itemsDocument(const std::vector<NamedOutputs>& outputs, const std::vector<TwoLevelDifference>& differences,
                   const Measure& measure) {
    const auto told = [](const TwoLevelDifference& one, double value) { return one.interval ? Json(value) : Json(); };
    Json rows = Json::array();
    for (std::size_t i = 0; i < differences.size(); ++i) {
        const TwoLevelDifference& one = differences[i];
        const NamedOutputs& output = outputs[i + 1];
        Json row{{"name", output.name},
                 {"files", output.files},
                 {"score", output.score},
                 {"difference", one.difference},
                 {"interval", one.interval ? Json{one.interval->low, one.interval->high} : Json()},
                 {"p", one.p ? Json(*one.p) : Json()},
                 {"error", told(one, one.error)},
                 {"freedom", told(one, one.freedom)},
                 {"seed_error", told(one, one.seedError)},
                 {"item_error", told(one, one.itemError)}};
        if (!one.whyNone.empty()) row["why_none"] = one.whyNone;
        rows.push_back(std::move(row));
    }
    const NamedOutputs& base = outputs.front();
    return {{"schema", "heddle.compare-items/1"},
            {"metric", measure.name},
            {"signature", measure.signature},
            {"items", differences.front().items},
            {"level", 0.95},
            {"base", {{"name", base.name}, {"files", base.files}, {"score", base.score}}},
            {"outputs", std::move(rows)},
            {"covers", kCovers}};
}

std::string itemsText(const std::vector<NamedOutputs>& outputs, const std::vector<TwoLevelDifference>& differences,
                      const Measure& measure) {
    Table table({"", "runs", measure.title, "difference", "95 % interval", "p", "error of seeds", "of items"});
    const auto nameOf = [](const NamedOutputs& output) { return cut(printable(output.name), 40); };
    const NamedOutputs& base = outputs.front();
    table.add({nameOf(base), std::to_string(base.files.size()), numberText(base.score), "base", "", "", "", ""});
    std::string notes;
    for (std::size_t i = 0; i < differences.size(); ++i) {
        const TwoLevelDifference& one = differences[i];
        const NamedOutputs& output = outputs[i + 1];
        const auto ifThere = [&one](const auto& text) { return one.interval ? text() : std::string("–"); };
        table.add({nameOf(output), std::to_string(output.files.size()), numberText(output.score),
                   signedNumberText(one.difference), ifThere([&] { return intervalText(*one.interval); }),
                   ifThere([&] { return pText(*one.p); }), ifThere([&] { return numberText(one.seedError); }),
                   ifThere([&] { return numberText(one.itemError); })});
        if (!one.whyNone.empty()) notes += fmt::format("{}: no test: {}\n", printable(output.name), one.whyNone);
    }
    if (differences.size() > 1) notes += fmt::format("not corrected for {} comparisons\n", differences.size());
    return fmt::format("{} items\n", differences.front().items) + table.right({1, 2, 3, 4, 5, 6, 7}).text() + notes +
           printable(measure.signature) + "\n" + kCovers + "\n";
}

}  // namespace

int compareItems(const std::vector<std::string>& arguments, const std::string& metric, const Context& context) {
    auto [reference, outputs] = outputsIn(arguments);
    const Measure measure = measureOf(metric, reference, outputs.front().files.front());
    readItems(outputs, measure);
    std::vector<TwoLevelDifference> differences;
    for (std::size_t i = 1; i < outputs.size(); ++i)
        differences.push_back(
            twoLevelDifference(measure.metric, outputs[i].items, outputs.front().items, SeedTest::Welch, 0.05));
    context.print(itemsDocument(outputs, differences, measure), itemsText(outputs, differences, measure));
    return 0;
}

}  // namespace heddle::app
