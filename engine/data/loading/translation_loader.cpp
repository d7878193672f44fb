// SPDX-License-Identifier: Apache-2.0
// Sentence pairs: from one pair of files for each split, or generated, split by a share or filtered by length.
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/data/cache/data_cache.h"
#include "engine/data/loading/corpus_encoder.h"
#include "engine/data/loading/prepare_tokenizers.h"
#include "engine/data/loading/run_data_cache.h"
#include "engine/data/loading/task_loaders.h"
#include "engine/data/readers/generated.h"

#include <fmt/format.h>

#include <filesystem>

namespace heddle {
namespace {

ParallelText textOf(const std::vector<Example>& pairs) {
    ParallelText text;
    for (const Example& pair : pairs) {
        text.source.push_back(pair.first);
        text.target.push_back(pair.second);
    }
    return text;
}

/// Encodes a split whose translations will be compared with its texts, and keeps the texts.
EncodedCorpus encodeKeepingText(CorpusEncoder& encoder, ParallelText text, const std::string& name) {
    EncodedCorpus corpus = encoder.evaluation(text, name);
    corpus.sourceText = std::move(text.source);
    corpus.targetText = std::move(text.target);
    return corpus;
}

/// Loads pairs that are generated, split by a share or filtered by length.
RunData loadPairs(const LoadContext& context) {
    const DataSpec& spec = context.spec.data;
    if (isGenerated(spec.format))
        if (const std::string& task = generatedFormat(spec.format).task; task != spec.task) throwOtherTask(spec, task);
    RunData data;
    const SplitExamples splits = readSplits(context, data);
    const ParallelText train = textOf(splits.train);
    addTokenizers(context, train.source, &train.target, data);
    CancellationToken cancellation(context.stopRequested);
    CorpusEncoder encoder(context, data, cancellation);
    data.train = encoder.train(train);
    data.valid = encodeKeepingText(encoder, textOf(splits.valid), "valid");
    data.test = encodeKeepingText(encoder, textOf(splits.test), "test");
    data.notes.insert(data.notes.end(), encoder.notes().begin(), encoder.notes().end());
    data.warnings.insert(data.warnings.end(), encoder.warnings().begin(), encoder.warnings().end());
    data.reports = encoder.reports();
    return data;
}

bool hasWordLimits(const DataSpec& spec) { return spec.minWords > 0 || spec.maxWords > 0; }

/// Increment when the meaning of an encoded corpus changes.
constexpr int kTokensFormat = 4;

struct Splits {
    ParallelSplit train, valid, test;
};

Splits openSplits(const LoadContext& context, const FileIndex& index) {
    const DataSpec& spec = context.spec.data;
    const auto open = [&](const ParallelFiles& files, const std::string& name) {
        return files.empty() && name != "train" ? ParallelSplit() : ParallelSplit(files, name, index, context.stopRequested);
    };
    return {open(spec.train, "train"), open(spec.valid, "valid"), open(spec.test, "test")};
}

void encodeAll(const LoadContext& context, Splits& splits, DataCache& cache, CancellationToken& cancellation, RunData& data) {
    const DataSpec& spec = context.spec.data;
    const Json key{{"format", kTokensFormat},
                   {"source", data.sourceTokenizer->hash()},
                   {"target", data.targetTokenizer->hash()},
                   {"data", data.dataHashes},
                   {"limit", spec.limit},
                   {"max_tokens", spec.maxTokens},
                   {"max_len", context.maxLen},
                   {"valid", !spec.valid.empty()}};
    const CacheSections sections = cache.getOrMake("corpus", key, [&] {
        CorpusEncoder encoder(context, data, cancellation);
        CacheSections made;
        putCorpus(made, "train", encoder.train(splits.train.text(spec.limit)));
        putCorpus(made, "valid", encoder.evaluation(splits.valid.text(), "valid"));
        putCorpus(made, "test", encoder.evaluation(splits.test.text(), "test"));
        made["notes"] = Json(encoder.notes()).dump();
        made["warnings"] = Json(encoder.warnings()).dump();
        made["reports"] = Json{encoder.reports()[0].json(), encoder.reports()[1].json()}.dump();
        return made;
    });
    data.train = takeCorpus(sections, "train");
    data.valid = takeCorpus(sections, "valid");
    data.test = takeCorpus(sections, "test");
    for (const auto& note : Json::parse(sections.at("notes"))) data.notes.push_back(note);
    for (const auto& warning : Json::parse(sections.at("warnings"))) data.warnings.push_back(warning.get<SplitWarning>());
    for (const auto& report : Json::parse(sections.at("reports"))) data.reports.push_back(reportFromJson(report));
}

/// Whether the files of both tokenizers are equal, as a task with one side or with a shared tokenizer saves them.
bool sameFiles(const std::string& folder) {
    for (const char* extension : {".json", ".model"}) {
        const std::string source = folder + "/source" + extension, target = folder + "/target" + extension;
        if (std::filesystem::is_regular_file(source) && std::filesystem::is_regular_file(target))
            return std::filesystem::file_size(source) == std::filesystem::file_size(target) &&
                   readWholeFile(source) == readWholeFile(target);
    }
    return false;
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

RunData loadTranslation(const LoadContext& context) {
    if (context.maxLen < 2)
        throwInvalid(fmt::format("{} positions are too few for a word", context.maxLen), "dims.max_len",
                     "raise it to 2 or more");
    CancellationToken cancellation(context.stopRequested);
    cancellation.check();
    const FileIndex index(context.folders.cache);
    Splits splits = openSplits(context, index);
    const std::int64_t limit = context.spec.data.limit;
    RunData data;
    for (const ParallelSplit* split : {&splits.train, &splits.valid, &splits.test}) {
        append(data.dataHashes, split->hashes());
        append(data.notes, split->notes());
    }
    if (limit > 0 && limit < splits.train.lines())
        data.notes.push_back(fmt::format("train: the first {} of {} pairs are used (data.limit)", limit, splits.train.lines()));

    DataCache cache(context.folders.cache);
    const auto trainText = [&]() -> const ParallelText& { return splits.train.text(limit); };
    const TrainingText training{{{"hashes", splits.train.hashes()}, {"limit", limit}},
                                [&]() -> const std::vector<std::string>& { return trainText().source; },
                                [&]() -> const std::vector<std::string>& { return trainText().target; }};
    const Tokenizers tokenizers = prepareTokenizers(context, training, cache, cancellation);
    data.sourceTokenizer = tokenizers.source;
    data.targetTokenizer = tokenizers.target;
    append(data.dataHashes, tokenizers.fileHashes);
    append(data.notes, tokenizers.notes);
    encodeAll(context, splits, cache, cancellation, data);
    append(data.notes, cache.notes());
    data.valid.sourceText = splits.valid.text().source;
    data.valid.targetText = splits.valid.text().target;
    data.test.sourceText = splits.test.text().source;
    data.test.targetText = splits.test.text().target;
    return data;
}

void saveTokenizers(const RunData& data, const std::string& folder) {
    for (const char* name : {"source", "target"})  // of an earlier attempt, perhaps of the other kind
        for (const char* extension : {".json", ".model"}) std::filesystem::remove(folder + "/" + name + extension);
    if (data.sourceTokenizer) data.sourceTokenizer->save(folder, "source");  // images have none
    if (data.targetTokenizer) data.targetTokenizer->save(folder, "target");
}

std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>> loadTokenizers(const std::string& folder,
                                                                                             const RecordedFiles& recorded) {
    const auto hash = [&](std::size_t side) { return side < recorded.tokenizers.size() ? recorded.tokenizers[side] : ""; };
    requireNoLinkedVocabulary(folder);
    auto source = loadTokenizer(folder, "source", hash(0));
    auto target = sameFiles(folder) && hash(0) == hash(1) ? source : loadTokenizer(folder, "target", hash(1));
    return {std::move(source), std::move(target)};
}

/// Pairs whose files are used unchanged have their own cache, with which training does not read their text.
RunData loadTranslationData(const LoadContext& context) {
    const DataSpec& spec = context.spec.data;
    if (isGenerated(spec.format)) return loadPairs(context);
    if (spec.format != "lines")
        throwInvalid(fmt::format("unsupported format \"{}\" for task translation", spec.format), "data.format",
                     "set it to lines (two files, one sentence per line) or to a generated format");
    if (spec.validShare > 0 || spec.testShare > 0 || hasWordLimits(spec))
        return loadThroughCache(context, [&] { return loadPairs(context); });
    return loadTranslation(context);
}

}  // namespace heddle
