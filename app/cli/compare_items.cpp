// SPDX-License-Identifier: Apache-2.0
#include "app/cli/compare_items.h"

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

#include <fmt/format.h>

#include <algorithm>
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
            throwUsage("this is no NAME=FILE,FILE", argument, std::string("write ") + kForm);
        std::vector<std::string> files = splitAt(argument.substr(equals + 1), ',');
        if (contains(files, std::string())) throwUsage("a file has no name", argument, std::string("write ") + kForm);
        outputs.push_back({argument.substr(0, equals), std::move(files)});
    }
    if (outputs.size() < 2) throwUsage("the outputs of two variants are needed", "--items", std::string("write ") + kForm);
    return {reference, outputs};
}

/// Labels and predictions of a table of heddle classify --predictions.
struct Predictions {
    std::vector<std::string> labels, predicted;
};

Predictions predictionsIn(const std::string& path) {
    const std::vector<std::string> lines = readTextFile(path).lines;
    const std::vector<std::string> head = lines.empty() ? std::vector<std::string>() : splitAt(lines.front(), '\t');
    const auto column = [&](const char* name) {
        const auto found = std::find(head.begin(), head.end(), name);
        if (found == head.end())
            throwInvalid(fmt::format("the table has no column {}", name), path,
                         "give a table of heddle classify --predictions of examples with labels, or a reference first");
        return std::size_t(found - head.begin());
    };
    const std::size_t label = column("label"), prediction = column("prediction");
    if (std::none_of(head.begin(), head.end(), [](const std::string& name) { return name.starts_with("p:"); }))
        throwInvalid("the table is of no classes", path, "accuracy needs the predictions of a classifier");
    Predictions read;
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
    if (count == 0) throwInvalid("the file has no items", path, "give the outputs for a test set");
    if (count != wanted)
        throwInvalid(fmt::format("the file has {} items, {} has {}", count, first, wanted), path,
                     "give outputs for the same test set");
}

ItemTerms accuracyTerms(const std::string& path, const Predictions& own, const Predictions& first,
                        const std::string& firstPath) {
    requireEqualCount(own.labels.size(), first.labels.size(), path, firstPath);
    ItemTerms terms;
    for (std::size_t i = 0; i < own.labels.size(); ++i) {
        if (own.labels[i] != first.labels[i])
            throwInvalid("an item has another label than in " + firstPath, fmt::format("{}, line {}", path, i + 2),
                         "give outputs for the same test set");
        terms.insert(terms.end(), {own.predicted[i] == own.labels[i] ? 1.0 : 0.0, 1});
    }
    return terms;
}

ItemTerms bleuTermsOf(const std::string& path, const TextFile& reference) {
    const TextFile output = readTextFile(path);
    requireEqualCount(output.lines.size(), reference.lines.size(), path, reference.path);
    return bleuTerms(corpusBleu(output.lines, reference.lines, {}).sentences);
}

void readItems(std::vector<NamedOutputs>& outputs, const std::string& referencePath, const ItemMetric& metric) {
    const TextFile reference = referencePath.empty() ? TextFile() : readTextFile(referencePath);
    const std::string first = outputs.front().files.front();
    const Predictions labels = referencePath.empty() ? predictionsIn(first) : Predictions();
    for (NamedOutputs& output : outputs)
        for (const std::string& path : output.files) {
            ItemTerms terms =
                referencePath.empty() ? accuracyTerms(path, predictionsIn(path), labels, first) : bleuTermsOf(path, reference);
            output.score += metric.score(metric.sumsOf(terms)) / double(output.files.size());
            output.items[output.items.size() + 1] = std::move(terms);
        }
}

Json itemsDocument(const std::vector<NamedOutputs>& outputs, const std::vector<TwoLevelDifference>& differences,
                   const std::string& metric) {
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
            {"metric", metric},
            {"items", differences.front().items},
            {"level", 0.95},
            {"base", {{"name", base.name}, {"files", base.files}, {"score", base.score}}},
            {"outputs", std::move(rows)},
            {"covers", kCovers}};
}

std::string itemsText(const std::vector<NamedOutputs>& outputs, const std::vector<TwoLevelDifference>& differences,
                      const std::string& metric) {
    Table table({"", "runs", metric, "difference", "95 % interval", "p", "error of seeds", "of items"});
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
    return fmt::format("{} items\n", differences.front().items) + table.right({1, 2, 3, 4, 5, 6, 7}).text() + notes + kCovers +
           "\n";
}

}  // namespace

int compareItems(const std::vector<std::string>& arguments, const Context& context) {
    auto [reference, outputs] = outputsIn(arguments);
    const std::string metric = reference.empty() ? "accuracy" : "bleu";
    const ItemMetric measure = reference.empty() ? ratioMetric() : bleuMetric(BleuOptions{}.smooth);
    readItems(outputs, reference, measure);
    std::vector<TwoLevelDifference> differences;
    for (std::size_t i = 1; i < outputs.size(); ++i)
        differences.push_back(twoLevelDifference(measure, outputs[i].items, outputs.front().items, SeedTest::Welch, 0.05));
    context.print(itemsDocument(outputs, differences, metric), itemsText(outputs, differences, metric));
    return 0;
}

}  // namespace heddle::app
