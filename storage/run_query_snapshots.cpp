// SPDX-License-Identifier: Apache-2.0
// The queries of RunQuery for histograms, attention maps, and their indexes.
#include "storage/run_query_parts.h"
#include "storage/snapshot_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace heddle::storage {
namespace {

/// "SELECT 1, <key, row number> FROM <table> WHERE ". Reads only the index of keys; a row is verified when its values are read.
/// A histogram has no probe.
std::string indexSelection(RecordKind kind) {
    return fmt::format("SELECT 1, name, path, step, attempt, {}, id FROM {} WHERE ", kind == RecordKind::Map ? "probe" : "0",
                       tableOf(kind).name);
}

RunQuery::Snapshot snapshotOf(const Query& row) { return {row.text(1), row.text(2), row.integer(3), row.integer(5)}; }

/// Throws StorageError Corrupt for a listed snapshot that was not found; removed ones are no longer listed.
void requireUnlisted(const std::vector<RunQuery::Snapshot>& index, const RunQuery::Snapshot& which, const std::string& run) {
    if (std::find(index.begin(), index.end(), which) != index.end())
        throw StorageError(StorageError::Kind::Corrupt,
                           fmt::format("{} of {} at step {} is listed but not found", which.name, which.path, which.step), run,
                           "other records are not affected");
}

}  // namespace

std::vector<RunQuery::Snapshot> RunQuery::histogramIndex(const std::string& run) {
    return wholeIndex(RecordKind::Histogram, run).snapshots;
}

std::vector<RunQuery::Snapshot> RunQuery::mapIndex(const std::string& run) {
    return wholeIndex(RecordKind::Map, run).snapshots;
}

RunQuery::IndexNews RunQuery::histogramsSince(const std::string& run, const IndexPlace& place) {
    return indexSince(RecordKind::Histogram, run, place);
}

RunQuery::IndexNews RunQuery::mapsSince(const std::string& run, const IndexPlace& place) {
    return indexSince(RecordKind::Map, run, place);
}

RunQuery::IndexNews RunQuery::wholeIndex(RecordKind kind, const std::string& run) {
    const std::string sql = indexSelection(kind) + "run = ?1 AND ?2 = 0 ORDER BY name, path, " +
                            (kind == RecordKind::Map ? "probe, step, attempt" : "step, attempt");
    IndexNews whole;
    readRecords({kind, run}, sql, [&](const Query& row, bool) {
        Snapshot which = snapshotOf(row);
        auto key = std::tuple(which.name, which.path, which.probe, which.step, row.integer(4));
        if (whole.snapshots.empty() || whole.snapshots.back() != which) whole.snapshots.push_back(std::move(which));
        whole.place = {std::max(whole.place.row, row.integer(6)), whole.place.count + 1};
        return key;
    });
    return whole;
}

/// A new row gets a higher number than every row before it. The run's row counts the snapshots: where the known and the new
/// ones are not as many, others were removed or replaced, and the complete index is read.
RunQuery::IndexNews RunQuery::indexSince(RecordKind kind, const std::string& run, const IndexPlace& place) {
    const std::string sql = indexSelection(kind) + "id > ?1 AND +run = ?2 ORDER BY id";  // "+": not by the index of keys
    const auto found = connection_->guarded([&]() -> std::optional<IndexNews> {
        const ReadTransaction transaction(*connection_);
        const auto owner = ownerOf(run);
        if (!owner || !owner->isWhole || place.count == 0) return std::nullopt;
        IndexNews news{{}, false, place};
        Query rows = connection_->query(sql);
        rows.with(place.row, owner->number);
        while (rows.next()) {
            news.snapshots.push_back(snapshotOf(rows));
            news.place = {rows.integer(6), news.place.count + 1};
        }
        if (news.place.count != owner->counts[static_cast<std::size_t>(kind)]) return std::nullopt;
        return news;
    });
    return found ? *found : wholeIndex(kind, run);
}

std::optional<HistogramRecord> RunQuery::histogram(const std::string& run, const Snapshot& which) {
    static const std::string kSelect =
        "SELECT h.attempt, h.low, h.high, h.below, h.above, h.not_finite, h.mean, h.deviation, h.minimum, h.maximum,"
        " h.checksum, h.data, " +
        tableOf(RecordKind::Histogram).isWhole("h") +
        " AND h.run = ?1 AND h.name = ?2 AND h.path = ?3 AND h.step = ?4 AND h.attempt = i.attempt"
        " FROM histogram AS i CROSS JOIN histogram AS h ON h.id = i.id"
        " WHERE i.run = ?1 AND i.name = ?2 AND i.path = ?3 AND i.step = ?4 ORDER BY i.attempt DESC LIMIT 1";
    auto found = connection_->guarded([&]() -> std::optional<HistogramRecord> {
        const ReadTransaction transaction(*connection_);
        const auto owner = ownerOf(run);
        Query row = connection_->query(kSelect);
        if (!owner || !row.with(owner->number, which.name, which.path, which.step).next()) return std::nullopt;
        HistogramRecord histogram;
        histogram.run = run;
        histogram.name = which.name;
        histogram.path = which.path;
        histogram.step = which.step;
        histogram.attempt = row.integer(0);
        histogram.low = row.real(1);
        histogram.high = row.real(2);
        histogram.below = static_cast<std::uint64_t>(row.integer(3));
        histogram.above = static_cast<std::uint64_t>(row.integer(4));
        histogram.notFinite = static_cast<std::uint64_t>(row.integer(5));
        histogram.mean = row.real(6);
        histogram.deviation = row.real(7);
        histogram.minimum = row.real(8);
        histogram.maximum = row.real(9);
        Bytes bins = row.blob(11);
        if (row.integer(12) == 0 || checksumOf(histogram, bins) != row.integer(10))
            throw StorageError(StorageError::Kind::Corrupt,
                               fmt::format("the histogram of {} at step {} is damaged", which.path, which.step), run,
                               "other records are not affected");
        histogram.bins = unpackCounts(bins);
        return histogram;
    });
    if (!found) requireUnlisted(histogramIndex(run), which, run);
    return found;
}

std::optional<MapRecord> RunQuery::map(const std::string& run, const Snapshot& which) {
    static const std::string kSelect =
        "SELECT m.attempt, m.heads, m.rows, m.columns, t.tokens, u.tokens, m.codec, m.checksum, m.data, " +
        tableOf(RecordKind::Map).isWhole("m") +
        " AND m.run = ?1 AND m.name = ?2 AND m.path = ?3 AND m.probe = ?4 AND m.step = ?5 AND m.attempt = i.attempt"
        " FROM map AS i CROSS JOIN map AS m ON m.id = i.id LEFT JOIN token_list AS t ON t.id = m.row_tokens"
        " LEFT JOIN token_list AS u ON u.id = m.column_tokens"
        " WHERE i.run = ?1 AND i.name = ?2 AND i.path = ?3 AND i.probe = ?4 AND i.step = ?5 ORDER BY i.attempt DESC LIMIT 1";
    connection_->limitLength(Connection::Values::Blobs);
    auto found = connection_->guarded([&]() -> std::optional<MapRecord> {
        const ReadTransaction transaction(*connection_);
        const auto owner = ownerOf(run);
        Query row = connection_->query(kSelect);
        if (!owner || !row.with(owner->number, which.name, which.path, which.probe, which.step).next()) return std::nullopt;
        MapRecord map;
        map.run = run;
        map.name = which.name;
        map.path = which.path;
        map.step = which.step;
        map.probe = which.probe;
        map.attempt = row.integer(0);
        map.heads = row.integer(1);
        map.rows = row.integer(2);
        map.columns = row.integer(3);
        auto rowTokens = tokensFromJson(row.text(4)), columnTokens = tokensFromJson(row.text(5));
        if (row.integer(9) == 0 || !rowTokens || !columnTokens)
            throw StorageError(StorageError::Kind::Corrupt,
                               fmt::format("the map of {} at step {} is damaged", which.path, which.step), run,
                               "other records are not affected");
        map.rowTokens = std::move(*rowTokens);
        map.columnTokens = std::move(*columnTokens);
        map.values = decodeMap(map, row.text(6), row.integer(7), row.blob(8));
        return map;
    });
    connection_->limitLength(Connection::Values::Texts);
    if (!found) requireUnlisted(mapIndex(run), which, run);
    return found;
}

}  // namespace heddle::storage
