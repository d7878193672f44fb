// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace heddle::storage {

class Connection;

/// "HDDL" in the file's header (offset 68, big-endian): how file(1) and we know a run database.
inline constexpr std::int32_t kApplicationId = 0x4844444c;

/// The numbered SQL files of storage/schema, embedded when the library is built: entry N-1 leads from schema N-1 to schema N.
std::span<const char* const> schemaFiles();

/// The schema that this program writes.
int schemaVersion();

/// Schema of a connection's database (PRAGMA user_version); 0: new.
int schemaOf(Connection& connection);

/// Applies steps[version], steps[version + 1], … in one transaction that also sets application_id and user_version; a new file
/// gets pages of 16 KiB and incremental vacuum. Call under the writer lock. Throws StorageError and leaves the database as it
/// was when a step fails.
void applySchema(Connection& connection, std::span<const char* const> steps);

/// A consistent copy of the database in FILE.bak-vN, N its schema; written beside it and renamed, so never half a copy.
/// Returns the copy's path. Throws StorageError (Full, InputOutput).
std::string backUp(Connection& connection, const std::string& file);

}  // namespace heddle::storage
