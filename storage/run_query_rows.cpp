// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite_run_query.h"

#include "storage/snapshot_codec.h"

#include <fmt/core.h>

namespace heddle::storage {

std::vector<AttemptRecord> SqliteRunQuery::attempts(const std::string& run) {
    return connection_.guarded([&] {
        Query rows = connection_.query(
            "SELECT a.attempt, a.started, a.seconds, a.first_step, a.device, a.host, a.program, a.torch, a.threads, a.context,"
            " a.peak_bytes, a.replay, a.replayed_steps FROM run AS r JOIN attempt AS a ON a.run = r.num WHERE r.id = ?"
            " ORDER BY a.attempt");
        rows.with(run);
        std::vector<AttemptRecord> attempts;
        while (rows.next()) {
            AttemptRecord& attempt = attempts.emplace_back();
            attempt.run = run;
            attempt.attempt = rows.integer(0);
            attempt.started = rows.real(1);
            attempt.seconds = rows.real(2);
            attempt.firstStep = rows.integer(3);
            attempt.device = rows.text(4);
            attempt.host = rows.text(5);
            attempt.program = rows.text(6);
            attempt.torch = rows.text(7);
            attempt.threads = rows.integer(8);
            attempt.context = rows.text(9);
            attempt.peakBytes = rows.integer(10);
            attempt.replay = rows.text(11);
            attempt.replayedSteps = rows.integer(12);
        }
        return attempts;
    });
}

std::vector<EvaluationRecord> SqliteRunQuery::evaluations(const std::string& run, std::int64_t sinceRev) {
    return connection_.guarded([&] {
        // max() makes SQLite take the other columns from the row of the newest attempt.
        Query rows = connection_.query(
            "SELECT max(e.attempt), e.step, e.epoch, e.split, e.metric, e.signature, e.value, e.n, e.seconds"
            " FROM run AS r JOIN evaluation AS e ON e.run = r.num WHERE r.id = ? AND e.rev > ?"
            " GROUP BY e.step, e.split, e.metric ORDER BY e.step, e.split, e.metric");
        rows.with(run, sinceRev);
        std::vector<EvaluationRecord> evaluations;
        while (rows.next()) {
            EvaluationRecord& evaluation = evaluations.emplace_back();
            evaluation.run = run;
            evaluation.attempt = rows.integer(0);
            evaluation.step = rows.integer(1);
            evaluation.epoch = rows.integer(2);
            evaluation.split = rows.text(3);
            evaluation.metric = rows.text(4);
            evaluation.signature = rows.text(5);
            evaluation.value = rows.real(6);
            evaluation.n = rows.integer(7);
            evaluation.seconds = rows.real(8);
        }
        return evaluations;
    });
}

std::vector<CheckpointRecord> SqliteRunQuery::checkpoints(const std::string& run) {
    return connection_.guarded([&] {
        Query rows = connection_.query(
            "SELECT c.attempt, c.step, c.kind, c.folder, c.weights_sha256, c.optimizer_sha256, c.state_sha256, c.bytes"
            " FROM run AS r JOIN checkpoint AS c ON c.run = r.num WHERE r.id = ? ORDER BY c.step, c.kind");
        rows.with(run);
        std::vector<CheckpointRecord> checkpoints;
        while (rows.next())
            checkpoints.push_back({run, rows.integer(0), rows.integer(1), rows.text(2), rows.text(3), rows.text(4),
                                   rows.text(5), rows.text(6), static_cast<std::uint64_t>(rows.integer(7))});
        return checkpoints;
    });
}

std::vector<EventRecord> SqliteRunQuery::events(const std::string& run, std::int64_t sinceRev) {
    return connection_.guarded([&] {
        Query rows = connection_.query(
            "SELECT e.attempt, e.step, e.seconds, e.at, e.kind, e.text, e.data FROM run AS r JOIN event AS e ON e.run = r.num"
            " WHERE r.id = ? AND e.rev > ? ORDER BY e.id");
        rows.with(run, sinceRev);
        std::vector<EventRecord> events;
        while (rows.next())
            events.push_back(
                {run, rows.integer(0), rows.integer(1), rows.real(2), rows.real(3), rows.text(4), rows.text(5), rows.text(6)});
        return events;
    });
}

std::vector<SampleRecord> SqliteRunQuery::samples(const std::string& run, std::int64_t step) {
    return connection_.guarded([&] {
        Query rows = connection_.query(
            "SELECT max(s.attempt), s.step, s.number, s.source, s.reference, s.hypothesis"
            " FROM run AS r JOIN sample AS s ON s.run = r.num WHERE r.id = ?1 AND s.step ="
            " CASE WHEN ?2 >= 0 THEN ?2 ELSE (SELECT max(step) FROM sample WHERE run = r.num) END"
            " GROUP BY s.step, s.number ORDER BY s.number");
        rows.with(run, step);
        std::vector<SampleRecord> samples;
        while (rows.next())
            samples.push_back(
                {run, rows.integer(0), rows.integer(1), rows.integer(2), rows.text(3), rows.text(4), rows.text(5)});
        return samples;
    });
}

std::vector<RunQuery::Snapshot> SqliteRunQuery::histogramIndex(const std::string& run) {
    return connection_.guarded([&] {
        Query rows = connection_.query(
            "SELECT DISTINCT h.name, h.path, h.step FROM run AS r JOIN histogram AS h ON h.run = r.num WHERE r.id = ?"
            " ORDER BY h.name, h.path, h.step");
        rows.with(run);
        std::vector<Snapshot> index;
        while (rows.next()) index.push_back({rows.text(0), rows.text(1), rows.integer(2), 0});
        return index;
    });
}

std::vector<RunQuery::Snapshot> SqliteRunQuery::mapIndex(const std::string& run) {
    return connection_.guarded([&] {
        Query rows = connection_.query(
            "SELECT DISTINCT m.name, m.path, m.step, m.probe FROM run AS r JOIN map AS m ON m.run = r.num WHERE r.id = ?"
            " ORDER BY m.name, m.path, m.probe, m.step");
        rows.with(run);
        std::vector<Snapshot> index;
        while (rows.next()) index.push_back({rows.text(0), rows.text(1), rows.integer(2), rows.integer(3)});
        return index;
    });
}

std::optional<HistogramRecord> SqliteRunQuery::histogram(const std::string& run, const Snapshot& which) {
    return connection_.guarded([&]() -> std::optional<HistogramRecord> {
        Query row = connection_.query(
            "SELECT h.attempt, h.low, h.high, h.below, h.above, h.not_finite, h.mean, h.deviation, h.minimum, h.maximum,"
            " h.checksum, h.data FROM run AS r JOIN histogram AS h ON h.run = r.num"
            " WHERE r.id = ? AND h.name = ? AND h.path = ? AND h.step = ? ORDER BY h.attempt DESC LIMIT 1");
        if (!row.with(run, which.name, which.path, which.step).next()) return std::nullopt;
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
        if (checksumOf(histogram, bins) != row.integer(10))
            throw StorageError(StorageError::Kind::Corrupt,
                               fmt::format("the histogram of {} at step {} is damaged", which.path, which.step), run,
                               "other records are not touched by this");
        histogram.bins = unpackCounts(bins);
        return histogram;
    });
}

std::optional<MapRecord> SqliteRunQuery::map(const std::string& run, const Snapshot& which) {
    return connection_.guarded([&]() -> std::optional<MapRecord> {
        Query row = connection_.query(
            "SELECT m.attempt, m.heads, m.rows, m.columns, t.tokens, u.tokens, m.codec, m.checksum, m.data"
            " FROM run AS r JOIN map AS m ON m.run = r.num JOIN token_list AS t ON t.id = m.row_tokens"
            " JOIN token_list AS u ON u.id = m.column_tokens"
            " WHERE r.id = ? AND m.name = ? AND m.path = ? AND m.probe = ? AND m.step = ? ORDER BY m.attempt DESC LIMIT 1");
        if (!row.with(run, which.name, which.path, which.probe, which.step).next()) return std::nullopt;
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
        if (!rowTokens || !columnTokens)
            throw StorageError(StorageError::Kind::Corrupt,
                               fmt::format("the words of the map of {} at step {} are damaged", which.path, which.step), run,
                               "other records are not touched by this");
        map.rowTokens = std::move(*rowTokens);
        map.columnTokens = std::move(*columnTokens);
        map.values = decodeMap(map, row.text(6), row.integer(7), row.blob(8));
        return map;
    });
}

std::vector<RunQuery::Item> SqliteRunQuery::items(const std::string& kind) {
    return connection_.guarded([&] {
        Query rows = connection_.query("SELECT key, body, rev FROM item WHERE kind = ? ORDER BY key");
        rows.with(kind);
        std::vector<Item> items;
        while (rows.next()) items.push_back({rows.text(0), rows.text(1), rows.integer(2)});
        return items;
    });
}

}  // namespace heddle::storage
