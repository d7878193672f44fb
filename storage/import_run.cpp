// SPDX-License-Identifier: Apache-2.0
// RunStore::importRun: copies all records of a run from another database, row by row.
#include "storage/chunk.h"
#include "storage/run_store_parts.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace heddle::storage {
namespace {

using Kind = StorageError::Kind;
using Numbers = std::map<std::int64_t, std::int64_t>;  ///< old number of a row → new number

constexpr const char* kRunColumns =
    "id, name, state, reason, spec, variant_hash, run_hash, seed, created, attempts, step, epoch, total_steps, parameters,"
    " seconds, lineage, run_group, tags, edits, intervened";

/// Binds a stored value of any type.
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

/// Copies the rows of one run between two connections.
class RowCopy {
public:
    RowCopy(SQLite::Database& from, SQLite::Database& to, std::int64_t rev) : from_(from), to_(to), rev_(rev) {}

    /// Copies the run's row without record counts and queue position. Returns the run's new number.
    std::int64_t copyRun(std::int64_t run) {
        SQLite::Statement read(from_, fmt::format("SELECT {} FROM run WHERE num = ?", kRunColumns));
        read.bind(1, run);
        if (!read.executeStep()) throw StorageError(Kind::NotFound, "the run has been deleted", "", "");
        const int columns = read.getColumnCount();
        const std::vector<const char*> marks(static_cast<std::size_t>(columns) + 1, "?");
        SQLite::Statement write(to_, fmt::format("INSERT INTO run ({}, rev) VALUES ({})", kRunColumns, fmt::join(marks, ", ")));
        for (int i = 0; i < columns; ++i) bind(write, i + 1, read.getColumn(i));
        write.bind(columns + 1, rev_);
        newRun_ = step(write);
        oldRun_ = run;
        return newRun_;
    }

    /// Token lists have neither rev nor checksum; the maps' checksums cover them.
    void copyTokens() {
        SQLite::Statement read(from_, "SELECT id, tokens FROM token_list WHERE run = ?");
        read.bind(1, oldRun_);
        while (read.executeStep()) tokens_[read.getColumn(0).getInt64()] = addTokens(read.getColumn(1).getString());
    }

    struct Copied {
        std::int64_t rows = 0;
        Numbers numbers;  ///< of a table with a column `number`
    };
    /// Copies the rows of one table; damaged rows stay damaged.
    Copied copy(const RecordTable& table, const char* number) {
        const std::string columns = table.columns, blobs = *table.blobs ? fmt::format(", {}", table.blobs) : "";
        const std::string ofRun = columns.substr(columns.find(", ") + 2);  // the first one is the run
        SQLite::Statement read(from_, fmt::format("SELECT {}, {}, {}, {}{} FROM {} AS e WHERE run = ? ORDER BY 1", number,
                                                  table.isWhole("e"), ofRun, rev_, blobs, table.name));
        read.bind(1, oldRun_);
        SQLite::Statement whole(to_, table.insert()), damaged(to_, table.insertDamaged());
        Copied copied;
        const int mapped = table.kind == RecordKind::Map ? indexOf(read, "row_tokens") : read.getColumnCount();
        while (read.executeStep()) {
            SQLite::Statement& write = read.getColumn(1).getInt() != 0 ? whole : damaged;
            write.bind(1, newRun_);
            for (int i = 2; i < read.getColumnCount(); ++i) {
                if (i == mapped || i == mapped + 1)
                    write.bind(i, tokensOf(read.getColumn(i).getInt64()));
                else
                    bind(write, i, read.getColumn(i));
            }
            copied.numbers[read.getColumn(0).getInt64()] = step(write);
            ++copied.rows;
        }
        return copied;
    }

    /// A chunk's checksums include its series' number and are recomputed; a damaged chunk keeps its checksums and stays
    /// damaged.
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

private:
    static int indexOf(SQLite::Statement& statement, const std::string& column) {
        int index = 0;
        while (statement.getColumnName(index) != column) ++index;
        return index;
    }

    /// A missing list leaves its map damaged and without tokens.
    std::int64_t tokensOf(std::int64_t old) {
        const auto known = tokens_.find(old);
        return known != tokens_.end() ? known->second : tokens_[old] = addTokens(fmt::format("[\"lost {}\"]", old));
    }

    std::int64_t addTokens(const std::string& tokens) {
        SQLite::Statement write(to_, "INSERT INTO token_list (run, tokens) VALUES (?, ?)");
        write.bind(1, newRun_);
        write.bind(2, tokens);
        return step(write);
    }

    std::int64_t step(SQLite::Statement& write) {
        write.exec();
        write.reset();
        return to_.getLastInsertRowid();
    }

    SQLite::Database& from_;
    SQLite::Database& to_;
    std::int64_t rev_, oldRun_ = 0, newRun_ = 0;
    Numbers tokens_;
};

/// The column that numbers a table's rows.
const char* numberColumn(RecordKind kind) {
    switch (kind) {
    case RecordKind::Series: return "num";
    case RecordKind::Event: return "id";
    default: return "0";
    }
}

}  // namespace

void RunStore::importRun(const std::string& file, const std::string& run) {
    static const std::string kFind = "SELECT num, " + kRunTable.isWhole("run") + " FROM run WHERE id = ?";
    Connection other(file, Connection::Mode::Read);
    other.limitLength(Connection::Values::Blobs);
    const ReadTransaction oneState(other);
    std::int64_t source = 0;
    other.guarded([&] {
        Query found = other.query(kFind);
        if (!isRunId(run) || !found.with(run).next())
            throw StorageError(Kind::NotFound, "no run " + run, file, "`heddle runs list` shows the runs");
        if (found.integer(1) == 0)
            throw StorageError(Kind::Corrupt, "the record of run " + run + " is damaged", file,
                               "leave this run out; the others can be copied");
        source = found.integer(0);
    });
    change([&](std::int64_t rev) {
        if (connection_->query("SELECT 1 FROM run WHERE id = ?").with(run).next())
            throw StorageError(Kind::Invalid, "run " + run + " is already in this database", file_,
                               "delete it first, or do not import it");
        other.guarded([&] {
            RowCopy rows(other.database(), connection_->database(), rev);
            const std::int64_t made = rows.copyRun(source);
            changedRuns_.insert(made);
            ++runsAdded_;
            rows.copyTokens();
            for (const RecordTable& table : recordTables()) {
                const auto copied = rows.copy(table, numberColumn(table.kind));
                count(made, table.kind, copied.rows);
                if (table.kind != RecordKind::Series) continue;
                for (const auto& [oldSeries, newSeries] : copied.numbers) rows.copyChunks(oldSeries, newSeries);
            }
        });
    });
}

}  // namespace heddle::storage
