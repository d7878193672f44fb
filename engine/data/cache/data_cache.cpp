// SPDX-License-Identifier: Apache-2.0
#include "engine/data/cache/data_cache.h"

#include "engine/base/error.h"
#include "engine/base/sha256.h"

#include <fmt/format.h>

#include <cstring>

namespace heddle {
namespace {

template <typename Element>
std::string toBytes(const std::vector<Element>& elements) {
    return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(Element)};
}

template <typename Element>
std::vector<Element> fromBytes(const std::string& bytes) {
    std::vector<Element> elements(bytes.size() / sizeof(Element));
    if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(Element));  // null when empty
    return elements;
}

/// Calls `visit(name, column)` for every column of numbers.
template <typename Corpus, typename Visit>
void visitColumns(Corpus& corpus, Visit&& visit) {
    visit("source", corpus.source);
    visit("target", corpus.target);
    visit("source_begin", corpus.sourceBegin);
    visit("target_begin", corpus.targetBegin);
    visit("second_at", corpus.secondAt);
    visit("labels", corpus.labels);
    visit("numbers", corpus.numbers);
    visit("answer_first", corpus.answerFirst);
    visit("answer_last", corpus.answerLast);
    visit("piece_first", corpus.pieceFirst);
    visit("text_begin", corpus.textBegin);
    visit("text_end", corpus.textEnd);
    visit("example_of", corpus.exampleOf);
    visit("begin_from", corpus.beginFrom);
    visit("begin_to", corpus.beginTo);
}

}  // namespace

DataCache::Entry DataCache::entryOf(const std::string& kind, const Json& key) const {
    const std::string text = canonicalJson(key);
    return {fmt::format("{}/{}-{}.heddlecache", folder_, kind, sha256Hex(text)), text};
}

CacheRead DataCache::read(const Entry& entry) {
    CacheRead read = readCacheFile(entry.path);
    if (read.sections && (*read.sections)["key"] != entry.key) return {std::nullopt, "it belongs to other data"};
    return read;
}

std::optional<CacheSections> DataCache::find(const std::string& kind, const Json& key) const {
    if (folder_.empty()) return std::nullopt;
    return read(entryOf(kind, key)).sections;
}

CacheSections DataCache::getOrMake(const std::string& kind, const Json& key, const std::function<CacheSections()>& make) {
    if (folder_.empty()) return make();
    const Entry entry = entryOf(kind, key);
    CacheRead found = read(entry);
    if (found.sections) {
        ++hits_;
        return std::move(*found.sections);
    }
    if (!found.damage.empty())
        notes_.push_back(fmt::format("cache file {} is damaged ({}); it is made again", entry.path, found.damage));
    CacheSections made = make();
    made["key"] = entry.key;
    try {
        writeCacheFile(entry.path, made);
    } catch (const Error& error) {
        notes_.push_back(fmt::format("the cache could not be written: {}", error.what()));
    }
    return made;
}

void putCorpus(CacheSections& sections, const std::string& name, const EncodedCorpus& corpus) {
    visitColumns(corpus, [&](const char* column, const auto& values) {
        if (!values.empty()) sections[name + "." + column] = toBytes(values);
    });
}

EncodedCorpus takeCorpus(const CacheSections& sections, const std::string& name) {
    EncodedCorpus corpus;
    visitColumns(corpus, [&](const char* column, auto& values) {
        const auto found = sections.find(name + "." + column);
        values.clear();
        if (found != sections.end()) values = fromBytes<typename std::decay_t<decltype(values)>::value_type>(found->second);
    });
    return corpus;
}

}  // namespace heddle
