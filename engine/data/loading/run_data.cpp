// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/run_data.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/sha256.h"
#include "engine/data/cache/cache_file.h"
#include "engine/data/loading/prepare_tokenizers.h"
#include "engine/data/loading/run_data_cache.h"
#include "engine/data/loading/translation_loader.h"
#include "engine/data/readers/generated.h"
#include "engine/spec/cost.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace heddle {
namespace {

constexpr const char* kClassesFile = "/classes.json";

std::string savedClasses(const RunData& data) { return canonicalJson(data.classes) + "\n"; }

bool hasWordLimits(const DataSpec& spec) { return spec.minWords > 0 || spec.maxWords > 0; }

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

/// A model that reads <unk> in place of words is scored on another text: said where more than one in 20 is unknown.
void warnOfUnknownWords(RunData& data) {
    constexpr double kMost = 0.05;
    for (const TokenizerReport& report : data.reports)
        for (const TokenCounts& counts : report.texts) {
            if (counts.unknownRate() <= kMost) continue;
            const std::string where = counts.text + (report.side.empty() ? "" : ", " + report.side);
            const std::string remedy = report.kind == "words"
                                           ? "use data.tokenizer.kind wordpiece, sentencepiece or characters, or "
                                             "lower data.tokenizer.min_count"
                                           : "lower data.tokenizer.min_count, or choose another tokenizer";
            data.warnings.push_back(fmt::format("{}: {:.1f} % of the running words are unknown to the vocabulary (<unk>): {}",
                                                where, 100 * counts.unknownRate(), remedy));
        }
}

}  // namespace

void requireTask(const DataSpec& spec, const std::string& taskOfFormat) {
    if (spec.task != taskOfFormat)
        throwInvalid(fmt::format("format {} is of task {}, not {}", spec.format, taskOfFormat, spec.task), "data.format",
                     fmt::format("set data.task to {}, or choose another format", taskOfFormat));
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
    const CancellationToken cancellation(context.stopRequested);
    const Tokenizers made = context.folders.tokenizers.empty()
                                ? prepareTokenizers(spec, text, cache, cancellation)
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
    warnOfUnknownWords(data);
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
