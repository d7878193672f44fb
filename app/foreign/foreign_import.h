// SPDX-License-Identifier: Apache-2.0
// From a file of another program to runs of a database.
#pragma once

#include "app/foreign/foreign_runs.h"
#include "engine/spec/foreign_spec.h"
#include "storage/run_store.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace heddle::app {

/// Whether FILE is there and no run database of Heddle.
bool isForeignFile(const std::string& file);

/// A file understood: its runs, and the spec that each will have.
struct ForeignImport {
    std::string path, format, sha256;  ///< of the table
    ForeignRuns found;
    std::vector<ForeignSpec> specs;      ///< of found.runs, in their order
    std::vector<std::string> groupKeys;  ///< groupKey() of each spec, kept because each call hashes a document
    std::vector<std::string> documents;  ///< the specs as a database stores them
};

/// Throws as foreignRuns(), Error(Usage) where runs without seeds are to be pairs, and Error(InvalidInput) for a run whose
/// settings are too long for a database.
ForeignImport understood(const ForeignTable& table, const ForeignOptions& options);

struct ForeignGroup {
    std::string key;   ///< ForeignSpec::groupKey()
    std::string name;  ///< the declared one; empty: none is declared
    std::size_t runs = 0;
    std::set<std::uint64_t> seeds;  ///< of these runs; one without a seed counts with one of its own
};

/// The groups of the file's runs, in its order.
std::vector<ForeignGroup> groupsOf(const ForeignImport& import);

struct ImportedRuns {
    std::vector<std::string> ids;  ///< of the new runs, in the order of the file
    std::vector<ForeignGroup> groups;
};

/// Adds all runs. Call it inside a transaction of `store`, which makes that all or none. Throws Error(Usage), naming them, if
/// runs of this file are in the database already, and StorageError.
ImportedRuns importForeign(const ForeignImport& import, storage::RunStore& store);

}  // namespace heddle::app
