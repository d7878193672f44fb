// SPDX-License-Identifier: Apache-2.0
#include "engine/data/data_cache.h"

#include "engine/spec/error.h"

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

CacheSections DataCache::getOrMake(const std::string& kind, const Json& key, const std::function<CacheSections()>& make) {
    if (folder_.empty()) return make();
    const std::string keyText = canonicalJson(key);
    const std::string path = fmt::format("{}/{}-{}.heddlecache", folder_, kind, sha256Hex(keyText));
    CacheRead read = readCacheFile(path);
    if (read.sections && (*read.sections)["key"] != keyText) read = {std::nullopt, "it belongs to other data"};
    if (read.sections) {
        ++hits_;
        return std::move(*read.sections);
    }
    if (!read.damage.empty())
        notes_.push_back(fmt::format("cache file {} is damaged ({}); it is made again", path, read.damage));
    CacheSections made = make();
    made["key"] = keyText;
    try {
        writeCacheFile(path, made);
    } catch (const Error& error) {
        notes_.push_back(fmt::format("the cache could not be written: {}", error.what()));
    }
    return made;
}

void putCorpus(CacheSections& sections, const std::string& name, const EncodedCorpus& corpus) {
    sections[name + ".source"] = toBytes(corpus.source);
    sections[name + ".target"] = toBytes(corpus.target);
    sections[name + ".source_begin"] = toBytes(corpus.sourceBegin);
    sections[name + ".target_begin"] = toBytes(corpus.targetBegin);
}

EncodedCorpus takeCorpus(const CacheSections& sections, const std::string& name) {
    EncodedCorpus corpus;
    corpus.source = fromBytes<std::int32_t>(sections.at(name + ".source"));
    corpus.target = fromBytes<std::int32_t>(sections.at(name + ".target"));
    corpus.sourceBegin = fromBytes<std::int64_t>(sections.at(name + ".source_begin"));
    corpus.targetBegin = fromBytes<std::int64_t>(sections.at(name + ".target_begin"));
    return corpus;
}

}  // namespace heddle
