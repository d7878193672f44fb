// SPDX-License-Identifier: Apache-2.0
#include "storage/run_store_parts.h"

#include "storage/snapshot_codec.h"

#include <fmt/core.h>

namespace heddle::storage {

using Kind = StorageError::Kind;

std::int64_t RunStore::numberOf(const std::string& run) const {
    if (auto known = numbers_.find(run); known != numbers_.end()) return known->second;
    static const std::string kFind = "SELECT num, " + kRunTable.isWhole("run") + " FROM run WHERE id = ?";
    Query row = connection_->query(kFind);
    if (!row.with(run).next()) throw StorageError(Kind::NotFound, "no run " + run, file_, "`heddle runs list` shows the runs");
    // Changing a damaged row would give it a valid checksum and hide the damage. Rows changed in this transaction get their
    // checksum at its end.
    if (row.integer(1) == 0 && !changedRuns_.contains(row.integer(0)))
        throw StorageError(Kind::Corrupt, "the record of run " + run + " is damaged", file_,
                           "nothing was changed; restore a copy of the database, or delete the run");
    return numbers_[run] = row.integer(0);
}

void RunStore::count(std::int64_t number, RecordKind kind, std::int64_t change) {
    counts_[number][static_cast<std::size_t>(kind)] += change;
}

/// Sets the commit number of the run's row for changes without a row (a removed checkpoint, thinned maps) and for values that
/// a completed run gets later.
void RunStore::touch(std::int64_t run, std::int64_t rev) {
    connection_->query("UPDATE run SET rev = ? WHERE num = ?").with(rev, run).run();
}

void RunStore::addRun(const RunRecord& run) {
    if (!isRunId(run.id))
        throw StorageError(Kind::Invalid, "\"" + run.id + "\" is not a run id", file_, "a run id has 12 hexadecimal digits");
    change([&](std::int64_t rev) {
        connection_
            ->query(
                "INSERT INTO run (id, name, state, reason, spec, variant_hash, run_hash, seed, created, attempts, step, epoch,"
                " total_steps, parameters, seconds, lineage, run_group, tags, trashed, queued, edits, intervened, rev)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0.0), ?, ?, nullif(?, -1),"
                " ?)")
            .with(run.id, run.name, run.state, run.reason, run.spec, run.variantHash, run.runHash, run.seed, run.created,
                  run.attempts, run.step, run.epoch, run.totalSteps, run.parameters, run.seconds, run.lineage, run.group,
                  tokensToJson(run.tags), run.trashed, run.queued, run.edits, run.intervened, rev)
            .run();
        changedRuns_.insert(connection_->database().getLastInsertRowid());
        ++runsAdded_;
    });
}

void RunStore::updateRun(const RunRecord& run) {
    change([&](std::int64_t rev) {
        const std::int64_t number = numberOf(run.id);
        connection_
            ->query(
                "UPDATE run SET name = ?, state = ?, reason = ?, spec = ?, variant_hash = ?, run_hash = ?, attempts = ?,"
                " step = ?, epoch = ?, total_steps = ?, parameters = ?, seconds = ?, lineage = ?, run_group = ?, tags = ?,"
                " trashed = nullif(?, 0.0), queued = ?, edits = ?, intervened = nullif(?, -1), rev = ?"
                " WHERE num = ?")
            .with(run.name, run.state, run.reason, run.spec, run.variantHash, run.runHash, run.attempts, run.step, run.epoch,
                  run.totalSteps, run.parameters, run.seconds, run.lineage, run.group, tokensToJson(run.tags), run.trashed,
                  run.queued, run.edits, run.intervened, rev, number)
            .run();
        changedRuns_.insert(number);
    });
}

void RunStore::setState(const std::string& run, const std::string& state, const std::string& reason) {
    change([&](std::int64_t rev) {
        const std::int64_t number = numberOf(run);
        connection_->query("UPDATE run SET state = ?, reason = ?, rev = ? WHERE num = ?")
            .with(state, reason, rev, number)
            .run();
        changedRuns_.insert(number);
    });
}

void RunStore::addAttempt(const AttemptRecord& attempt) {
    change([&](std::int64_t rev) {
        const std::int64_t run = numberOf(attempt.run);
        const bool isNew =
            insert(RecordKind::Attempt, run, attempt.attempt, attempt.started, attempt.seconds, attempt.firstStep,
                   attempt.device, attempt.host, attempt.program, attempt.torch, attempt.threads, attempt.context,
                   attempt.peakBytes, attempt.replay, attempt.replayedSteps, rev);
        if (!isNew)
            throw StorageError(Kind::Invalid, fmt::format("run {} already has an attempt {}", attempt.run, attempt.attempt),
                               file_, "give the new attempt the next number");
        connection_->query("UPDATE run SET attempts = max(attempts, ?), rev = ? WHERE num = ?")
            .with(attempt.attempt, rev, run)
            .run();
        changedRuns_.insert(run);
    });
}

void RunStore::updateAttempt(const AttemptRecord& attempt) {
    static const std::string kSeal = tableOf(RecordKind::Attempt).seal() + " WHERE run = ? AND attempt = ?";
    change([&](std::int64_t rev) {
        const std::int64_t run = numberOf(attempt.run);
        connection_
            ->query(
                "UPDATE attempt SET started = ?, seconds = ?, first_step = ?, device = ?, host = ?, program = ?, torch = ?,"
                " threads = ?, context = ?, peak_bytes = ?, replay = ?, replayed_steps = ?, rev = ?"
                " WHERE run = ? AND attempt = ?")
            .with(attempt.started, attempt.seconds, attempt.firstStep, attempt.device, attempt.host, attempt.program,
                  attempt.torch, attempt.threads, attempt.context, attempt.peakBytes, attempt.replay, attempt.replayedSteps,
                  rev, run, attempt.attempt)
            .run();
        connection_->query(kSeal).with(run, attempt.attempt).run();
    });
}

void RunStore::append(const SeriesAppend& series) {
    change([&](std::int64_t rev) {
        const std::int64_t run = numberOf(series.run);
        if (series_->append(run, series, rev) == SeriesWriter::Series::New) count(run, RecordKind::Series, 1);
    });
}

void RunStore::add(const EvaluationRecord& record) {
    change([&](std::int64_t rev) {
        const std::int64_t run = numberOf(record.run);
        put(RecordKind::Evaluation, run, record.step, record.split, record.metric, record.attempt, record.epoch, record.value,
            record.n, record.signature, record.seconds, rev);
        touch(run, rev);
    });
}

void RunStore::add(const HistogramRecord& record) {
    change([&](std::int64_t rev) {
        const Blob bins = packCounts(record.bins);
        put(RecordKind::Histogram, numberOf(record.run), record.name, record.path, record.step, record.attempt, record.low,
            record.high, record.below, record.above, record.notFinite, record.mean, record.deviation, record.minimum,
            record.maximum, record.bins.size(), "u32", checksumOf(record, bins), rev, Bytes(bins));
    });
}

std::int64_t RunStore::tokenList(std::int64_t run, const std::vector<std::string>& tokens) {
    std::string json = tokensToJson(tokens);
    {
        Query row = connection_->query("SELECT id FROM token_list WHERE run = ? AND tokens = ?");
        if (row.with(run, json).next()) return row.integer(0);
    }
    connection_->query("INSERT INTO token_list (run, tokens) VALUES (?, ?)").with(run, json).run();
    return connection_->database().getLastInsertRowid();
}

void RunStore::add(const MapRecord& record) {
    change([&](std::int64_t rev) {
        bool sound = record.heads > 0 && record.rows > 0 && record.columns > 0 &&
                     static_cast<std::size_t>(record.heads * record.rows * record.columns) == record.values.size();
        if (!sound) throw StorageError(Kind::Invalid, "a map's values are not [heads, rows, columns]", record.path, "");
        std::int64_t run = numberOf(record.run);
        std::int64_t rowTokens = tokenList(run, record.rowTokens), columnTokens = tokenList(run, record.columnTokens);
        EncodedMap map = encodeMap(record);
        put(RecordKind::Map, run, record.name, record.path, record.probe, record.step, record.attempt, record.heads,
            record.rows, record.columns, map.codec, map.data.size(), map.checksum, rowTokens, columnTokens, rev,
            Bytes(map.data));
    });
}

void RunStore::add(const SampleRecord& record) {
    change([&](std::int64_t rev) {
        put(RecordKind::Sample, numberOf(record.run), record.step, record.index, record.attempt, record.source,
            record.reference, record.hypothesis, rev);
    });
}

void RunStore::add(const CheckpointRecord& record) {
    change([&](std::int64_t rev) {
        put(RecordKind::Checkpoint, numberOf(record.run), record.step, record.kind, record.attempt,
            checkpointFolder(record.run, record.step, record.kind), record.weightsSha256, record.optimizerSha256,
            record.stateSha256, record.bytes, rev);
    });
}

void RunStore::removeCheckpoint(const std::string& run, std::int64_t step, const std::string& kind) {
    change([&](std::int64_t rev) {
        std::int64_t number = numberOf(run);
        connection_->query("DELETE FROM checkpoint WHERE run = ? AND step = ? AND kind = ?").with(number, step, kind).run();
        count(number, RecordKind::Checkpoint, -connection_->changes());
        touch(number, rev);
    });
}

void RunStore::add(const EventRecord& record) {
    change([&](std::int64_t rev) {
        put(RecordKind::Event, numberOf(record.run), record.attempt, record.step, record.seconds, record.at, record.kind,
            record.text, record.data, rev);
    });
}

/// Also deletes a damaged row, which numberOf() refuses.
void RunStore::deleteRun(const std::string& run) {
    change([&](std::int64_t rev) {
        std::int64_t number = numberOfDamaged(run).value_or(-1);
        if (number < 0) {
            Query row = connection_->query("SELECT num FROM run WHERE id = ?");
            if (!row.with(run).next())
                throw StorageError(Kind::NotFound, "no run " + run, file_, "`heddle runs list` shows the runs");
            number = row.integer(0);
        }
        connection_->query("INSERT INTO deleted_run (id, name, at, rev) SELECT ?, name, ?, ? FROM run WHERE num = ?")
            .with(run, unixTime(), rev, number)
            .run();
        connection_->query("DELETE FROM map WHERE run = ?").with(number).run();  // before the token lists that they reference
        connection_->query("DELETE FROM run WHERE num = ?").with(number).run();  // the rest is deleted by foreign keys
        runsAdded_ -= connection_->changes();
        connection_->query("DELETE FROM item WHERE substr(kind, -13) = ' ' || ?").with(run).run();
        itemsAdded_ -= connection_->changes();
        counts_.erase(number);
        changedRuns_.erase(number);
        series_->forget();
        numbers_.clear();
    });
}

std::uint64_t RunStore::mapBytes(const std::string& run) const {
    return connection_->guarded([&] {
        Query sum = connection_->query("SELECT ifnull(sum(bytes), 0) FROM map WHERE run = ?");
        return sum.with(numberOf(run)).next() ? static_cast<std::uint64_t>(sum.integer(0)) : 0;
    });
}

void RunStore::thinMaps(const std::string& run) {
    change([&](std::int64_t rev) {
        std::int64_t number = numberOf(run);
        std::vector<std::int64_t> steps, doomed;
        {
            Query rows = connection_->query("SELECT DISTINCT step FROM map WHERE run = ? ORDER BY step");
            rows.with(number);
            while (rows.next()) steps.push_back(rows.integer(0));
        }
        std::size_t half = steps.size() / 2;
        for (std::size_t i = 1; i < half; i += 2) doomed.push_back(steps[i]);
        if (half == 1) doomed.push_back(steps[0]);
        for (std::int64_t step : doomed) {
            connection_->query("DELETE FROM map WHERE run = ? AND step = ?").with(number, step).run();
            count(number, RecordKind::Map, -connection_->changes());
        }
        if (!doomed.empty()) touch(number, rev);
    });
}

void RunStore::putItem(const std::string& kind, const std::string& key, const std::string& body) {
    static const std::string kSeal = kItemTable.seal() + " WHERE kind = ? AND key = ?";
    change([&](std::int64_t rev) {
        dropItem(kind, key);
        connection_->query("INSERT INTO item (kind, key, body, changed, rev) VALUES (?, ?, ?, ?, ?)")
            .with(kind, key, body, unixTime(), rev)
            .run();
        connection_->query(kSeal).with(kind, key).run();
        ++itemsAdded_;
    });
}

void RunStore::removeItem(const std::string& kind, const std::string& key) {
    change([&](std::int64_t) { dropItem(kind, key); });
}

void RunStore::dropItem(const std::string& kind, const std::string& key) {
    connection_->query("DELETE FROM item WHERE kind = ? AND key = ?").with(kind, key).run();
    itemsAdded_ -= connection_->changes();
}

}  // namespace heddle::storage
