// SPDX-License-Identifier: Apache-2.0
#include "app/cli/comparison.h"

#include "app/cli/terminal.h"
#include "app/study/item_outputs.h"
#include "app/study/verdict_words.h"
#include "engine/analysis/two_level.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"
#include "engine/base/split.h"

#include <fmt/format.h>

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

/// `metric`: empty for the usual one of the files.
ItemMeasure measureOf(const std::string& metric, const std::string& reference, const std::string& first) {
    return reference.empty() ? tableMeasure(metric, first) : textMeasure(metric, {reference, first});
}

void readItems(std::vector<NamedOutputs>& outputs, const ItemMeasure& measure) {
    for (NamedOutputs& output : outputs)
        for (const std::string& path : output.files) {
            ItemTerms terms = measure.termsOf(path);
            output.score += measure.metric.score(measure.metric.sumsOf(terms)) / double(output.files.size());
            output.items[output.items.size() + 1] = std::move(terms);
        }
}

Json itemsDocument(const std::vector<NamedOutputs>& outputs, const std::vector<TwoLevelDifference>& differences,
                   const ItemMeasure& measure) {
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
                      const ItemMeasure& measure) {
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
    const ItemMeasure measure = measureOf(metric, reference, outputs.front().files.front());
    readItems(outputs, measure);
    std::vector<TwoLevelDifference> differences;
    for (std::size_t i = 1; i < outputs.size(); ++i)
        differences.push_back(
            twoLevelDifference(measure.metric, outputs[i].items, outputs.front().items, SeedTest::Welch, 0.05));
    context.print(itemsDocument(outputs, differences, measure), itemsText(outputs, differences, measure));
    return 0;
}

}  // namespace heddle::app
