// SPDX-License-Identifier: Apache-2.0
#include "engine/data/run_data.h"

#include "engine/data/corpus.h"
#include "engine/data/generated.h"
#include "engine/data/prepare_tokenizers.h"
#include "engine/data/select.h"
#include "engine/metrics/unicode.h"
#include "engine/spec/cost.h"
#include "engine/spec/error.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

constexpr const char* kClassesFile = "/classes.json";

/// Running text: an example a line, empty lines and headings of Wikitext left out.
ExampleFile readLines(const std::string& path, const std::function<bool()>& stopRequested) {
    Corpus corpus = readCorpus(path, stopRequested);
    ExampleFile file{path, corpus.file.sha256, {}, 0, std::move(corpus.file.notes)};
    for (std::string& line : corpus.file.lines) {
        const bool isHeading = corpus.layout == CorpusLayout::Wikitext && line.starts_with(" =");
        if (isHeading || splitUnicodeSpace(line).empty()) continue;
        Example example;
        example.first = std::move(line);
        file.examples.push_back(std::move(example));
    }
    return file;
}

std::vector<Example> readSplit(const LoadContext& context, const ParallelFiles& files, const std::string& name, RunData& data) {
    const DataSpec& spec = context.spec.data;
    if (isGenerated(spec.format)) return generateExamples(spec.format, spec.generated, name);
    if (files.source.empty()) return {};
    ExampleFile file =
        spec.format == "lines"
            ? readLines(files.source, context.stopRequested)
            : readExamples(files.source,
                           {spec.format, spec.onBadLine == "skip" ? OnBadLine::Skip : OnBadLine::Stop, context.stopRequested});
    data.dataHashes.push_back(file.sha256);
    for (const std::string& note : file.notes) data.notes.push_back(name + ": " + note);
    if (file.examples.empty())
        throwInvalid("the file holds no example", fmt::format("data.{}: {}", name, files.source), "name a file with examples");
    return std::move(file.examples);
}

/// Takes the seeded shares out of the training examples where no file gives a split.
void splitOff(const DataSpec& spec, SplitExamples& splits, RunData& data) {
    const double valid = splits.valid.empty() ? spec.validShare : 0, test = splits.test.empty() ? spec.testShare : 0;
    if (valid <= 0 && test <= 0) return;
    const SplitIndices parts = splitByRatio(static_cast<std::int64_t>(splits.train.size()), {valid, test}, spec.generated.seed);
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
}

std::int64_t countWords(const Example& example) {
    const auto words = [](const std::string& text) { return static_cast<std::int64_t>(splitUnicodeSpace(text).size()); };
    return words(example.first) + words(example.second) + static_cast<std::int64_t>(example.words.size());
}

void filter(const DataSpec& spec, std::vector<Example>& train, RunData& data) {
    const auto before = train.size();
    const auto isOutside = [&](const Example& example) {
        const std::int64_t words = countWords(example);
        return words < spec.minWords || (spec.maxWords > 0 && words > spec.maxWords);
    };
    if (spec.minWords > 0 || spec.maxWords > 0) std::erase_if(train, isOutside);
    if (train.size() < before)
        data.notes.push_back(fmt::format("train: {} of {} examples left out: fewer than {} or more than {} words",
                                         before - train.size(), before, spec.minWords, spec.maxWords));
    if (spec.limit > 0 && static_cast<std::size_t>(spec.limit) < train.size()) {
        data.notes.push_back(fmt::format("train: the first {} of {} examples are used (data.limit)", spec.limit, train.size()));
        train.resize(static_cast<std::size_t>(spec.limit));
    }
    if (train.empty()) throwInvalid("no training example is left", "data.train", "check data.min_words and data.max_words");
}

}  // namespace

SplitExamples readSplits(const LoadContext& context, RunData& data) {
    const DataSpec& spec = context.spec.data;
    if (isGenerated(spec.format)) {
        const GeneratedFormat& format = generatedFormat(spec.format);
        data.synthetic = fmt::format("{}: {}", format.id, format.summary);
        data.notes.push_back("synthetic data: " + data.synthetic);
    } else if (spec.train.source.empty()) {
        throwInvalid("the spec names no training data", "data.train.source", "name a file, or a generated data.format");
    }
    SplitExamples splits{readSplit(context, spec.train, "train", data), readSplit(context, spec.valid, "valid", data),
                         readSplit(context, spec.test, "test", data)};
    splitOff(spec, splits, data);
    filter(spec, splits.train, data);
    return splits;
}

std::vector<std::string> textsOf(const std::vector<Example>& examples) {
    std::vector<std::string> lines;
    for (const Example& example : examples) {
        lines.push_back(example.first);
        if (!example.second.empty()) lines.push_back(example.second);
        if (!example.words.empty()) lines.back() = fmt::format("{}", fmt::join(example.words, " "));
    }
    return lines;
}

std::shared_ptr<const Tokenizer> tokenizerFor(const LoadContext& context, const std::vector<std::string>& lines,
                                              RunData& data) {
    if (const std::string& checkpoint = context.spec.train.start.checkpoint; !checkpoint.empty()) {
        data.notes.push_back("the tokenizer is that of the checkpoint that training starts from");
        return loadTokenizer(tokenizerFolderOf(checkpoint), "source");
    }
    TokenizerSpec spec = context.spec.data.tokenizer;
    spec.mask = spec.mask || context.spec.data.task == "mlm";
    const TrainingText text{
        sha256Hex(fmt::format("{}", fmt::join(lines, "\n"))), [&]() -> const std::vector<std::string>& { return lines; }, {}};
    DataCache cache(context.cacheFolder);
    const StopWatch watch(context.stopRequested);
    const Tokenizers made = prepareTokenizers(spec, text, cache, watch);
    for (const auto* notes : {&cache.notes(), &made.notes}) data.notes.insert(data.notes.end(), notes->begin(), notes->end());
    data.dataHashes.insert(data.dataHashes.end(), made.fileHashes.begin(), made.fileHashes.end());
    return made.source;
}

std::string tokenizerFolderOf(const std::string& checkpointFolder) {
    return (std::filesystem::path(checkpointFolder).parent_path() / "tokenizer").string();
}

void saveClasses(const RunData& data, const std::string& folder) {
    std::filesystem::remove(folder + kClassesFile);  // of an earlier attempt
    if (data.classes.empty()) return;
    const std::string path = folder + kClassesFile;
    std::ofstream file(path, std::ios::binary);
    file << canonicalJson(data.classes) << "\n";
    file.close();
    if (!file) throwInvalid("the class names could not be written", path, "check the folder's rights and the room on its disk");
}

std::vector<std::string> loadClasses(const std::string& folder) {
    const std::string path = folder + kClassesFile;
    if (!std::filesystem::exists(path)) return {};
    return readJsonFile(path).get<std::vector<std::string>>();
}

RunData loadRunData(const RunSpec& spec, const std::string& cacheFolder, const std::function<bool()>& stopRequested) {
    const TaskKind& task = taskKind(spec.data.task);
    if (task.id == "translation") return loadTranslationData(spec, cacheFolder, stopRequested);
    const ResolvedVariant variant = spec.variant.resolve();
    const LoadContext context{spec, cacheFolder, stopRequested, longestSequence(variant, builtinCatalogue())};
    if (task.id == "image") return loadImageData(context);
    const bool isLanguage = task.id == "mlm" || task.id == "denoise" || task.id == "causal_lm";
    return isLanguage ? loadLanguageData(context) : loadExampleData(context);
}

}  // namespace heddle
