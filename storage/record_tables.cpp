// SPDX-License-Identifier: Apache-2.0
#include "storage/record_tables.h"

#include "storage/records.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>
#include <vector>

namespace heddle::storage {
namespace {

constexpr std::string_view kDamagedPrefix = "damaged-";

/// Splits a list separated by ", ".
std::vector<std::string> listed(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        const auto end = std::min(list.find(", "), list.size());
        words.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 2, list.size()));
    }
    return words;
}

/// `expression` with every "@" replaced by `table`.
std::string of(std::string expression, const std::string& table) {
    for (auto at = expression.find('@'); at != std::string::npos; at = expression.find('@', at + table.size()))
        expression.replace(at, 1, table);
    return expression;
}

/// "heddle_row_checksum(e.run, e.step, …)".
std::string checksumOf(const RecordTable& table, const std::string& alias) {
    std::vector<std::string> arguments;
    for (const auto& column : listed(table.columns)) arguments.push_back(alias + "." + column);
    for (const auto& expression : listed(table.derived)) arguments.push_back(of(expression, alias));
    return fmt::format("heddle_row_checksum({})", fmt::join(arguments, ", "));
}

enum class RowIs { Whole, Damaged };

std::string insertStatement(const RecordTable& table, std::string_view verb, RowIs row) {
    const auto columns = listed(table.columns), blobs = listed(table.blobs);
    std::vector<std::string> names = columns, values;
    names.emplace_back("rev");
    names.insert(names.end(), blobs.begin(), blobs.end());
    for (std::size_t i = 1; i <= names.size(); ++i) values.push_back(fmt::format("?{}", i));
    std::vector<std::string> covered(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(columns.size()));
    // Expressions on referenced rows use the bound value ?N in place of "@.column".
    for (auto expression : listed(table.derived)) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::string column = "@." + columns[i];
            if (const auto at = expression.find(column + ")"); at != std::string::npos)
                expression.replace(at, column.size(), values[i]);
        }
        covered.push_back(std::move(expression));
    }
    // Checksums are never negative, so -1 marks a row as damaged.
    values.push_back(row == RowIs::Damaged ? "-1" : fmt::format("heddle_row_checksum({})", fmt::join(covered, ", ")));
    return fmt::format("{} INTO {} ({}, row_checksum) VALUES ({})", verb, table.name, fmt::join(names, ", "),
                       fmt::join(values, ", "));
}

class Crc {
public:
    void add(char type, std::int64_t bits) {
        add(&type, 1);
        add(&bits, sizeof bits);
    }
    void add(char type, const void* bytes, int size) {
        add(type, size);
        add(bytes, static_cast<std::size_t>(size));
    }
    std::uint32_t value() const { return static_cast<std::uint32_t>(crc_); }

private:
    void add(const void* bytes, std::size_t size) {
        if (size > 0) crc_ = crc32_z(crc_, static_cast<const Bytef*>(bytes), size);
    }
    uLong crc_ = 0;
};

void rowChecksum(sqlite3_context* context, int count, sqlite3_value** values) {
    Crc crc;
    for (int i = 0; i < count; ++i) {
        sqlite3_value* const value = values[i];
        switch (sqlite3_value_type(value)) {
        case SQLITE_INTEGER: crc.add('i', sqlite3_value_int64(value)); break;
        case SQLITE_FLOAT: {
            const double real = sqlite3_value_double(value);
            crc.add('r', std::bit_cast<std::int64_t>(real == 0 ? 0.0 : real));
            break;
        }
        case SQLITE_TEXT: {
            const void* const text = sqlite3_value_text(value);
            crc.add('t', text, sqlite3_value_bytes(value));
            break;
        }
        case SQLITE_BLOB: {
            const void* const blob = sqlite3_value_blob(value);
            crc.add('b', blob, sqlite3_value_bytes(value));
            break;
        }
        default: crc.add('n', 0);
        }
    }
    sqlite3_result_int64(context, crc.value());
}

constexpr const char* kTokens =
    "(SELECT tokens FROM token_list WHERE id = @.row_tokens), (SELECT tokens FROM token_list WHERE id = @.column_tokens)";

const std::array<RecordTable, kRecordKinds> kTables{{
    {RecordKind::Attempt, "attempt",
     "run, attempt, started, seconds, first_step, device, host, program, torch, threads, context, peak_bytes, replay,"
     " replayed_steps"},
    {RecordKind::Series, "series", "run, name, path, attempt, deterministic, points, first_step, last_step, chunks"},
    {RecordKind::Evaluation, "evaluation", "run, step, split, metric, attempt, epoch, value, n, signature, seconds"},
    {RecordKind::Histogram, "histogram",
     "run, name, path, step, attempt, low, high, below, above, not_finite, mean, deviation, minimum, maximum, bins, codec,"
     " checksum",
     "data"},
    {RecordKind::Map, "map",
     "run, name, path, probe, step, attempt, heads, rows, columns, codec, bytes, checksum, row_tokens, column_tokens", "data",
     kTokens},
    {RecordKind::Sample, "sample", "run, step, number, attempt, source, reference, hypothesis"},
    {RecordKind::Checkpoint, "checkpoint",
     "run, step, kind, attempt, folder, weights_sha256, optimizer_sha256, state_sha256, bytes"},
    {RecordKind::Event, "event", "run, attempt, step, seconds, at, kind, text, data"},
}};

}  // namespace

const RecordTable kRunTable{RecordKind::Attempt, "run",
                            "num, id, name, state, reason, spec, variant_hash, run_hash, seed, created, attempts, step, epoch,"
                            " total_steps, parameters, seconds, lineage, run_group, tags, trashed, queued, edits, intervened,"
                            " n_attempt, n_series, n_evaluation, n_histogram, n_map, n_sample, n_checkpoint, n_event"};
const RecordTable kItemTable{RecordKind::Attempt, "item", "kind, key, body, changed"};

const std::array<RecordTable, kRecordKinds>& recordTables() { return kTables; }
const RecordTable& tableOf(RecordKind kind) { return kTables[static_cast<std::size_t>(kind)]; }

std::string RecordTable::insert() const { return insertStatement(*this, "INSERT OR IGNORE", RowIs::Whole); }
std::string RecordTable::insertDamaged() const { return insertStatement(*this, "INSERT OR IGNORE", RowIs::Damaged); }
std::string RecordTable::replace() const { return insertStatement(*this, "INSERT OR REPLACE", RowIs::Whole); }
std::string RecordTable::isWhole(const std::string& alias) const {
    return fmt::format("{} IS {}.row_checksum", checksumOf(*this, alias), alias);
}
std::string RecordTable::seal() const {
    return fmt::format("UPDATE {0} SET row_checksum = {1}", name, checksumOf(*this, name));
}

std::string damagedRunId(std::int64_t number) { return fmt::format("{}{}", kDamagedPrefix, number); }

std::optional<std::int64_t> numberOfDamaged(const std::string& id) {
    std::int64_t number = 0;
    const std::size_t prefix = kDamagedPrefix.size();
    if (id.compare(0, prefix, kDamagedPrefix) != 0 || id.size() == prefix) return std::nullopt;
    const auto [end, error] = std::from_chars(id.data() + prefix, id.data() + id.size(), number);
    if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
    return number;
}

void defineRowChecksum(sqlite3* connection) {
    // Not callable from schemas, such as a foreign view or index.
    const int result = sqlite3_create_function_v2(connection, "heddle_row_checksum", -1,
                                                  SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nullptr, rowChecksum,
                                                  nullptr, nullptr, nullptr);
    if (result != SQLITE_OK)
        throw StorageError(StorageError::Kind::Invalid, "SQLite refuses our function", "", sqlite3_errstr(result));
}

}  // namespace heddle::storage
