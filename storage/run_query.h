// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/record_tables.h"
#include "storage/records.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::storage {

class Connection;
class DamageList;
class FollowedFile;
class Query;
struct Curve;
struct SeriesDirectory;
struct SeriesRow;

/// Read-only view of a run database of this or another process, live or finished. One thread per object; cheap to open. On a
/// read-only or network folder, and where rsync replaces the file, dataVersion() opens it anew when it has changed.
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
    ~RunQuery();

    /// Changes whenever another connection commits. Throws StorageError Invalid once the file was replaced by an older or
    /// another database.
    std::int64_t dataVersion();
    std::int64_t revision();  ///< newest database-wide commit number
    /// A notice for the user about this view (opened immutable, network file system), or empty.
    const std::string& notice() const { return notice_; }

    /// All damages found so far, each once.
    const std::vector<Damage>& damages() const;

    std::vector<RunRecord> runs(std::int64_t sinceRev = 0);
    std::optional<RunRecord> run(const std::string& id);
    /// Runs matching RUN: an exact id, else an id prefix, else an exact name (newest first).
    std::vector<RunRecord> matching(const std::string& idOrPrefixOrName);
    struct DeletedRun {
        std::string id, name;
        double at = 0;
        std::int64_t rev = 0;
    };
    std::vector<DeletedRun> deletedRuns(std::int64_t sinceRev = 0);
    std::vector<AttemptRecord> attempts(const std::string& run);

    struct SeriesKey {
        std::string name, path;
        std::int64_t points = 0;  ///< stored values of all attempts
        bool deterministic = true;
        bool damaged = false;  ///< a row of the series is damaged and its content unknown
    };
    std::vector<SeriesKey> series(const std::string& run);

    struct Point {
        std::int64_t step;
        float value;
        std::int64_t attempt;
    };
    /// All stored points with fromStep ≤ step ≤ toStep; for each step of the newest attempt that has it.
    std::vector<Point> points(const std::string& run, const std::string& name, const std::string& path, std::int64_t fromStep,
                              std::int64_t toStep);
    /// The same for a single attempt (for the replay check).
    std::vector<Point> pointsOfAttempt(const std::string& run, std::int64_t attempt, const std::string& name,
                                       const std::string& path, std::int64_t fromStep, std::int64_t toStep);

    struct Bucket {
        std::int64_t firstStep, lastStep;
        float minimum, maximum;
        double mean;
        std::int64_t n;
    };
    /// At most `buckets` min/max/mean buckets over the range, read from the pyramid: O(buckets), exact extremes. Bucket borders
    /// follow the pyramid's entries; empty buckets are omitted; n counts the stored points. Extremes ignore NaN and are NaN if
    /// there is nothing else; the mean is over finite values (NaN if there are none).
    std::vector<Bucket> overview(const std::string& run, const std::string& name, const std::string& path,
                                 std::int64_t fromStep, std::int64_t toStep, std::int64_t buckets);

    /// For each step, split and metric of the newest attempt that has it; ordered by step.
    std::vector<EvaluationRecord> evaluations(const std::string& run, std::int64_t sinceRev = 0);
    std::vector<CheckpointRecord> checkpoints(const std::string& run);
    std::vector<EventRecord> events(const std::string& run, std::int64_t sinceRev = 0);
    std::vector<SampleRecord> samples(const std::string& run, std::int64_t step = -1);  ///< -1: newest
    struct Snapshot {
        std::string name, path;
        std::int64_t step, probe;
        bool operator==(const Snapshot&) const = default;
    };
    std::vector<Snapshot> histogramIndex(const std::string& run);
    std::vector<Snapshot> mapIndex(const std::string& run);
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
    IndexNews histogramsSince(const std::string& run, const IndexPlace& place);
    IndexNews mapsSince(const std::string& run, const IndexPlace& place);
    /// Of the newest attempt. Throws StorageError Corrupt when this record is damaged.
    std::optional<HistogramRecord> histogram(const std::string& run, const Snapshot& which);
    std::optional<MapRecord> map(const std::string& run, const Snapshot& which);

    struct Item {
        std::string key, body;
        std::int64_t rev = 0;
        bool damaged = false;
    };
    std::vector<Item> items(const std::string& kind);  ///< stored by RunStore::putItem, sorted by key

private:
    RunQuery(std::unique_ptr<FollowedFile> file, std::function<void(const Damage&)> onDamage);
    void follow();
    /// The part of a run's row that reading its records needs.
    struct Owner {
        std::int64_t number = 0;
        RecordCounts counts{};
        bool isWhole = false;  ///< false: the counts are meaningless
    };
    std::optional<Owner> ownerOf(const std::string& run);
    std::vector<std::int64_t> numbersOf(Query& rows);
    RunRecord readRun(std::int64_t number);
    std::vector<RunRecord> readRuns(const std::vector<std::int64_t>& numbers);

    /// The records of a run of `kind` that changed after commit `sinceRev`.
    struct Records {
        RecordKind kind;
        const std::string& run;
        std::int64_t sinceRev = 0;
    };
    /// Calls `take(row, isWhole)` for every row that `sql` selects; `take` returns the key of the row. The first column must be
    /// isWhole, and the rows must be ordered by key. Reports damaged rows, and missing or duplicate rows if all were requested.
    template <class Take>
    void readRecords(const Records& records, const std::string& sql, Take&& take);
    IndexNews wholeIndex(RecordKind kind, const std::string& run);
    IndexNews indexSince(RecordKind kind, const std::string& run, const IndexPlace& place);
    const std::vector<SeriesRow>& rowsOf(const Curve& curve);
    void readDirectory(const std::string& run);
    void reportDamaged(const Records& records, const std::string& key);
    void reportMissing(const Records& records, std::int64_t recorded, std::int64_t found);
    template <class F>
    auto readCurve(const Curve& curve, F&& f);

    std::unique_ptr<FollowedFile> file_;
    std::unique_ptr<Connection> connection_;
    std::string notice_;
    std::int64_t opened_ = 0;  ///< how often the file was opened anew
    std::int64_t seen_ = 0;    ///< the newest revision()
    bool isOlder_ = false;     ///< the file was replaced by one with an older revision
    std::unique_ptr<DamageList> damages_;
    std::unique_ptr<SeriesDirectory> directory_;
};

}  // namespace heddle::storage
