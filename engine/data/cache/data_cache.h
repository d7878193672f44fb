// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/data/batching/encoded_corpus.h"
#include "engine/data/cache/cache_file.h"

#include <functional>
#include <optional>

namespace heddle {

/// A folder of reproducible results. One thread; several processes may share the folder.
class DataCache {
public:
    explicit DataCache(std::string folder) : folder_(std::move(folder)) {}

    /// Returns the sections stored under `key` (everything they depend on); otherwise calls `make` and stores the result.
    /// Problems of the cache (damage, disk full) become notes, never errors.
    CacheSections getOrMake(const std::string& kind, const Json& key, const std::function<CacheSections()>& make);
    /// The sections stored under `key`, if there are any.
    std::optional<CacheSections> find(const std::string& kind, const Json& key) const;

    const std::vector<std::string>& notes() const { return notes_; }

private:
    struct Entry {
        std::string path, key;
    };
    Entry entryOf(const std::string& kind, const Json& key) const;
    static CacheRead read(const Entry& entry);

    std::string folder_;
    std::vector<std::string> notes_;
};

/// Stores a corpus' numeric columns as sections "<name>.source", "<name>.labels", …; empty columns are omitted. Texts and
/// pixels are not stored.
void putCorpus(CacheSections& sections, const std::string& name, const EncodedCorpus& corpus);
EncodedCorpus takeCorpus(const CacheSections& sections, const std::string& name);

}  // namespace heddle
