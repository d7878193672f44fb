// SPDX-License-Identifier: Apache-2.0
// RunQuery: the records of a run.
#include "storage/run_query_parts.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <tuple>
#include <utility>

namespace heddle::storage {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// "SELECT <is the row whole>, <columns> FROM <table> AS e WHERE e.run = ?1 AND e.rev > ?2 ORDER BY <order>".
std::string selection(RecordKind kind, const char* columns, const char* order) {
    const RecordTable& table = tableOf(kind);
    return fmt::format("SELECT {}, {} FROM {} AS e WHERE e.run = ?1 AND e.rev > ?2 ORDER BY {}", table.isWhole("e"), columns,
                       table.name, order);
}

/// Whether entry "i" of the index of series belongs to row "e".
constexpr const char* kIndexFits = " AND e.run = i.run AND e.name = i.name AND e.path = i.path AND e.attempt = i.attempt";

const char* plural(RecordKind kind) {
    constexpr std::array<const char*, kRecordKinds> kNames{"attempts",       "series",  "evaluations", "histograms",
                                                           "attention maps", "samples", "checkpoints", "events"};
    return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

void RunQuery::reportDamaged(const Records& records, const std::string& key) {
    damages_->add(records.run, fmt::format("one of the {} of run {} is damaged: {}", plural(records.kind), records.run, key));
}

void RunQuery::reportMissing(const Records& records, std::int64_t recorded, std::int64_t found) {
    damages_->add(records.run, fmt::format("{} {} of run {} are recorded, {} can be read{}", recorded, plural(records.kind),
                                           records.run, found, recorded == found ? ", some of them twice" : ""));
}

std::vector<AttemptRecord> RunQuery::attempts(const std::string& run) {
    static const std::string kSelect =
        selection(RecordKind::Attempt,
                  "e.attempt, e.started, e.seconds, e.first_step, e.device, e.host, e.program, e.torch, e.threads, e.context,"
                  " e.peak_bytes, e.replay, e.replayed_steps",
                  "e.attempt");
    std::vector<AttemptRecord> attempts;
    readRecords({RecordKind::Attempt, run}, kSelect, [&](const Query& row, bool isWhole) {
        AttemptRecord& attempt = attempts.emplace_back();
        attempt.run = run;
        attempt.attempt = row.integer(1);
        attempt.damaged = !isWhole;
        if (isWhole) {
            attempt.started = row.real(2);
            attempt.seconds = row.real(3);
            attempt.firstStep = row.integer(4);
            attempt.device = row.text(5);
            attempt.host = row.text(6);
            attempt.program = row.text(7);
            attempt.torch = row.text(8);
            attempt.threads = row.integer(9);
            attempt.context = row.text(10);
            attempt.peakBytes = row.integer(11);
            attempt.replay = row.text(12);
            attempt.replayedSteps = row.integer(13);
        }
        return std::tuple(attempt.attempt);
    });
    return attempts;
}

std::vector<RunQuery::SeriesKey> RunQuery::series(const std::string& run) {
    // "i" is the index, which may be damaged itself; values and checksums come from the table by row number.
    static const std::string kSelect =
        "SELECT " + tableOf(RecordKind::Series).isWhole("e") + kIndexFits +
        ", e.name, e.path, e.points, e.deterministic, e.attempt FROM series AS i CROSS JOIN series AS e ON e.num = i.num"
        " WHERE i.run = ?1 AND e.rev > ?2 ORDER BY i.name, i.path, i.attempt";
    std::vector<SeriesKey> keys;
    readRecords({RecordKind::Series, run}, kSelect, [&](const Query& row, bool isWhole) {
        auto key = std::tuple(row.text(1), row.text(2), row.integer(5));
        const auto& [name, path, attempt] = key;
        if (keys.empty() || keys.back().name != name || keys.back().path != path) keys.push_back({name, path, 0, true, false});
        SeriesKey& series = keys.back();
        series.points += isWhole ? row.integer(3) : 0;
        series.deterministic = series.deterministic && isWhole && row.integer(4) != 0;
        series.damaged = series.damaged || !isWhole;
        return key;
    });
    return keys;
}

const std::vector<SeriesRow>& RunQuery::rowsOf(const Curve& curve) {
    static const std::vector<SeriesRow> kNone;
    const std::int64_t version = connection_->pragma("PRAGMA data_version");
    if (directory_->run != curve.run || directory_->version != version) {
        readDirectory(curve.run);
        directory_->version = version;
    }
    const auto found = directory_->rows.find({curve.name, curve.path});
    return found == directory_->rows.end() ? kNone : found->second;
}

/// Reads every series of the run, because a damaged index may have lost or misnamed one.
void RunQuery::readDirectory(const std::string& run) {
    static const std::string kSelect =
        "SELECT e.num, e.attempt, e.first_step, e.last_step, e.chunks, " + tableOf(RecordKind::Series).isWhole("e") +
        kIndexFits +
        ", e.name, e.path, e.points FROM series AS i CROSS JOIN series AS e ON e.num = i.num WHERE i.run = ?1"
        " ORDER BY e.attempt DESC";
    *directory_ = {run, -1, {}};
    const auto owner = ownerOf(run);
    if (!owner) return;
    std::int64_t found = 0;
    Query rows = connection_->query(kSelect);
    rows.with(owner->number);
    for (; rows.next(); ++found) {
        const SeriesRow row{rows.integer(0), rows.integer(1), rows.integer(2),
                            rows.integer(3), rows.integer(4), rows.integer(5) != 0};
        if (!row.isWhole)
            damages_->add(run, fmt::format("a series of run {}, or the index of series, is damaged: {}, {}, attempt {}", run,
                                           rows.text(6), rows.text(7), row.attempt));
        if (!row.isWhole || rows.integer(8) > 0) directory_->rows[{rows.text(6), rows.text(7)}].push_back(row);
    }
    const std::int64_t recorded = owner->counts[static_cast<std::size_t>(RecordKind::Series)];
    if (owner->isWhole && recorded != found) reportMissing({RecordKind::Series, run}, recorded, found);
}

std::vector<EvaluationRecord> RunQuery::evaluations(const std::string& run, std::int64_t sinceRev) {
    static const std::string kSelect =
        selection(RecordKind::Evaluation, "e.step, e.split, e.metric, e.attempt, e.epoch, e.signature, e.value, e.n, e.seconds",
                  "e.step, e.split, e.metric, e.attempt");
    std::vector<EvaluationRecord> evaluations;
    readRecords({RecordKind::Evaluation, run, sinceRev}, kSelect, [&](const Query& row, bool isWhole) {
        EvaluationRecord evaluation;
        evaluation.run = run;
        evaluation.step = row.integer(1);
        evaluation.split = row.text(2);
        evaluation.metric = row.text(3);
        evaluation.attempt = row.integer(4);
        evaluation.value = kNotANumber;
        evaluation.damaged = !isWhole;
        if (isWhole) {
            evaluation.epoch = row.integer(5);
            evaluation.signature = row.text(6);
            evaluation.value = row.real(7);
            evaluation.n = row.integer(8);
            evaluation.seconds = row.real(9);
        }
        auto key = std::tuple(evaluation.step, evaluation.split, evaluation.metric, evaluation.attempt);
        const bool isNewer = !evaluations.empty() && evaluations.back().step == evaluation.step &&
                             evaluations.back().split == evaluation.split && evaluations.back().metric == evaluation.metric;
        if (isNewer)
            evaluations.back() = std::move(evaluation);
        else
            evaluations.push_back(std::move(evaluation));
        return key;
    });
    return evaluations;
}

std::vector<CheckpointRecord> RunQuery::checkpoints(const std::string& run) {
    static const std::string kSelect =
        selection(RecordKind::Checkpoint,
                  "e.step, e.kind, e.attempt, e.weights_sha256, e.optimizer_sha256, e.state_sha256, e.bytes", "e.step, e.kind");
    std::vector<CheckpointRecord> checkpoints;
    readRecords({RecordKind::Checkpoint, run}, kSelect, [&](const Query& row, bool isWhole) {
        CheckpointRecord& checkpoint = checkpoints.emplace_back();
        checkpoint.run = run;
        checkpoint.step = row.integer(1);
        checkpoint.kind = row.text(2);
        checkpoint.folder = checkpointFolder(run, checkpoint.step, checkpoint.kind);
        checkpoint.damaged = !isWhole;
        if (isWhole) {
            checkpoint.attempt = row.integer(3);
            checkpoint.weightsSha256 = row.text(4);
            checkpoint.optimizerSha256 = row.text(5);
            checkpoint.stateSha256 = row.text(6);
            checkpoint.bytes = static_cast<std::uint64_t>(row.integer(7));
        }
        return std::tuple(checkpoint.step, checkpoint.kind);
    });
    return checkpoints;
}

std::vector<EventRecord> RunQuery::events(const std::string& run, std::int64_t sinceRev) {
    static const std::string kSelect =
        selection(RecordKind::Event, "e.id, e.attempt, e.step, e.seconds, e.at, e.kind, e.text, e.data", "e.id");
    std::vector<EventRecord> events;
    readRecords({RecordKind::Event, run, sinceRev}, kSelect, [&](const Query& row, bool isWhole) {
        EventRecord event{run, 0, 0, 0, 0, "damaged", "a record of what happened is damaged", "", true};
        if (isWhole)
            event = {run,         row.integer(2), row.integer(3), row.real(4), row.real(5),
                     row.text(6), row.text(7),    row.text(8),    false};
        events.push_back(std::move(event));
        return std::tuple(row.integer(1));
    });
    return events;
}

std::vector<SampleRecord> RunQuery::samples(const std::string& run, std::int64_t step) {
    static const std::string kSelect = selection(
        RecordKind::Sample, "e.step, e.number, e.attempt, e.source, e.reference, e.hypothesis", "e.step, e.number, e.attempt");
    std::vector<SampleRecord> samples;
    readRecords({RecordKind::Sample, run}, kSelect, [&](const Query& row, bool isWhole) {
        const auto key = std::tuple(row.integer(1), row.integer(2), row.integer(3));
        const auto [at, number, attempt] = key;
        if (step < 0 && !samples.empty() && samples.back().step != at) samples.clear();  // an older step
        if (step >= 0 && step != at) return key;
        SampleRecord sample{run, attempt, at, number, "", "", "", !isWhole};
        if (isWhole) {
            sample.source = row.text(4);
            sample.reference = row.text(5);
            sample.hypothesis = row.text(6);
        }
        if (!samples.empty() && samples.back().index == number)
            samples.back() = std::move(sample);  // of a newer attempt
        else
            samples.push_back(std::move(sample));
        return key;
    });
    return samples;
}

std::vector<RunQuery::Item> RunQuery::items(const std::string& kind) {
    static const std::string kSelect =
        "SELECT " + kItemTable.isWhole("item") + ", key, body, rev FROM item WHERE kind = ? ORDER BY key";
    return connection_->guarded([&] {
        const ReadTransaction transaction(*connection_);
        std::vector<Item> items;
        {
            Query rows = connection_->query(kSelect);
            rows.with(kind);
            while (rows.next()) {
                const bool isWhole = rows.integer(0) != 0;
                items.push_back({rows.text(1), isWhole ? rows.text(2) : "null", rows.integer(3), !isWhole});
                if (!isWhole) damages_->add("", fmt::format("the saved {} \"{}\" is damaged", kind, items.back().key));
            }
        }
        Query counts = connection_->query("SELECT m.items, (SELECT count(*) FROM item) FROM meta AS m");
        if (counts.next() && counts.integer(0) != counts.integer(1))
            damages_->add("", fmt::format("{} saved variants, colours and pins are recorded, {} can be read", counts.integer(0),
                                          counts.integer(1)));
        return items;
    });
}

}  // namespace heddle::storage
