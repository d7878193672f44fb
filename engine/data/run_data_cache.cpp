// SPDX-License-Identifier: Apache-2.0
#include "engine/data/run_data_cache.h"

#include "engine/data/data_cache.h"
#include "engine/data/file_index.h"
#include "engine/spec/error.h"
#include "engine/spec/json.h"

#include <array>

namespace heddle {
namespace {

/// Raised when the meaning of what is stored changes.
constexpr int kCacheFormat = 1;

struct NamedSplit {
    const char* name;
    EncodedCorpus RunData::*corpus;
};
constexpr std::array kSplits{NamedSplit{"train", &RunData::train}, NamedSplit{"valid", &RunData::valid},
                             NamedSplit{"test", &RunData::test}};

Json textsOf(const EncodedCorpus& corpus) {
    return {{"source", corpus.sourceText}, {"target", corpus.targetText}, {"answers", corpus.answers}, {"tags", corpus.tags}};
}

void putTexts(EncodedCorpus& corpus, const Json& texts) {
    texts.at("source").get_to(corpus.sourceText);
    texts.at("target").get_to(corpus.targetText);
    texts.at("answers").get_to(corpus.answers);
    texts.at("tags").get_to(corpus.tags);
}

CacheSections toSections(const RunData& data) {
    CacheSections sections;
    Json rest{{"classes", data.classes}, {"hashes", data.dataHashes}, {"notes", data.notes}, {"reports", Json::array()}};
    for (const auto& [name, corpus] : kSplits) {
        putCorpus(sections, name, data.*corpus);
        rest[name] = textsOf(data.*corpus);
    }
    for (const TokenizerReport& report : data.reports) rest["reports"].push_back(report.json());
    sections["rest"] = rest.dump();
    sections["tokenizer"] = data.sourceTokenizer->saved();
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
    for (const Json& report : rest.at("reports")) data.reports.push_back(reportFromJson(report));
    data.sourceTokenizer = data.targetTokenizer = tokenizerFromSaved(sections.at("tokenizer"), "cached tokenizer");
    return data;
}

/// The tokenizer that is given instead of trained, by its contents.
Json givenTokenizer(const LoadContext& context) {
    if (!context.folders.tokenizers.empty()) return loadTokenizer(context.folders.tokenizers, "source")->hash();
    const std::string& file = givenFile(context.spec.data.tokenizer);
    return file.empty() ? "" : sha256OfFile(file);
}

/// All that the result depends on.
Json keyOf(const LoadContext& context) {
    const FileIndex index(context.folders.cache);
    const DataSpec& spec = context.spec.data;
    Json files = Json::array();
    for (const std::string& path : {spec.train.source, spec.valid.source, spec.test.source}) {
        if (path.empty()) {
            files.push_back("");
        } else {
            const auto known = index.find(path);
            files.push_back(known ? known->sha256 : index.read(path, context.stopRequested).sha256);
        }
    }
    Json settings = context.spec.toJson().value("data", Json::object());
    for (const char* path : {"train", "valid", "test", "vectors"}) settings.erase(path);
    const Json classes = context.spec.variant.resolve().dims.classes;
    return {{"format", kCacheFormat},    {"files", files},    {"data", settings}, {"tokenizer", givenTokenizer(context)},
            {"max_len", context.maxLen}, {"classes", classes}};
}

}  // namespace

RunData loadThroughCache(const LoadContext& context, const std::function<RunData()>& load) {
    if (context.folders.cache.empty()) return load();
    Json key;
    try {
        key = keyOf(context);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidInput) throw;
        return load();  // a file that is no text: what to do about that is the loader's business
    }
    DataCache cache(context.folders.cache);
    RunData data = fromSections(cache.getOrMake("examples", key, [&] { return toSections(load()); }));
    data.notes.insert(data.notes.end(), cache.notes().begin(), cache.notes().end());
    return data;
}

}  // namespace heddle
