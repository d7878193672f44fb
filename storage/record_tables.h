// SPDX-License-Identifier: Apache-2.0
// The tables whose rows people read as results: which columns a row's checksum covers, and the SQL that both ends share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

struct sqlite3;

namespace heddle::storage {

/// Records of a run whose number stands in the run's own row, so that a missing row is noticed.
enum class RecordKind { Attempt, Series, Evaluation, Histogram, Map, Sample, Checkpoint, Event };
inline constexpr std::size_t kRecordKinds = 8;
using RecordCounts = std::array<std::int64_t, kRecordKinds>;

/// Columns of table run with these numbers, in the order of RecordKind.
inline constexpr const char* kCountColumns =
    "n_attempt, n_series, n_evaluation, n_histogram, n_map, n_sample, n_checkpoint, n_event";

/// A table with a column row_checksum, which the SQL function heddle_row_checksum takes over `columns`.
struct RecordTable {
    RecordKind kind;
    const char* name;
    const char* columns;       ///< every column that means something, the key first; separated by ", "
    const char* blobs = "";    ///< columns with checksums of their own
    const char* derived = "";  ///< SQL expressions that the checksum covers too, of rows that others refer to; "@" is the table

    /// "INSERT OR IGNORE INTO …" with a parameter for each of columns, then rev, then one for each of blobs.
    std::string insert() const;
    /// The same for a copy of a row that is damaged, which stays so.
    std::string insertDamaged() const;
    /// The same with "INSERT OR REPLACE".
    std::string replace() const;
    /// An expression that is 1 for a row as it was written; `alias` names the table in the statement.
    std::string isWhole(const std::string& alias) const;
    /// "UPDATE … SET row_checksum = …", to be followed by a WHERE clause.
    std::string seal() const;
};

const RecordTable& tableOf(RecordKind kind);
const std::array<RecordTable, kRecordKinds>& recordTables();

/// Of tables run and item, which belong to no run; only isWhole() and seal() apply.
extern const RecordTable kRunTable, kItemTable;

/// Gives a connection the SQL function heddle_row_checksum(…): CRC-32 (zlib's) over its arguments, each as one byte of type
/// ('i' integer, 'r' real, 't' text, 'b' blob, 'n' NULL) and then the 64 bits of a number (−0 as 0), or the length in 64 bits
/// and the bytes; little-endian.
void defineRowChecksum(sqlite3* connection);

/// The id by which a row of table run is shown that has none of its own: "damaged-7" for row 7.
std::string damagedRunId(std::int64_t number);
/// The row that such an id names; nothing for any other text.
std::optional<std::int64_t> numberOfDamaged(const std::string& id);
}  // namespace heddle::storage
