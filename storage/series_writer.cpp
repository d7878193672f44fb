// SPDX-License-Identifier: Apache-2.0
#include "storage/series_writer.h"

#include "storage/chunk.h"
#include "storage/record_tables.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace heddle::storage {

void SeriesWriter::Open::startChunk(std::int64_t step, std::int64_t newStride) {
    first = step;
    stride = newStride;
    stored = chunk = tail = 0;
    values.clear();
}

/// Whether `count` values from `step` on continue the chunk. A chunk of one value has no stride yet and adopts theirs.
bool SeriesWriter::Open::adopt(std::int64_t step, std::int64_t newStride, std::int64_t count) {
    if (size() == 1) {
        std::int64_t distance = step - first;
        if (distance > kLargestStride || (count > 1 && distance != newStride)) return false;
        stride = distance;
        return true;
    }
    return step == first + size() * stride && (count == 1 || newStride == stride);
}

SeriesWriter::Series SeriesWriter::append(std::int64_t run, const SeriesAppend& series, std::int64_t rev) {
    if (series.values.empty()) return Series::Known;
    Open& open = find(run, series, rev);
    auto count = static_cast<std::int64_t>(series.values.size());
    if (series.stride <= 0 || series.stride > kLargestStride || std::abs(series.firstStep) > kLargestStep ||
        (open.points > 0 && series.firstStep <= open.seriesLast))
        throw StorageError(
            StorageError::Kind::Invalid,
            fmt::format("steps of series {} must increase: {} after {}", series.name, series.firstStep, open.seriesLast),
            connection_.file(), "begin a new attempt to record steps again");

    for (std::int64_t at = 0; at < count;) {
        std::int64_t step = series.firstStep + at * series.stride;
        if (!open.values.empty() && !open.adopt(step, series.stride, count - at)) {
            writeChunk(open, rev);
            open.startChunk(0, 1);
        }
        if (open.values.empty()) open.startChunk(step, series.stride);
        std::int64_t take = std::min(count - at, kChunkValues - open.size());
        open.values.insert(open.values.end(), series.values.begin() + at, series.values.begin() + at + take);
        at += take;
        if (open.size() == kChunkValues) {
            writeChunk(open, rev);
            open.startChunk(0, 1);
        }
    }
    if (open.points == 0) open.seriesFirst = series.firstStep;
    open.points += count;
    open.seriesLast = series.firstStep + (count - 1) * series.stride;
    open.deterministic = open.deterministic && series.deterministic;
    if (!open.changed) {
        open.changed = true;
        changed_.push_back(&open);
    }
    return std::exchange(open.isNew, false) ? Series::New : Series::Known;
}

void SeriesWriter::flush(std::int64_t rev) {
    static const std::string kSeal = tableOf(RecordKind::Series).seal() + " WHERE num = ?";
    for (Open* open : changed_) {
        std::int64_t pending = open->size() - open->stored;
        if (pending >= kTailValues)
            writeChunk(*open, rev);
        else if (pending > 0)
            open->tail = writeRow(*open, open->tail, open->stored, rev);
        connection_
            .query(
                "UPDATE series SET points = ?, first_step = ?, last_step = ?, deterministic = ?, chunks = ?, rev = ?"
                " WHERE num = ?")
            .with(open->points, open->seriesFirst, open->seriesLast, open->deterministic, open->chunks, rev, open->series)
            .run();
        connection_.query(kSeal).with(open->series).run();
        open->changed = false;
    }
    changed_.clear();
    if (open_.size() > kOpenSeries) forget();  // also of earlier runs; active series are loaded again
}

void SeriesWriter::forget() {
    open_.clear();
    changed_.clear();
}

SeriesWriter::Open& SeriesWriter::find(std::int64_t run, const SeriesAppend& series, std::int64_t rev) {
    Key key{run, series.attempt, series.name, series.path};
    if (auto found = open_.find(key); found != open_.end()) return found->second;

    Open open;
    bool known = false;
    {
        static const std::string kFind = "SELECT num, points, first_step, last_step, deterministic, chunks, " +
                                         tableOf(RecordKind::Series).isWhole("series") +
                                         " FROM series WHERE run = ? AND name = ? AND path = ? AND attempt = ?";
        Query row = connection_.query(kFind);
        row.with(run, series.name, series.path, series.attempt);
        if ((known = row.next())) {
            if (row.integer(6) == 0)
                throw StorageError(StorageError::Kind::Corrupt, fmt::format("the record of series {} is damaged", series.name),
                                   connection_.file(), "begin a new attempt: existing records are kept");
            open.chunks = row.integer(5);
            open.series = row.integer(0);
            open.points = row.integer(1);
            open.seriesFirst = row.integer(2);
            open.seriesLast = row.integer(3);
            open.deterministic = row.integer(4) != 0;
        }
    }
    if (known) {
        load(open);
    } else {
        connection_
            .query(
                "INSERT INTO series (run, name, path, attempt, deterministic, points, first_step, last_step, rev)"
                " VALUES (?, ?, ?, ?, ?, 0, 0, 0, ?)")
            .with(run, series.name, series.path, series.attempt, series.deterministic, rev)
            .run();
        open.series = connection_.database().getLastInsertRowid();
        open.deterministic = series.deterministic;
        open.isNew = true;
    }
    return open_.emplace(std::move(key), std::move(open)).first->second;
}

/// Loads the unfinished chunk of an existing series: its newest row, and the previous one if the newest is a tail. A damaged
/// chunk is kept and a new one started.
void SeriesWriter::load(Open& open) {
    std::vector<ChunkRow> newest;
    std::vector<std::vector<float>> values;
    {
        Query rows = connection_.query(
            "SELECT id, first_step, stride, n, data_checksum, data FROM chunk WHERE series = ? ORDER BY first_step DESC LIMIT "
            "2");
        rows.with(open.series);
        while (rows.next()) {
            ChunkRow row{rows.integer(0), open.series, rows.integer(1), rows.integer(2), rows.integer(3)};
            auto decoded = decodeData(row, rows.integer(4), rows.blob(5));
            if (!decoded) break;
            newest.push_back(row);
            values.push_back(std::move(*decoded));
        }
    }
    if (newest.empty() || newest[0].n >= kChunkValues) return;
    const ChunkRow& last = newest[0];
    open.first = last.firstStep;
    open.stride = last.stride;
    open.values = std::move(values[0]);
    bool isTail = newest.size() == 2 && newest[1].stride == last.stride &&
                  newest[1].lastStep() + last.stride == last.firstStep && last.n < kTailValues &&
                  newest[1].n + last.n < kChunkValues;
    if (isTail) {
        open.first = newest[1].firstStep;
        open.chunk = newest[1].id;
        open.stored = newest[1].n;
        open.tail = last.id;
        open.values.insert(open.values.begin(), values[1].begin(), values[1].end());
    } else if (last.n >= kTailValues) {
        open.chunk = last.id;
        open.stored = last.n;
    } else {
        open.tail = last.id;
    }
}

void SeriesWriter::writeChunk(Open& open, std::int64_t rev) {
    if (open.stored == open.size()) return;
    if (open.chunk == 0) std::swap(open.chunk, open.tail);  // the tail starts the chunk, so its row becomes the chunk's row
    removeRow(open, open.tail);
    // Moves a full chunk to the end of the table, where full chunks are packed: a row grown in place leaves its page half empty
    // (7.9 instead of 5.1 bytes per value).
    if (open.size() == kChunkValues) removeRow(open, open.chunk);
    open.chunk = writeRow(open, open.chunk, 0, rev);
    open.stored = open.size();
}

void SeriesWriter::removeRow(Open& open, std::int64_t& row) {
    if (row != 0) {
        connection_.query("DELETE FROM chunk WHERE id = ?").with(row).run();
        open.chunks -= connection_.changes();
    }
    row = 0;
}

/// Writes values[from …) as row `row` (0: a new one); returns the row.
std::int64_t SeriesWriter::writeRow(Open& open, std::int64_t row, std::int64_t from, std::int64_t rev) {
    std::span<const float> values = std::span(open.values).subspan(static_cast<std::size_t>(from));
    ChunkRow chunk{row, open.series, open.first + from * open.stride, open.stride, static_cast<std::int64_t>(values.size())};
    EncodedChunk encoded = encodeChunk(chunk, values);
    if (row == 0) {
        connection_
            .query(
                "INSERT INTO chunk (series, first_step, stride, n, codec, levels_checksum, data_checksum, rev, levels, data)"
                " VALUES (?, ?, ?, ?, 'f32', ?, ?, ?, ?, ?)")
            .with(chunk.series, chunk.firstStep, chunk.stride, chunk.n, encoded.levelsChecksum, encoded.dataChecksum, rev,
                  Bytes(encoded.levels), Bytes(encoded.data))
            .run();
        ++open.chunks;
        return connection_.database().getLastInsertRowid();
    }
    connection_
        .query(
            "UPDATE chunk SET first_step = ?, stride = ?, n = ?, levels_checksum = ?, data_checksum = ?, rev = ?, levels = ?,"
            " data = ? WHERE id = ?")
        .with(chunk.firstStep, chunk.stride, chunk.n, encoded.levelsChecksum, encoded.dataChecksum, rev, Bytes(encoded.levels),
              Bytes(encoded.data), row)
        .run();
    return row;
}

}  // namespace heddle::storage
