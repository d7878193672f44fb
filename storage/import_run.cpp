// SPDX-License-Identifier: Apache-2.0
// RunStore::importRun: a run with everything that was recorded of it, row by row from another database.
#include "storage/chunk.h"
#include "storage/sqlite_run_store.h"

#include <array>
#include <map>
#include <string>

namespace heddle::storage {
namespace {

using Kind = StorageError::Kind;

/// A table whose rows belong to a run and refer to nothing else: every column but run and rev.
struct Table {
    const char* name;
    const char* columns;
};
constexpr std::array<Table, 6> kTables{{
    {"attempt",
     "attempt, started, seconds, first_step, device, host, program, torch, threads, context, peak_bytes, replay, "
     "replayed_steps"},
    {"evaluation", "step, split, metric, attempt, epoch, value, n, signature, seconds"},
    {"histogram",
     "name, path, step, attempt, low, high, below, above, not_finite, mean, deviation, minimum, maximum, bins, codec, checksum,"
     " data"},
    {"sample", "step, number, attempt, source, reference, hypothesis"},
    {"checkpoint", "step, kind, attempt, folder, weights_sha256, optimizer_sha256, state_sha256, bytes"},
    {"event", "attempt, step, seconds, at, kind, text, data"},
}};
constexpr const char* kRunColumns =
    "id, name, state, reason, spec, variant_hash, run_hash, seed, created, attempts, step, epoch, total_steps, parameters,"
    " seconds, lineage, run_group, tags";
constexpr const char* kSeriesColumns = "name, path, attempt, deterministic, points, first_step, last_step";
constexpr const char* kMapColumns =
    "name, path, probe, step, attempt, heads, rows, columns, codec, bytes, checksum, data, row_tokens, column_tokens";

/// The value as it is stored, of whatever type.
void bind(SQLite::Statement& statement, int index, const SQLite::Column& value) {
    if (value.isInteger())
        statement.bind(index, value.getInt64());
    else if (value.isFloat())
        statement.bind(index, value.getDouble());
    else if (value.isText())
        statement.bind(index, value.getString());
    else if (value.isBlob())
        statement.bind(index, value.getBlob(), value.getBytes());
    else
        statement.bind(index);
}

/// Copies rows between two connections and knows the new numbers of what rows refer to.
class RowCopy {
public:
    RowCopy(SQLite::Database& from, SQLite::Database& to, std::int64_t rev) : from_(from), to_(to), rev_(rev) {}

    /// Rows of `table` where `key` = `oldOwner` become rows where it is `newOwner`. Returns old number → new number for tables
    /// with a number of their own (`number` names the column; null for none).
    std::map<std::int64_t, std::int64_t> copy(const Table& table, const char* number, const char* key, std::int64_t oldOwner,
                                              std::int64_t newOwner) {
        const std::string columns = table.columns;
        SQLite::Statement read(from_, std::string("SELECT ") + (number ? number : "0") + ", " + columns + " FROM " +
                                          table.name + " WHERE " + key + " = ?");
        read.bind(1, oldOwner);
        std::string marks;
        for (int i = 1; i < read.getColumnCount(); ++i) marks += ", ?";
        SQLite::Statement write(
            to_, std::string("INSERT INTO ") + table.name + " (" + key + ", rev, " + columns + ") VALUES (?, ?" + marks + ")");
        return pump(read, write, newOwner);
    }

    /// A chunk's checksums are over its series' number too, so they are taken anew; of a damaged one they stay as they are, and
    /// it stays damaged.
    void copyChunks(std::int64_t oldSeries, std::int64_t newSeries) {
        SQLite::Statement read(from_,
                               "SELECT first_step, stride, n, codec, levels_checksum, data_checksum, levels, data"
                               " FROM chunk WHERE series = ?");
        read.bind(1, oldSeries);
        SQLite::Statement write(to_,
                                "INSERT INTO chunk (series, rev, first_step, stride, n, codec, levels_checksum,"
                                " data_checksum, levels, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        while (read.executeStep()) {
            ChunkRow row{0, oldSeries, read.getColumn(0).getInt64(), read.getColumn(1).getInt64(),
                         read.getColumn(2).getInt64()};
            const SQLite::Column data = read.getColumn(7);
            const auto values = decodeData(row, read.getColumn(5).getInt64(),
                                           {static_cast<const std::uint8_t*>(data.getBlob()), std::size_t(data.getBytes())});
            write.bind(1, newSeries);
            write.bind(2, rev_);
            for (int i = 0; i < 8; ++i) bind(write, i + 3, read.getColumn(i));
            if (values) {
                row.series = newSeries;
                const EncodedChunk made = encodeChunk(row, *values);
                write.bind(7, static_cast<std::int64_t>(made.levelsChecksum));
                write.bind(8, static_cast<std::int64_t>(made.dataChecksum));
            }
            step(write);
        }
    }

    /// A token list has no rev.
    std::map<std::int64_t, std::int64_t> copyTokens(std::int64_t oldRun, std::int64_t newRun) {
        SQLite::Statement read(from_, "SELECT id, tokens FROM token_list WHERE run = ?");
        read.bind(1, oldRun);
        std::map<std::int64_t, std::int64_t> numbers;
        SQLite::Statement write(to_, "INSERT INTO token_list (run, tokens) VALUES (?, ?)");
        while (read.executeStep()) {
            write.bind(1, newRun);
            write.bind(2, read.getColumn(1).getString());
            numbers[read.getColumn(0).getInt64()] = step(write);
        }
        return numbers;
    }

    /// Columns from the third on; the last `mapped` of them are numbers of token lists.
    void mapLast(int mapped, std::map<std::int64_t, std::int64_t> numbers) {
        mapped_ = mapped;
        numbers_ = std::move(numbers);
    }

private:
    std::map<std::int64_t, std::int64_t> pump(SQLite::Statement& read, SQLite::Statement& write, std::int64_t owner) {
        std::map<std::int64_t, std::int64_t> numbers;
        const int columns = read.getColumnCount();
        while (read.executeStep()) {
            write.bind(1, owner);
            write.bind(2, rev_);
            for (int i = 1; i < columns; ++i) {
                if (i >= columns - mapped_)
                    write.bind(i + 2, numbers_.at(read.getColumn(i).getInt64()));
                else
                    bind(write, i + 2, read.getColumn(i));
            }
            numbers[read.getColumn(0).getInt64()] = step(write);
        }
        return numbers;
    }

    std::int64_t step(SQLite::Statement& write) {
        write.exec();
        write.reset();
        return to_.getLastInsertRowid();
    }

    SQLite::Database& from_;
    SQLite::Database& to_;
    std::int64_t rev_;
    int mapped_ = 0;
    std::map<std::int64_t, std::int64_t> numbers_;
};

}  // namespace

void SqliteRunStore::importRun(const std::string& file, const std::string& run) {
    Connection other(file, Connection::Mode::Read);
    const ReadTransaction oneState(other);
    std::int64_t source = 0;
    other.guarded([&] {
        Query found = other.query("SELECT num FROM run WHERE id = ?");
        if (!found.with(run).next())
            throw StorageError(Kind::NotFound, "no run " + run, file, "`heddle runs list` shows the runs");
        source = found.integer(0);
    });
    change([&](std::int64_t rev) {
        if (connection_.query("SELECT 1 FROM run WHERE id = ?").with(run).next())
            throw StorageError(Kind::Invalid, "run " + run + " is already in this database", file_,
                               "delete it there first, or leave it out");
        other.guarded([&] {
            SQLite::Database& to = connection_.database();
            RowCopy rows(other.database(), to, rev);
            // "num" owns itself: a run's rows are found by it, and the copy is given the next free one.
            const std::int64_t free = to.execAndGet("SELECT coalesce(max(num), 0) + 1 FROM run").getInt64();
            rows.copy({"run", kRunColumns}, nullptr, "num", source, free);
            for (const Table& table : kTables) rows.copy(table, nullptr, "run", source, free);
            for (const auto& [old, made] : rows.copy({"series", kSeriesColumns}, "num", "run", source, free))
                rows.copyChunks(old, made);
            rows.mapLast(2, rows.copyTokens(source, free));
            rows.copy({"map", kMapColumns}, nullptr, "run", source, free);
        });
    });
}

}  // namespace heddle::storage
