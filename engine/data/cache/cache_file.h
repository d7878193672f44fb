// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

namespace heddle {

/// Named byte strings in one file of the data cache. Layout, little-endian: magic "HEDDLEC1", u32 number of sections; per
/// section u32 length and name, u64 length and bytes; last the SHA-256 (64 hexadecimal characters) of all preceding bytes.
using CacheSections = std::map<std::string, std::string>;

struct CacheRead {
    std::optional<CacheSections> sections;  ///< nothing: no file, or a damaged one
    std::string damage;                     ///< why the file is damaged; empty if there is no file
};

/// Reads and verifies a cache file; never throws because of its contents.
CacheRead readCacheFile(const std::string& path);

/// Writes beside `path`, flushes to disk and renames, so that a reader sees all or nothing. Creates the folder; removes
/// temporary files of killed writers. Throws Error(Failure) with the system's reason.
void writeCacheFile(const std::string& path, const CacheSections& sections);

}  // namespace heddle
