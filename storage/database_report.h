// SPDX-License-Identifier: Apache-2.0
// What a run database says about itself, and whether it is whole.
#pragma once

#include "storage/records.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle::storage {

struct DatabaseReport {
    std::int64_t schema = 0;
    double created = 0;   ///< Unix time
    std::string journal;  ///< "wal", "delete"
    std::string notice;   ///< of RunQuery
    std::string owner;    ///< of currentOwner
    std::uint64_t fileBytes = 0, walBytes = 0, freeBytes = 0;
    std::int64_t runs = 0, attempts = 0, points = 0, evaluations = 0, histograms = 0, maps = 0;
    struct Use {
        std::string kind;  ///< "maps" "histograms" "series" "samples" "events" "rest" "free", in this order
        std::uint64_t bytes = 0;
    };
    std::vector<Use> use;  ///< empty where SQLite cannot tell
};

/// Reads the pages of the whole file once: not for a GUI thread. Throws StorageError.
DatabaseReport reportOn(const std::string& file);

struct Verification {
    std::vector<std::string> problems;      ///< what SQLite or a checksum found; empty: whole
    std::int64_t records = 0, damaged = 0;  ///< with a checksum
    bool cancelled = false;
};

/// SQLite's own check, then every record against its checksum. Changes nothing. `proceed(done, total)` is asked between runs
/// and may answer false. Throws StorageError when the file cannot be read at all.
Verification verifyDatabase(const std::string& file, const std::function<bool(std::int64_t, std::int64_t)>& proceed);

}  // namespace heddle::storage
