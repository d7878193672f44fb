// SPDX-License-Identifier: Apache-2.0
#include "engine/data/run_data.h"

#include "engine/data/cache_file.h"
#include "engine/data/corpus.h"
#include "engine/data/generated.h"
#include "engine/data/prepare_tokenizers.h"
#include "engine/data/run_data_cache.h"
#include "engine/data/select.h"
#include "engine/data/translation_loader.h"
#include "engine/metrics/unicode.h"
#include "engine/spec/cost.h"
#include "engine/spec/error.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace heddle {
namespace {

constexpr const char* kClassesFile = "/classes.json";

std::string savedClasses(const RunData& data) { return canonicalJson(data.classes) + "\n"; }

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
    if (spec.task == "translation") return readPairs(context, files, name, data);
    ExampleFile file =
        spec.format == "lines"
            ? readLines(files.source, context.stopRequested)
            : readExamples(files.source,
                           {spec.format, spec.onBadLine == "skip" ? OnBadLine::Skip : OnBadLine::Stop, context.stopRequested});
    data.dataHashes.push_back(file.sha256);
    addNotes(file.notes, name, data);
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

bool hasWordLimits(const DataSpec& spec) { return spec.minWords > 0 || spec.maxWords > 0; }

/// Leaves out the examples one of whose texts is too short or too long.
void keepWithinLimits(const DataSpec& spec, std::vector<Example>& train, RunData& data) {
    const auto words = [](const std::string& text) { return static_cast<std::int64_t>(splitUnicodeSpace(text).size()); };
    std::vector<ExampleLength> first, second;
    for (const Example& example : train) {
        first.push_back({example.words.empty() ? words(example.first) : std::ssize(example.words)});
        second.push_back(example.second.empty() ? first.back() : ExampleLength{words(example.second)});
    }
    const LengthFilter filter = filterByLength(first, second, {spec.minWords, spec.maxWords});
    if (filter.dropped() == 0) return;
    data.notes.push_back(fmt::format("train: {} of {} examples left out: {}", filter.dropped(), train.size(), filter.note()));
    std::vector<Example> kept;
    for (const std::int64_t i : filter.kept) kept.push_back(std::move(train[static_cast<std::size_t>(i)]));
    train = std::move(kept);
}

void filter(const DataSpec& spec, std::vector<Example>& train, RunData& data) {
    if (hasWordLimits(spec)) keepWithinLimits(spec, train, data);
    if (spec.limit > 0 && static_cast<std::size_t>(spec.limit) < train.size()) {
        data.notes.push_back(fmt::format("train: the first {} of {} examples are used (data.limit)", spec.limit, train.size()));
        train.resize(static_cast<std::size_t>(spec.limit));
    }
    if (train.empty()) throwInvalid("no training example is left", "data.train", "check data.min_words and data.max_words");
}

/// Pairs that lie in files as they are have a cache whose text need not be read to train on them.
RunData loadPairs(const LoadContext& context) {
    const DataSpec& spec = context.spec.data;
    if (isGenerated(spec.format)) return loadPairData(context);
    if (spec.validShare > 0 || spec.testShare > 0 || hasWordLimits(spec))
        return loadThroughCache(context, [&] { return loadPairData(context); });
    LoadOptions options;
    options.train = spec.train;
    options.valid = spec.valid;
    options.test = spec.test;
    options.tokenizer = spec.tokenizer;
    options.maxLen = context.maxLen;
    options.maxTokens = spec.maxTokens;
    options.limit = spec.limit;
    return loadTranslation(options, context.folders, context.stopRequested);
}

/// Counts the words of encoded rows, their marks apart.
TokenizerReport reportRows(const RunData& data) {
    TokenizerReport report = reportOf(*data.sourceTokenizer, "");
    const std::pair<const EncodedCorpus*, const char*> splits[] = {
        {&data.train, "train"}, {&data.valid, "valid"}, {&data.test, "test"}};
    for (const auto& [corpus, name] : splits) {
        if (corpus->size() == 0) continue;
        TokenCounter counter(*data.sourceTokenizer, name);
        for (std::size_t row = 0; row + 1 < corpus->sourceBegin.size(); ++row) {
            std::vector<std::int32_t> ids(corpus->source.begin() + corpus->sourceBegin[row],
                                          corpus->source.begin() + corpus->sourceBegin[row + 1]);
            std::erase_if(ids, [](std::int32_t id) { return id == kSos || id == kEos; });
            counter.add(ids);
        }
        report.texts.push_back(counter.counts());
    }
    return report;
}

RunData load(const std::string& task, const LoadContext& context) {
    if (task == "translation") return loadPairs(context);
    if (task == "image") return loadImageData(context);
    const bool isLanguage = task == "mlm" || task == "denoise" || task == "causal_lm";
    const auto read = [&] {
        RunData data = isLanguage ? loadLanguageData(context) : loadExampleData(context);
        data.reports.push_back(reportRows(data));
        return data;
    };
    return isGenerated(context.spec.data.format) ? read() : loadThroughCache(context, read);
}

}  // namespace

void requireTask(const DataSpec& spec, const std::string& taskOfFormat) {
    if (spec.task != taskOfFormat)
        throwInvalid(fmt::format("format {} is of task {}, not {}", spec.format, taskOfFormat, spec.task), "data.format",
                     fmt::format("set data.task to {}, or choose another format", taskOfFormat));
}

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

void addTokenizers(const LoadContext& context, const std::vector<std::string>& source, const std::vector<std::string>* target,
                   RunData& data) {
    TokenizerSpec spec = context.spec.data.tokenizer;
    spec.mask = spec.mask || context.spec.data.task == "mlm";
    TrainingText text;
    text.key = sha256Hex(fmt::format("{}", fmt::join(source, "\n")));
    text.source = [&]() -> const std::vector<std::string>& { return source; };
    if (target != nullptr) {
        text.key = Json{text.key, sha256Hex(fmt::format("{}", fmt::join(*target, "\n")))};
        text.target = [target]() -> const std::vector<std::string>& { return *target; };
    }
    DataCache cache(context.folders.cache);
    const StopWatch watch(context.stopRequested);
    const Tokenizers made = context.folders.tokenizers.empty()
                                ? prepareTokenizers(spec, text, cache, watch)
                                : takeTokenizers(context.folders.tokenizers, context.folders.recorded);
    data.sourceTokenizer = made.source;
    data.targetTokenizer = made.target;
    for (const auto* notes : {&cache.notes(), &made.notes}) data.notes.insert(data.notes.end(), notes->begin(), notes->end());
    data.dataHashes.insert(data.dataHashes.end(), made.fileHashes.begin(), made.fileHashes.end());
}

std::string tokenizerFolderOf(const std::string& checkpointFolder) {
    return (std::filesystem::path(checkpointFolder).parent_path() / "tokenizer").string();
}

void saveClasses(const RunData& data, const std::string& folder) {
    const std::string path = folder + kClassesFile;
    if (data.classes.empty())
        std::filesystem::remove(path);  // of an earlier attempt
    else
        writeFileAtomically(path, savedClasses(data));
}

std::string classesHash(const RunData& data) { return data.classes.empty() ? "" : sha256Hex(savedClasses(data)); }

std::vector<std::string> loadClasses(const std::string& folder, const RecordedFiles& recorded) {
    const std::string path = folder + kClassesFile;
    if (recorded.classes.empty() && !std::filesystem::exists(path)) return {};
    try {
        return parseJson(readRecordedFile(path, recorded.classes), path).get<std::vector<std::string>>();
    } catch (const Json::exception&) {
        throwInvalid("is not a list of class names", path, "restore the file from a copy of the run");
    }
}

RunData loadRunData(const RunSpec& spec, const DataFolders& folders, const std::function<bool()>& stopRequested) {
    const std::string& task = taskKind(spec.data.task).id;
    const ResolvedVariant variant = spec.variant.resolve();
    const LoadContext context{spec, folders, stopRequested, longestSequence(variant, builtinCatalogue())};
    RunData data = load(task, context);
    if (!folders.tokenizers.empty() && data.sourceTokenizer)
        data.notes.push_back(
            fmt::format("the tokenizers are those in {}, of the run that training starts from", folders.tokenizers));
    if (context.maxLen < variant.dims.maxLen)
        data.notes.push_back(
            fmt::format("a block of the model takes no more than {} tokens: that holds in place of dims.max_len, "
                        "{}, for the data and for decoding",
                        context.maxLen, variant.dims.maxLen));
    return data;
}

}  // namespace heddle
