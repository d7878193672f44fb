// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/records.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle::storage {

/// Read-only view of a run database of this or another process, live or finished. One thread per object; cheap to open.
class RunQuery {
public:
    /// A damaged or missing record; other records are not affected.
    struct Damage {
        std::string run;   ///< empty: the database itself
        std::string text;  ///< "128 values of run 0123…, loss, attempt 1, steps 1 to 128, are damaged: shown as a gap"
        bool operator==(const Damage&) const = default;
    };
    /// `onDamage` is called when a damage is first found. Throws StorageError: NotFound, NotADatabase, NewerSchema, Corrupt.
    static std::unique_ptr<RunQuery> open(const std::string& file, std::function<void(const Damage&)> onDamage = {});
    virtual ~RunQuery() = default;

    virtual std::int64_t dataVersion() = 0;  ///< changes whenever another connection commits
    virtual std::int64_t revision() = 0;     ///< newest database-wide commit number
    /// A notice for the user about this view (opened immutable, network file system), or empty.
    virtual const std::string& notice() const = 0;

    /// All damages found so far, each once.
    virtual const std::vector<Damage>& damages() const = 0;

    virtual std::vector<RunRecord> runs(std::int64_t sinceRev = 0) = 0;
    virtual std::optional<RunRecord> run(const std::string& id) = 0;
    /// Runs matching RUN: an exact id, else an id prefix, else an exact name (newest first).
    virtual std::vector<RunRecord> matching(const std::string& idOrPrefixOrName) = 0;
    struct DeletedRun {
        std::string id, name;
        double at = 0;
        std::int64_t rev = 0;
    };
    virtual std::vector<DeletedRun> deletedRuns(std::int64_t sinceRev = 0) = 0;
    virtual std::vector<AttemptRecord> attempts(const std::string& run) = 0;

    struct SeriesKey {
        std::string name, path;
        std::int64_t points = 0;  ///< stored values of all attempts
        bool deterministic = true;
        bool damaged = false;  ///< a row of the series is damaged and its content unknown
    };
    virtual std::vector<SeriesKey> series(const std::string& run) = 0;

    struct Point {
        std::int64_t step;
        float value;
        std::int64_t attempt;
    };
    /// All stored points with fromStep ≤ step ≤ toStep; for each step of the newest attempt that has it.
    virtual std::vector<Point> points(const std::string& run, const std::string& name, const std::string& path,
                                      std::int64_t fromStep, std::int64_t toStep) = 0;
    /// The same for a single attempt (for the replay check).
    virtual std::vector<Point> pointsOfAttempt(const std::string& run, std::int64_t attempt, const std::string& name,
                                               const std::string& path, std::int64_t fromStep, std::int64_t toStep) = 0;

    struct Bucket {
        std::int64_t firstStep, lastStep;
        float minimum, maximum;
        double mean;
        std::int64_t n;
    };
    /// At most `buckets` min/max/mean buckets over the range, read from the pyramid: O(buckets), exact extremes. Bucket borders
    /// follow the pyramid's entries; empty buckets are omitted; n counts the stored points. Extremes ignore NaN and are NaN if
    /// there is nothing else; the mean is over finite values (NaN if there are none).
    virtual std::vector<Bucket> overview(const std::string& run, const std::string& name, const std::string& path,
                                         std::int64_t fromStep, std::int64_t toStep, std::int64_t buckets) = 0;

    /// For each step, split and metric of the newest attempt that has it; ordered by step.
    virtual std::vector<EvaluationRecord> evaluations(const std::string& run, std::int64_t sinceRev = 0) = 0;
    virtual std::vector<CheckpointRecord> checkpoints(const std::string& run) = 0;
    virtual std::vector<EventRecord> events(const std::string& run, std::int64_t sinceRev = 0) = 0;
    virtual std::vector<SampleRecord> samples(const std::string& run, std::int64_t step = -1) = 0;  ///< -1: newest
    struct Snapshot {
        std::string name, path;
        std::int64_t step, probe;
        bool operator==(const Snapshot&) const = default;
    };
    virtual std::vector<Snapshot> histogramIndex(const std::string& run) = 0;
    virtual std::vector<Snapshot> mapIndex(const std::string& run) = 0;
    /// How far a reader has read an index. {}: nothing yet.
    struct IndexPlace {
        std::int64_t row = 0, count = 0;
    };
    struct IndexNews {
        std::vector<Snapshot> snapshots;
        bool isComplete = true;  ///< they are the complete index and replace what the reader has
        IndexPlace place;        ///< where the next reading begins
    };
    /// The snapshots that were stored after `place`, in the order in which they were stored. Where snapshots were removed or
    /// replaced since, the complete index, as histogramIndex() or mapIndex() gives it.
    virtual IndexNews histogramsSince(const std::string& run, const IndexPlace& place) = 0;
    virtual IndexNews mapsSince(const std::string& run, const IndexPlace& place) = 0;
    /// Of the newest attempt. Throws StorageError Corrupt when this record is damaged.
    virtual std::optional<HistogramRecord> histogram(const std::string& run, const Snapshot& which) = 0;
    virtual std::optional<MapRecord> map(const std::string& run, const Snapshot& which) = 0;

    struct Item {
        std::string key, body;
        std::int64_t rev = 0;
        bool damaged = false;
    };
    virtual std::vector<Item> items(const std::string& kind) = 0;  ///< stored by RunStore::putItem, sorted by key
};

}  // namespace heddle::storage
