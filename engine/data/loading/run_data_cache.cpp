// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/run_data_cache.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/data/cache/data_cache.h"
#include "engine/data/readers/file_index.h"
#include "engine/spec/task_kinds.h"

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

namespace heddle {
namespace {

/// Increment when the meaning of cached data changes.
constexpr int kRunDataFormat = 6;
constexpr const char* kKind = "examples";

struct NamedSplit {
    const char* name;
    EncodedCorpus RunData::*corpus;
};
constexpr std::array kSplits{NamedSplit{"train", &RunData::train}, NamedSplit{"valid", &RunData::valid},
                             NamedSplit{"test", &RunData::test}};

Json textsOf(const EncodedCorpus& corpus) {
    Json texts = Json::object();
    const auto put = [&](const auto& column, const auto& values) {
        if constexpr (!kHasNumbers<decltype(values)>) texts[column.name] = values;
    };
    forEachColumn(corpus, put);
    std::visit([&](const auto& labels) { forEachColumn(labels, put); }, corpus.labels);
    return texts;
}

void putTexts(EncodedCorpus& corpus, const Json& texts) {
    const auto take = [&](const auto& column, auto& values) {
        if constexpr (!kHasNumbers<decltype(values)>) texts.at(column.name).get_to(values);
    };
    forEachColumn(corpus, take);
    std::visit([&](auto& labels) { forEachColumn(labels, take); }, corpus.labels);
}

CacheSections toSections(const RunData& data) {
    CacheSections sections;
    Json rest{{"classes", data.classes},
              {"hashes", data.dataHashes},
              {"notes", data.notes},
              {"warnings", data.warnings},
              {"reports", Json::array()}};
    for (const auto& [name, corpus] : kSplits) {
        putCorpus(sections, name, data.*corpus);
        rest[name] = textsOf(data.*corpus);
    }
    for (const TokenizerReport& report : data.reports) rest["reports"].push_back(report.json());
    sections["rest"] = rest.dump();
    sections["tokenizer"] = data.sourceTokenizer->saved();
    if (data.targetTokenizer != data.sourceTokenizer) sections["target_tokenizer"] = data.targetTokenizer->saved();
    return sections;
}

RunData fromSections(const CacheSections& sections) {
    RunData data;
    const Json rest = Json::parse(sections.at("rest"));
    for (const auto& [name, corpus] : kSplits) {
        data.*corpus = takeCorpus(sections, name);
        putTexts(data.*corpus, rest.at(name));
    }
    rest.at("classes").get_to(data.classes);
    rest.at("hashes").get_to(data.dataHashes);
    rest.at("notes").get_to(data.notes);
    rest.at("warnings").get_to(data.warnings);
    for (const Json& report : rest.at("reports")) data.reports.push_back(reportFromJson(report));
    data.sourceTokenizer = data.targetTokenizer = tokenizerFromSaved(sections.at("tokenizer"), "cached tokenizer");
    if (const auto target = sections.find("target_tokenizer"); target != sections.end())
        data.targetTokenizer = tokenizerFromSaved(target->second, "cached target tokenizer");
    return data;
}

/// The tokenizers of a run that starts from scratch: trained on what the rest of the key names, or read from the files that the
/// spec names.
Json ownTokenizers(const LoadContext& context) {
    const TokenizerSpec& spec = context.spec.data.tokenizer;
    Json given = Json::array();
    for (const std::string& file : {givenFile(spec), givenFile(spec.forTarget())})
        given.push_back(file.empty() ? "" : sha256OfFile(file));
    return {{"given", given}};
}

/// Tokenizers that another run saved.
Json takenTokenizers(const Tokenizer& source, const Tokenizer& target) { return {{"taken", {source.hash(), target.hash()}}}; }

/// All that the result depends on, except the tokenizers.
Json keyOf(const LoadContext& context) {
    const FileIndex index(context.folders.cache);
    const DataSpec& spec = context.spec.data;
    const auto contentsOf = [&](const std::string& path) {
        if (path.empty()) return std::string();
        const auto known = index.find(path);
        return known ? known->sha256 : index.read(path, context.stopRequested).sha256;
    };
    Json files = Json::array();
    for (const ParallelFiles* split : {&spec.train, &spec.valid, &spec.test}) {
        files.push_back(contentsOf(split->source));
        if (taskKind(spec.task).readsPairs()) files.push_back(contentsOf(split->target));
    }
    Json settings = context.spec.toJson().value("data", Json::object());
    for (const char* path : {"train", "valid", "test", "vectors"}) settings.erase(path);
    const Json classes = context.spec.variant.statedClasses().value_or(0);
    return {
        {"format", kRunDataFormat}, {"files", files}, {"data", settings}, {"max_len", context.maxLen}, {"classes", classes}};
}

/// The data that the run's own training cached, if it made the tokenizers that are taken now: the run is being evaluated. `key`
/// names the taken tokenizers.
std::optional<RunData> findOfTraining(const LoadContext& context, Json key, const DataCache& cache) {
    const TokenizerSpec& spec = context.spec.data.tokenizer;
    for (const std::string& file : {givenFile(spec), givenFile(spec.forTarget())})
        if (!file.empty() && !std::filesystem::exists(file)) return std::nullopt;  // no longer needed
    const Json taken = std::exchange(key["tokenizers"], ownTokenizers(context));
    const auto sections = cache.find(kKind, key);
    if (!sections) return std::nullopt;
    RunData data = fromSections(*sections);
    const bool isSame = takenTokenizers(*data.sourceTokenizer, *data.targetTokenizer) == taken;
    return isSame ? std::optional(std::move(data)) : std::nullopt;
}

}  // namespace

RunData loadThroughCache(const LoadContext& context, const std::function<RunData()>& load) {
    if (context.folders.cache.empty()) return load();
    const bool takes = !context.folders.tokenizers.empty();
    DataCache cache(context.folders.cache);
    Json key;
    try {
        key = keyOf(context);
        if (takes) {
            const auto [source, target] = loadTokenizers(context.folders.tokenizers, context.folders.recorded);
            key["tokenizers"] = takenTokenizers(*source, *target);
        } else {
            key["tokenizers"] = ownTokenizers(context);
        }
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidInput) throw;
        return load();  // not a text file; the loader reports it
    }
    std::optional<RunData> data;
    if (takes) data = findOfTraining(context, key, cache);
    if (!data) data = fromSections(cache.getOrMake(kKind, key, [&] { return toSections(load()); }));
    data->notes.insert(data->notes.end(), cache.notes().begin(), cache.notes().end());
    return std::move(*data);
}

}  // namespace heddle
