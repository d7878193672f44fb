// SPDX-License-Identifier: Apache-2.0
// Examples of the three splits as their files have them, or as a share of the training files.
#include "engine/base/error.h"
#include "engine/base/unicode.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/readers/corpus.h"
#include "engine/data/readers/generated.h"
#include "engine/data/readers/parallel_split.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

namespace heddle {
namespace {

using Target = TaskKind::Target;

bool predicts(const DataSpec& spec, Target target) { return taskKind(spec.task).target == target; }

/// Whether an empty line of running text counts as a line whose only token is <eos>, as published token counts have it (245,569
/// for the test set of WikiText-2, Merity et al. 2016). A task that restores words finds none in it.
bool countsEmptyLines(const DataSpec& spec, CorpusLayout layout) {
    return predicts(spec, Target::NextToken) && (spec.packing != Packing::Lines || layout == CorpusLayout::Wikitext);
}

/// Reads running text: one example per line, headings included.
ExampleFile readLines(const LoadContext& context, const std::string& path) {
    Corpus corpus = readCorpus(path, context.stopRequested);
    const bool keepsEmpty = countsEmptyLines(context.spec.data, corpus.layout);
    ExampleFile file{path, corpus.file.sha256, {}, 0, std::move(corpus.file.notes)};
    for (std::string& line : corpus.file.lines) {
        if (!keepsEmpty && splitUnicodeSpace(line).empty()) continue;
        Example example;
        example.first = std::move(line);
        file.examples.push_back(std::move(example));
    }
    const std::string layout = corpus.layout == CorpusLayout::Wikitext ? "WikiText" : "plain text";
    file.notes.push_back(fmt::format("{}: {}, {} lines, {} headings among them; {} empty lines {}", path, layout,
                                     file.examples.size(), corpus.headings, corpus.emptyLines,
                                     keepsEmpty ? "count, with their <eos>" : "are left out"));
    return file;
}

void addNotes(const std::vector<std::string>& notes, const std::string& split, RunData& data) {
    for (const std::string& note : notes) data.notes.push_back(split + ": " + note);
}

std::vector<Example> readPairs(const LoadContext& context, const ParallelFiles& files, const std::string& name, RunData& data) {
    ParallelText text = readParallelText(files, name, context.stopRequested);
    data.dataHashes.insert(data.dataHashes.end(), text.hashes.begin(), text.hashes.end());
    addNotes(text.notes, name, data);
    std::vector<Example> pairs(text.source.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        pairs[i].first = std::move(text.source[i]);
        pairs[i].second = std::move(text.target[i]);
    }
    return pairs;
}

std::vector<Example> readSplit(const LoadContext& context, const ParallelFiles& files, const std::string& name, RunData& data) {
    const DataSpec& spec = context.spec.data;
    if (isGenerated(spec.format)) return generateExamples(spec.format, spec.generated, name);
    if (files.source.empty()) return {};
    if (predicts(spec, Target::Translation)) return readPairs(context, files, name, data);
    ExampleFile file =
        spec.format == "lines"
            ? readLines(context, files.source)
            : readExamples(files.source, {spec.format, spec.onBadLine, context.stopRequested, spec.columns,
                                          predicts(spec, Target::Number) ? LabelKind::Numbers : LabelKind::AsFormat});
    data.dataHashes.push_back(file.sha256);
    if (file.skipped > 0)
        data.warnings.push_back(
            {name, fmt::format("{}: {} examples were left out (data.on_bad_line, or no gold label)", name, file.skipped)});
    addNotes(file.notes, name, data);
    if (file.examples.empty())
        throwInvalid("no examples in the file", fmt::format("data.{}: {}", name, files.source), "give a file with examples");
    return std::move(file.examples);
}

/// The input that a model reads of an example, without the translation. Examples with equal inputs ask the same.
std::string inputOf(const Example& example, const DataSpec& spec) {
    if (!example.words.empty()) return fmt::format("{}", fmt::join(example.words, " "));
    return predicts(spec, Target::Translation) ? example.first : example.first + '\n' + example.second;
}

Groups groupsOf(const std::vector<Example>& examples, const DataSpec& spec) {
    std::vector<std::string> inputs;
    for (const Example& example : examples) inputs.push_back(inputOf(example, spec));
    return groupEqual({inputs.begin(), inputs.end()});
}

/// Takes the seeded shares out of the training examples where no file gives a split. Equal examples stay on one side: a model
/// that has learned one by heart would be scored on it.
void splitOff(const DataSpec& spec, SplitExamples& splits, RunData& data) {
    const double valid = splits.valid.empty() ? spec.validShare : 0, test = splits.test.empty() ? spec.testShare : 0;
    if (valid <= 0 && test <= 0) return;
    const Groups groups = groupsOf(splits.train, spec);
    const SplitIndices parts = splitByRatio(groups, {valid, test}, spec.generated.seed);
    if (parts.train.empty())
        throwInvalid(
            fmt::format("the {} training examples have only {} different inputs, so no training data is left after the split",
                        groups.numbers.size(), std::ssize(groups.numbers) - groups.repeated),
            "data.split", "set validation files, or smaller shares");
    splits.drawn = parts;
    const auto pick = [&](const std::vector<std::int64_t>& indices) {
        std::vector<Example> picked;
        for (const std::int64_t i : indices) picked.push_back(splits.train[static_cast<std::size_t>(i)]);
        return picked;
    };
    if (valid > 0) splits.valid = pick(parts.valid);
    if (test > 0) splits.test = pick(parts.test);
    splits.train = pick(parts.train);
    data.notes.push_back(fmt::format("split by data.split: {} training, {} validation, {} test examples", splits.train.size(),
                                     splits.valid.size(), splits.test.size()));
    if (groups.repeated > 0) data.warnings.push_back({"", repeatedWarning(groups, "examples")});
}

/// Warns of validation and test examples whose inputs are also in the training split.
void warnOfOverlap(const DataSpec& spec, const SplitExamples& splits, RunData& data) {
    std::unordered_set<std::string> known;
    for (const Example& example : splits.train) known.insert(inputOf(example, spec));
    const std::pair<const std::vector<Example>*, const char*> others[] = {{&splits.valid, "valid"}, {&splits.test, "test"}};
    for (const auto& [examples, name] : others) {
        const auto seen = std::count_if(examples->begin(), examples->end(), [&](const Example& example) {
            const std::string input = inputOf(example, spec);
            return !input.empty() && input != "\n" && known.contains(input);
        });
        if (seen > 0)
            data.warnings.push_back({name, fmt::format("{}: {} of {} examples have the input of a training example", name, seen,
                                                       examples->size())});
    }
}

/// Drops examples with a text that is too short or too long.
void keepWithinLimits(const DataSpec& spec, std::vector<Example>& train, RunData& data) {
    const auto words = [](const std::string& text) { return static_cast<std::int64_t>(splitUnicodeSpace(text).size()); };
    std::vector<SideWords> lengths;
    for (const Example& example : train) {
        const std::int64_t first = example.words.empty() ? words(example.first) : std::ssize(example.words);
        lengths.emplace_back(first, example.second.empty() ? first : words(example.second));
    }
    const LengthFilter filter = filterByLength(lengths, {spec.minWords, spec.maxWords});
    if (filter.dropped() == 0) return;
    data.notes.push_back(fmt::format("train: {} of {} examples left out: {}", filter.dropped(), train.size(), filter.note()));
    std::vector<Example> kept;
    for (const std::int64_t i : filter.kept) kept.push_back(std::move(train[static_cast<std::size_t>(i)]));
    train = std::move(kept);
}

void filter(const DataSpec& spec, std::vector<Example>& train, RunData& data) {
    if (spec.minWords > 0 || spec.maxWords > 0) keepWithinLimits(spec, train, data);
    if (spec.limit > 0 && static_cast<std::size_t>(spec.limit) < train.size()) {
        data.notes.push_back(fmt::format("train: the first {} of {} examples are used (data.limit)", spec.limit, train.size()));
        train.resize(static_cast<std::size_t>(spec.limit));
    }
    if (train.empty()) throwInvalid("no training examples are left", "data.train", "check data.min_words and data.max_words");
}

}  // namespace

SplitExamples readSplits(const LoadContext& context, RunData& data) {
    const DataSpec& spec = context.spec.data;
    if (isGenerated(spec.format)) {
        const GeneratedFormat& format = generatedFormat(spec.format);
        data.synthetic = fmt::format("{}: {}", format.id, format.summary);
        data.notes.push_back("synthetic data: " + data.synthetic);
    } else if (spec.train.source.empty()) {
        throwInvalid("no training data in the spec", "data.train.source", "give a file, or choose a generated data.format");
    }
    SplitExamples splits{readSplit(context, spec.train, "train", data), readSplit(context, spec.valid, "valid", data),
                         readSplit(context, spec.test, "test", data)};
    splitOff(spec, splits, data);
    const bool isRunningText = spec.format == "lines" && !predicts(spec, Target::Translation);  // lines of a text may repeat
    filter(spec, splits.train, data);
    if (!isGenerated(spec.format) && !isRunningText) warnOfOverlap(spec, splits, data);
    return splits;
}

}  // namespace heddle
