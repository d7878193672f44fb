// SPDX-License-Identifier: Apache-2.0
#include "engine/data/cache/data_cache.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
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

/// Calls `visit(name, column)` for every column of numbers that all tasks share.
template <typename Corpus, typename Visit>
void visitColumns(Corpus& corpus, Visit&& visit) {
    visit("source", corpus.source);
    visit("target", corpus.target);
    visit("source_begin", corpus.sourceBegin);
    visit("target_begin", corpus.targetBegin);
    visit("second_at", corpus.secondAt);
}

/// The same for labels of one kind.
template <typename Labels, typename Visit>
void visitLabels(Labels& labels, Visit&& visit) {
    using Kind = std::remove_const_t<Labels>;
    if constexpr (std::is_same_v<Kind, ClassLabels>) {
        visit("labels", labels.classes);
    } else if constexpr (std::is_same_v<Kind, NumberLabels>) {
        visit("numbers", labels.numbers);
    } else if constexpr (std::is_same_v<Kind, TagLabels>) {
        visit("tag_classes", labels.classes);
    } else if constexpr (std::is_same_v<Kind, SpanLabels>) {
        visit("example_of", labels.exampleOf);
        visit("answer_first", labels.first);
        visit("answer_last", labels.last);
        visit("begin_from", labels.beginFrom);
        visit("begin_to", labels.beginTo);
        visit("text_begin", labels.textBegin);
        visit("text_end", labels.textEnd);
    } else {
        static_assert(std::is_same_v<Kind, std::monostate>);
    }
}

}  // namespace

DataCache::Entry DataCache::entryOf(const std::string& kind, const Json& key) const {
    const std::string text = canonicalJson(key);
    return {fmt::format("{}/{}-{}.heddlecache", folder_, kind, sha256Hex(text)), text};
}

CacheRead DataCache::read(const Entry& entry) {
    CacheRead read = readCacheFile(entry.path);
    if (read.sections && (*read.sections)["key"] != entry.key) return {std::nullopt, "it is for other data"};
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
    if (found.sections) return std::move(*found.sections);
    if (!found.damage.empty())
        notes_.push_back(fmt::format("cache file {} is damaged ({}); it is created again", entry.path, found.damage));
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
    const auto put = [&](const char* column, const auto& values) {
        if (!values.empty()) sections[name + "." + column] = toBytes(values);
    };
    visitColumns(corpus, put);
    std::visit([&](const auto& labels) { visitLabels(labels, put); }, corpus.labels);
}

EncodedCorpus takeCorpus(const CacheSections& sections, const std::string& name) {
    EncodedCorpus corpus;
    const auto take = [&](const char* column, auto& values) {
        const auto found = sections.find(name + "." + column);
        values.clear();
        if (found != sections.end()) values = fromBytes<typename std::decay_t<decltype(values)>::value_type>(found->second);
        return !values.empty();
    };
    visitColumns(corpus, take);
    const auto takeLabels = [&](auto labels) {
        bool isStored = false;
        visitLabels(labels, [&](const char* column, auto& values) { isStored = take(column, values) || isStored; });
        if (isStored) corpus.labels = std::move(labels);
    };
    takeLabels(ClassLabels());
    takeLabels(NumberLabels());
    takeLabels(TagLabels());
    takeLabels(SpanLabels());
    return corpus;
}

}  // namespace heddle
