// SPDX-License-Identifier: Apache-2.0
#include "storage/connection.h"
#include "storage/file_system.h"
#include "storage/run_store.h"

namespace heddle::storage {

std::optional<std::pair<bool, std::string>> readAnswer(const std::string& file, std::int64_t request) {
    std::string real = realFile(file);
    if (inspect(real) != FileKind::RunDatabase) return std::nullopt;  // its owner has not created it yet
    Connection connection(real, Connection::Mode::Read);
    return connection.guarded([&]() -> std::optional<std::pair<bool, std::string>> {
        Query row = connection.query("SELECT ok, text FROM answer WHERE request = ?");
        if (!row.with(request).next()) return std::nullopt;
        return std::pair(row.integer(0) != 0, row.text(1));
    });
}

}  // namespace heddle::storage
