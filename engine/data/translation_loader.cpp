// SPDX-License-Identifier: Apache-2.0
#include "engine/data/translation_loader.h"

#include "engine/data/data_cache.h"
#include "engine/data/text_file.h"
#include "engine/spec/cost.h"
#include "engine/spec/error.h"
#include "engine/spec/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace heddle {
namespace {

/// Raised when the meaning of anything cached changes.
constexpr int kCacheFormat = 1;

/// Asks `stopRequested` once in a while.
class StopWatch {
public:
    explicit StopWatch(const std::function<bool()>& stopRequested) : stopRequested_(stopRequested) {}
    void tick() {
        if (++ticks_ % 4096 == 0) ask();
    }
    void ask() const {
        if (stopRequested_ && stopRequested_()) throwStopped("preparing data");
    }

private:
    const std::function<bool()>& stopRequested_;
    std::int64_t ticks_ = 0;
};

struct Splits {
    ParallelText train, valid, test;
};

struct Tokenizers {
    std::shared_ptr<const Tokenizer> source, target;
};

Json describe(const TokenizerSpec& spec) {
    if (spec.kind == "words")
        return {{"kind", spec.kind},
                {"split", spec.split},
                {"lower", spec.lower},
                {"min_count", spec.minCount},
                {"shared", spec.shared}};
    return {{"kind", spec.kind},
            {"model", spec.model},
            {"lower", spec.lower},
            {"vocab_size", spec.vocabSize},
            {"shared", spec.shared}};
}

std::vector<std::string> both(const ParallelText& text) {
    std::vector<std::string> lines = text.source;
    lines.insert(lines.end(), text.target.begin(), text.target.end());
    return lines;
}

Tokenizers trainTokenizers(const ParallelText& train, const TokenizerSpec& spec, const StopWatch& watch) {
    if (spec.shared) {
        const auto tokenizer = trainTokenizer(both(train), spec);
        return {tokenizer, tokenizer};
    }
    const auto source = trainTokenizer(train.source, spec);
    watch.ask();
    return {source, trainTokenizer(train.target, spec)};
}

Tokenizers tokenizersFor(const LoadOptions& options, const ParallelText& train, DataCache& cache, const StopWatch& watch) {
    const Json key{
        {"format", kCacheFormat}, {"tokenizer", describe(options.tokenizer)}, {"data", train.hashes}, {"limit", options.limit}};
    const CacheSections sections = cache.getOrMake("tokenizer", key, [&] {
        const Tokenizers trained = trainTokenizers(train, options.tokenizer, watch);
        return CacheSections{{"source", trained.source->saved()}, {"target", trained.target->saved()}};
    });
    const auto source = tokenizerFromSaved(sections.at("source"), "cached source tokenizer");
    if (options.tokenizer.shared) return {source, source};
    return {source, tokenizerFromSaved(sections.at("target"), "cached target tokenizer")};
}

void append(std::vector<std::int32_t>& ids, std::vector<std::int64_t>& begin, const std::vector<std::int32_t>& sentence) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    begin.push_back(static_cast<std::int64_t>(ids.size()));
}

/// Encodes one split after the other and says what was left out or cut.
class Encoder {
public:
    Encoder(const LoadOptions& options, const Tokenizers& tokenizers, StopWatch& watch)
        : tokenizers_(tokenizers), watch_(watch), maxLen_(options.maxLen) {
        maxTokens_ = options.maxTokens > 0 ? std::min(options.maxTokens, options.maxLen) : options.maxLen;
    }

    EncodedCorpus encodeTrain(const ParallelText& text) {
        EncodedCorpus corpus;
        std::int64_t empty = 0, tooLong = 0;
        for (std::size_t i = 0; i < text.source.size(); ++i) {
            watch_.tick();
            const auto source = tokenizers_.source->encode(text.source[i]), target = tokenizers_.target->encode(text.target[i]);
            const auto longer = static_cast<std::int64_t>(std::max(source.size(), target.size())) + 1;
            if (source.empty() || target.empty())
                ++empty;
            else if (longer > maxTokens_)
                ++tooLong;
            else
                add(corpus, source, target);
        }
        if (empty + tooLong > 0)
            notes.push_back(
                fmt::format("train: {} of {} pairs left out: {} with an empty side, {} longer than {} tokens with <eos>",
                            empty + tooLong, text.source.size(), empty, tooLong, maxTokens_));
        if (corpus.size() == 0)
            throwInvalid(notes.back(), "data.train", "check the files, or raise data.max_tokens and dims.max_len");
        return corpus;
    }

    EncodedCorpus encodeEvaluation(const ParallelText& text, const std::string& name) {
        EncodedCorpus corpus;
        std::int64_t sources = 0, targets = 0;
        const auto room = static_cast<std::size_t>(maxLen_ - 1);
        for (std::size_t i = 0; i < text.source.size(); ++i) {
            watch_.tick();
            auto source = tokenizers_.source->encode(text.source[i]), target = tokenizers_.target->encode(text.target[i]);
            sources += source.size() > room ? 1 : 0;
            targets += target.size() > room ? 1 : 0;
            source.resize(std::min(source.size(), room));
            target.resize(std::min(target.size(), room));
            add(corpus, source, target);
        }
        if (sources + targets > 0)
            notes.push_back(fmt::format("{}: {} sources and {} targets of {} pairs were cut to {} tokens (dims.max_len)", name,
                                        sources, targets, text.source.size(), room));
        return corpus;
    }

    std::vector<std::string> notes;

private:
    static void add(EncodedCorpus& corpus, const std::vector<std::int32_t>& source, const std::vector<std::int32_t>& target) {
        append(corpus.source, corpus.sourceBegin, source);
        append(corpus.target, corpus.targetBegin, target);
    }

    const Tokenizers& tokenizers_;
    StopWatch& watch_;
    std::int64_t maxLen_, maxTokens_ = 0;
};

void encodeAll(const LoadOptions& options, const Splits& splits, DataCache& cache, StopWatch& watch, TranslationData& data) {
    const Tokenizers tokenizers{data.sourceTokenizer, data.targetTokenizer};
    const Json key{{"format", kCacheFormat},
                   {"source", tokenizers.source->hash()},
                   {"target", tokenizers.target->hash()},
                   {"data", data.dataHashes},
                   {"limit", options.limit},
                   {"max_tokens", options.maxTokens},
                   {"max_len", options.maxLen},
                   {"valid", !options.valid.empty()}};
    const CacheSections sections = cache.getOrMake("corpus", key, [&] {
        Encoder encoder(options, tokenizers, watch);
        CacheSections made;
        putCorpus(made, "train", encoder.encodeTrain(splits.train));
        putCorpus(made, "valid", encoder.encodeEvaluation(splits.valid, "valid"));
        putCorpus(made, "test", encoder.encodeEvaluation(splits.test, "test"));
        made["notes"] = Json(encoder.notes).dump();
        return made;
    });
    data.train = takeCorpus(sections, "train");
    data.valid = takeCorpus(sections, "valid");
    data.test = takeCorpus(sections, "test");
    for (const auto& note : Json::parse(sections.at("notes"))) data.notes.push_back(note);
}

/// Takes hashes and notes of a split over, then its first `limit` pairs.
void collect(ParallelText& text, TranslationData& data) {
    data.dataHashes.insert(data.dataHashes.end(), text.hashes.begin(), text.hashes.end());
    data.notes.insert(data.notes.end(), text.notes.begin(), text.notes.end());
}

void applyLimit(ParallelText& train, std::int64_t limit, TranslationData& data) {
    if (limit <= 0 || static_cast<std::size_t>(limit) >= train.source.size()) return;
    data.notes.push_back(fmt::format("train: the first {} of {} pairs are used (data.limit)", limit, train.source.size()));
    train.source.resize(static_cast<std::size_t>(limit));
    train.target.resize(static_cast<std::size_t>(limit));
}

}  // namespace

ParallelText readParallelText(const ParallelFiles& files, const std::string& name, const std::function<bool()>& stopRequested) {
    if (files.source.empty() || files.target.empty())
        throwInvalid(files.source.empty() ? "no source file" : "no target file", "data." + name, "name both files of the pair");
    TextFile source = readTextFile(files.source, stopRequested), target = readTextFile(files.target, stopRequested);
    const std::string where = fmt::format("data.{}: {}, {}", name, files.source, files.target);
    if (source.lines.size() != target.lines.size())
        throwInvalid(fmt::format("source has {} lines, target has {}", source.lines.size(), target.lines.size()), where,
                     "line N of one file must be the translation of line N of the other");
    if (source.lines.empty()) throwInvalid("the files are empty", where, "name files with one sentence a line");
    ParallelText text{
        std::move(source.lines), std::move(target.lines), {source.sha256, target.sha256}, std::move(source.notes)};
    text.notes.insert(text.notes.end(), target.notes.begin(), target.notes.end());
    return text;
}

TranslationData loadTranslation(const LoadOptions& options, const std::string& cacheFolder,
                                const std::function<bool()>& stopRequested) {
    if (options.maxLen < 2)
        throwInvalid(fmt::format("{} positions hold no word", options.maxLen), "dims.max_len", "raise it to 2 or more");
    StopWatch watch(stopRequested);
    TranslationData data;
    Splits splits;
    splits.train = readParallelText(options.train, "train", stopRequested);
    collect(splits.train, data);
    if (!options.valid.empty()) collect(splits.valid = readParallelText(options.valid, "valid", stopRequested), data);
    if (!options.test.empty()) collect(splits.test = readParallelText(options.test, "test", stopRequested), data);
    applyLimit(splits.train, options.limit, data);

    DataCache cache(cacheFolder);
    const Tokenizers tokenizers = tokenizersFor(options, splits.train, cache, watch);
    data.sourceTokenizer = tokenizers.source;
    data.targetTokenizer = tokenizers.target;
    encodeAll(options, splits, cache, watch, data);
    data.notes.insert(data.notes.end(), cache.notes().begin(), cache.notes().end());
    data.valid.sourceText = std::move(splits.valid.source);
    data.valid.targetText = std::move(splits.valid.target);
    data.test.sourceText = std::move(splits.test.source);
    data.test.targetText = std::move(splits.test.target);
    return data;
}

TranslationData loadTranslationData(const RunSpec& spec, const std::string& cacheFolder,
                                    const std::function<bool()>& stopRequested) {
    const ResolvedVariant variant = spec.variant.resolve();
    LoadOptions options;
    options.train = spec.data.train;
    options.valid = spec.data.valid;
    options.test = spec.data.test;
    options.tokenizer = spec.data.tokenizer;
    options.maxLen = longestSequence(variant, builtinCatalogue());
    options.maxTokens = spec.data.maxTokens;
    options.limit = spec.data.limit;
    TranslationData data = loadTranslation(options, cacheFolder, stopRequested);
    if (options.maxLen < variant.dims.maxLen)
        data.notes.push_back(
            fmt::format("a block of the model takes no more than {} tokens: that holds in place of dims.max_len, "
                        "{}, for the data and for decoding",
                        options.maxLen, variant.dims.maxLen));
    return data;
}

void saveTokenizers(const TranslationData& data, const std::string& folder) {
    for (const char* name : {"source", "target"})  // of an earlier attempt, perhaps of the other kind
        for (const char* extension : {".json", ".model"}) std::filesystem::remove(folder + "/" + name + extension);
    data.sourceTokenizer->save(folder, "source");
    data.targetTokenizer->save(folder, "target");
}

std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>> loadTokenizers(const std::string& folder) {
    return {loadTokenizer(folder, "source"), loadTokenizer(folder, "target")};
}

}  // namespace heddle
