// SPDX-License-Identifier: Apache-2.0
#include "storage/trackio.h"

#include "storage/connection.h"
#include "storage/file_system.h"
#include "storage/followed_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace heddle::storage {
namespace {

using Kind = StorageError::Kind;
using Columns = std::set<std::string>;

Columns columnsOf(Connection& connection, const char* table) {
    Columns columns;
    Query rows = connection.query("SELECT name FROM pragma_table_info(?)");
    rows.with(table);
    while (rows.next()) columns.insert(rows.text(0));
    return columns;
}

bool hasAll(const Columns& columns, const std::set<std::string>& wanted) {
    return std::includes(columns.begin(), columns.end(), wanted.begin(), wanted.end());
}

bool hasMetrics(Connection& connection) {
    return hasAll(columnsOf(connection, "metrics"), {"id", "timestamp", "run_name", "step", "metrics"});
}

/// Runs had no ids before 0.20.
std::string runColumn(const Columns& columns) { return columns.contains("run_id") ? "run_id" : "run_name"; }

/// `select`: id, run, name, step, time, values.
void pass(Connection& connection, const std::string& select, TrackioTable table,
          const std::function<void(TrackioTable, const TrackioRow&)>& take) {
    Query rows = connection.query(select);
    while (rows.next()) {
        if (rows.isNull(3))
            throw StorageError(Kind::Corrupt, fmt::format("row {} has a step that is not a whole number", rows.integer(0)),
                               connection.file(), "nothing was imported");
        take(table, {rows.integer(0), rows.text(1), rows.text(2), rows.integer(3), rows.real(4), rows.text(5)});
    }
}

}  // namespace

void readTrackio(const std::string& file, const std::function<void(TrackioTable, const TrackioRow&)>& take) {
    const std::string real = realFile(file);
    const auto opened = FollowedFile(real).open();
    Connection& connection = *opened;
    connection.guarded([&] {
        const ReadTransaction oneState(connection);
        if (!hasMetrics(connection))
            throw StorageError(Kind::NotADatabase, "neither a Heddle nor a Trackio database", file,
                               "a Trackio project is a file PROJECT.db with a table of metrics");
        const Columns configs = columnsOf(connection, "configs"), metrics = columnsOf(connection, "metrics");
        if (hasAll(configs, {"id", "run_name", "config", "created_at"}))
            pass(connection,
                 fmt::format("SELECT id, {}, run_name, 0, (julianday(created_at) - 2440587.5) * 86400.0, CAST(config AS TEXT)"
                             " FROM configs ORDER BY id",
                             runColumn(configs)),
                 TrackioTable::Configs, take);
        pass(connection,
             fmt::format("SELECT id, {}, run_name, iif(typeof(step) = 'integer', step, NULL),"
                         " (julianday(timestamp) - 2440587.5) * 86400.0, CAST(metrics AS TEXT) FROM metrics ORDER BY id",
                         runColumn(metrics)),
             TrackioTable::Metrics, take);
    });
}

}  // namespace heddle::storage
