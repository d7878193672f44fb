// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace heddle::storage {

class Connection;

/// "HDDL" in the file's header (offset 68, big-endian): identifies a run database, also for file(1).
inline constexpr std::int32_t kApplicationId = 0x4844444c;

/// The numbered SQL files of storage/schema, embedded in the library; entry N-1 upgrades from schema N-1 to schema N.
std::span<const char* const> schemaFiles();

/// The schema version that this program writes.
int schemaVersion();

/// Schema version of a connection's database (PRAGMA user_version); 0: new.
int schemaOf(Connection& connection);
/// The same. Throws StorageError NewerSchema for a schema that this program does not know.
int knownSchemaOf(Connection& connection);

/// Applies steps[version], steps[version + 1], … in one transaction that also sets application_id and user_version; a new file
/// gets pages of 16 KiB and incremental vacuum. Requires the writer lock. Throws StorageError and leaves the database unchanged
/// when a step fails.
void applySchema(Connection& connection, std::span<const char* const> steps);

/// Copies the database to FILE.bak-vN, N its schema; written beside it and renamed, so the copy is never incomplete. Returns
/// the copy's path. Throws StorageError (Full, InputOutput).
std::string backUp(Connection& connection, const std::string& file);

}  // namespace heddle::storage
