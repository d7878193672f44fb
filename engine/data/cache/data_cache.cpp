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
    const auto put = [&](const auto& column, const auto& values) {
        if constexpr (kHasNumbers<decltype(values)>)
            if (!values.empty()) sections[name + "." + column.name] = toBytes(values);
    };
    forEachColumn(corpus, put);
    std::visit([&](const auto& labels) { forEachColumn(labels, put); }, corpus.labels);
}

EncodedCorpus takeCorpus(const CacheSections& sections, const std::string& name) {
    EncodedCorpus corpus;
    bool isFound = false;
    const auto take = [&](const auto& column, auto& values) {
        if constexpr (kHasNumbers<decltype(values)>) {
            values.clear();
            const auto found = sections.find(name + "." + column.name);
            if (found == sections.end()) return;
            values = fromBytes<typename std::decay_t<decltype(values)>::value_type>(found->second);
            isFound = isFound || !values.empty();
        }
    };
    forEachColumn(corpus, take);
    const auto takeLabels = [&](auto labels) {
        isFound = false;
        forEachColumn(labels, take);
        if (isFound) corpus.labels = std::move(labels);
    };
    takeLabels(ClassLabels());
    takeLabels(NumberLabels());
    takeLabels(TagLabels());
    takeLabels(SpanLabels());
    return corpus;
}

}  // namespace heddle
