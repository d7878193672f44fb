// SPDX-License-Identifier: Apache-2.0
#include "storage/schema.h"

#include "storage/connection.h"
#include "storage/file_system.h"

#include <fmt/core.h>

#include <filesystem>

namespace heddle::storage {

int schemaVersion() { return static_cast<int>(schemaFiles().size()); }

int schemaOf(Connection& connection) {
    const std::int64_t version = connection.pragma("PRAGMA user_version");
    if (version < 0)
        throw StorageError(StorageError::Kind::Corrupt, fmt::format("the database has the invalid schema {}", version),
                           connection.file(), "restore a copy");
    return static_cast<int>(version);
}

int knownSchemaOf(Connection& connection) {
    const int version = schemaOf(connection);
    if (version > schemaVersion())
        throw StorageError(
            StorageError::Kind::NewerSchema,
            fmt::format("the database has schema {}, but this program supports at most {}", version, schemaVersion()),
            connection.file(), "open it with the newer version of Heddle that wrote it");
    return version;
}

void applySchema(Connection& connection, std::span<const char* const> steps) {
    connection.guarded([&] {
        auto version = static_cast<std::size_t>(schemaOf(connection));
        if (version == 0) connection.execute("PRAGMA page_size = 16384");
        connection.execute("BEGIN");
        try {
            // The first write, so that every non-empty file has our application_id.
            if (version == 0) connection.execute("PRAGMA auto_vacuum = INCREMENTAL");
            for (; version < steps.size(); ++version) connection.execute(steps[version]);
            // PRAGMA takes no parameters; both numbers are constants.
            connection.execute(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str());
            connection.execute(fmt::format("PRAGMA user_version = {}", steps.size()).c_str());
            connection.execute("COMMIT");
        } catch (...) {
            connection.database().tryExec("ROLLBACK");
            throw;
        }
    });
}

std::string backUp(Connection& connection, const std::string& file) {
    namespace fs = std::filesystem;
    std::string copy = fmt::format("{}.bak-v{}", file, schemaOf(connection)), unfinished = copy + ".tmp";
    std::error_code failure;
    fs::remove(unfinished, failure);
    createPrivate(unfinished);
    connection.guarded([&] { connection.query("VACUUM INTO ?").with(unfinished).run(); });
    syncToDisk(unfinished);
    fs::rename(unfinished, copy, failure);
    if (failure)
        throw StorageError(StorageError::Kind::InputOutput, "cannot back up the database: " + failure.message(), copy,
                           "free disk space or check the folder's permissions; the database was not changed");
    syncToDisk(folderOf(copy));
    return copy;
}

}  // namespace heddle::storage
