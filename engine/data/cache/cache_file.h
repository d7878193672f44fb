// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

namespace heddle {

/// Named byte strings in one file: what the data cache keeps. Layout, little-endian: magic "HEDDLEC1", u32 sections, then for
/// each u32 length and name, u64 length and bytes; last the SHA-256 (64 hexadecimal characters) of everything before.
using CacheSections = std::map<std::string, std::string>;

struct CacheRead {
    std::optional<CacheSections> sections;  ///< nothing: there is no file, or it cannot be trusted
    std::string damage;                     ///< why it cannot be trusted; empty if there is no file
};

/// Reads and verifies; never throws for what is in the file.
CacheRead readCacheFile(const std::string& path);

/// Writes beside `path`, flushes to disk and renames, so that a reader sees all or nothing. Creates the folder; removes
/// from it what writers left that were killed. Throws Error(Failure) with the system's reason.
void writeCacheFile(const std::string& path, const CacheSections& sections);

}  // namespace heddle
