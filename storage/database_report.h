// SPDX-License-Identifier: Apache-2.0
// Statistics and verification of a run database.
#pragma once

#include "storage/owner.h"
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
    Owner owner;          ///< of currentOwner
    std::uint64_t fileBytes = 0, walBytes = 0, freeBytes = 0;
    std::int64_t runs = 0, attempts = 0, points = 0, evaluations = 0, histograms = 0, maps = 0;
    struct Use {
        std::string kind;  ///< "maps" "histograms" "series" "samples" "events" "rest" "free", in this order
        std::uint64_t bytes = 0;
    };
    std::vector<Use> use;  ///< empty if SQLite lacks dbstat
};

/// Reads all pages of the file once; do not call it on a GUI thread. Throws StorageError.
DatabaseReport reportOn(const std::string& file);

struct Verification {
    std::vector<std::string> problems;      ///< found by SQLite or by checksums; empty: none
    std::int64_t records = 0, damaged = 0;  ///< with a checksum
    bool cancelled = false;
};

/// Runs SQLite's integrity check and verifies the checksum of every record. Changes nothing. `proceed(done, total)` is called
/// between runs; false cancels. Throws StorageError when the file cannot be read.
Verification verifyDatabase(const std::string& file, const std::function<bool(std::int64_t, std::int64_t)>& proceed);

}  // namespace heddle::storage
