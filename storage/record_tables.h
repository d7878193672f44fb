// SPDX-License-Identifier: Apache-2.0
// Tables of results: the columns covered by row checksums, and the SQL shared by reader and writer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

struct sqlite3;

namespace heddle::storage {

/// Kinds of records that are counted in the run's row, so that a missing row is detected.
enum class RecordKind { Attempt, Series, Evaluation, Histogram, Map, Sample, Checkpoint, Event };
inline constexpr std::size_t kRecordKinds = 8;
using RecordCounts = std::array<std::int64_t, kRecordKinds>;

/// Columns of table run with these counts, in the order of RecordKind.
inline constexpr const char* kCountColumns =
    "n_attempt, n_series, n_evaluation, n_histogram, n_map, n_sample, n_checkpoint, n_event";

/// A table with a column row_checksum, computed by the SQL function heddle_row_checksum over `columns`.
struct RecordTable {
    RecordKind kind;
    const char* name;
    const char* columns;       ///< all columns with content, the key first; separated by ", "
    const char* blobs = "";    ///< columns with their own checksums
    const char* derived = "";  ///< further SQL expressions covered by the checksum, on referenced rows; "@" is the table

    /// "INSERT OR IGNORE INTO …" with a parameter for each of columns, then rev, then one for each of blobs.
    std::string insert() const;
    /// The same for the copy of a damaged row, which stays damaged.
    std::string insertDamaged() const;
    /// The same with "INSERT OR REPLACE".
    std::string replace() const;
    /// An expression that is 1 for an undamaged row; `alias` names the table in the statement.
    std::string isWhole(const std::string& alias) const;
    /// "UPDATE … SET row_checksum = …", to be followed by a WHERE clause.
    std::string seal() const;
};

const RecordTable& tableOf(RecordKind kind);
const std::array<RecordTable, kRecordKinds>& recordTables();

/// Tables run and item, which do not belong to a run; only isWhole() and seal() apply.
extern const RecordTable kRunTable, kItemTable;

/// Gives a connection the SQL function heddle_row_checksum(…): CRC-32 (zlib's) over its arguments, each as one byte of type
/// ('i' integer, 'r' real, 't' text, 'b' blob, 'n' NULL) and then the 64 bits of a number (−0 as 0), or the length in 64 bits
/// and the bytes; little-endian.
void defineRowChecksum(sqlite3* connection);

/// The substitute id of a row of table run without a valid id: "damaged-7" for row 7.
std::string damagedRunId(std::int64_t number);
/// The row number of such an id; nothing for any other text.
std::optional<std::int64_t> numberOfDamaged(const std::string& id);
}  // namespace heddle::storage
