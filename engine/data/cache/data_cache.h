// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/data/batching/dataset.h"
#include "engine/data/cache/cache_file.h"

#include <functional>
#include <optional>

namespace heddle {

/// A folder of things that can be made again. One thread; several processes may share the folder.
class DataCache {
public:
    explicit DataCache(std::string folder) : folder_(std::move(folder)) {}

    /// The sections stored under `key` (all that they depend on), or what `make` gives, which is then stored. What is wrong
    /// with the cache (damage, no room) becomes a note and never an error.
    CacheSections getOrMake(const std::string& kind, const Json& key, const std::function<CacheSections()>& make);
    /// The sections stored under `key`, if there are any.
    std::optional<CacheSections> find(const std::string& kind, const Json& key) const;

    const std::vector<std::string>& notes() const { return notes_; }
    std::int64_t hits() const { return hits_; }

private:
    struct Entry {
        std::string path, key;
    };
    Entry entryOf(const std::string& kind, const Json& key) const;
    static CacheRead read(const Entry& entry);

    std::string folder_;
    std::vector<std::string> notes_;
    std::int64_t hits_ = 0;
};

/// A corpus' columns of numbers as sections "<name>.source", "<name>.labels", …; an empty one is left out. Its texts and pixels
/// are not among them.
void putCorpus(CacheSections& sections, const std::string& name, const EncodedCorpus& corpus);
EncodedCorpus takeCorpus(const CacheSections& sections, const std::string& name);

}  // namespace heddle
