// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/records.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::storage {

/// Read-only view of a run database, of this or of another process, live or finished. One thread an object; cheap to open.
class RunQuery {
public:
    /// Throws StorageError: NotFound, NotADatabase, NewerSchema, Corrupt.
    static std::unique_ptr<RunQuery> open(const std::string& file);
    virtual ~RunQuery() = default;

    virtual std::int64_t dataVersion() = 0;  ///< changes whenever another connection committed
    virtual std::int64_t revision() = 0;     ///< newest database-wide commit number

    virtual std::vector<RunRecord> runs(std::int64_t sinceRev = 0) = 0;
    virtual std::optional<RunRecord> run(const std::string& id) = 0;
    /// Runs that RUN may mean: an exact id, else ids that begin with it, else exact names (newest first).
    virtual std::vector<RunRecord> matching(const std::string& idOrPrefixOrName) = 0;
    virtual std::vector<AttemptRecord> attempts(const std::string& run) = 0;

    struct SeriesKey {
        std::string name, path;
        std::int64_t points = 0;
        bool deterministic = true;
    };
    virtual std::vector<SeriesKey> series(const std::string& run) = 0;

    struct Point {
        std::int64_t step;
        float value;
        std::int64_t attempt;
    };
    /// Every stored point with fromStep ≤ step ≤ toStep; of several attempts the newest one that has the step.
    virtual std::vector<Point> points(const std::string& run, const std::string& name, const std::string& path,
                                      std::int64_t fromStep, std::int64_t toStep) = 0;
    /// The same of one attempt alone (for the replay check).
    virtual std::vector<Point> pointsOfAttempt(const std::string& run, std::int64_t attempt, const std::string& name,
                                               const std::string& path, std::int64_t fromStep, std::int64_t toStep) = 0;

    struct Bucket {
        std::int64_t firstStep, lastStep;
        float minimum, maximum;
        double mean;
        std::int64_t n;
    };
    /// At most `buckets` min/max/mean buckets over the range, read from the pyramid: O(buckets), exact extremes.
    virtual std::vector<Bucket> overview(const std::string& run, const std::string& name, const std::string& path,
                                         std::int64_t fromStep, std::int64_t toStep, std::int64_t buckets) = 0;

    virtual std::vector<EvaluationRecord> evaluations(const std::string& run, std::int64_t sinceRev = 0) = 0;
    virtual std::vector<CheckpointRecord> checkpoints(const std::string& run) = 0;
    virtual std::vector<EventRecord> events(const std::string& run, std::int64_t sinceRev = 0) = 0;
    virtual std::vector<SampleRecord> samples(const std::string& run, std::int64_t step = -1) = 0;  ///< -1: newest
    struct Snapshot {
        std::string name, path;
        std::int64_t step, probe;
    };
    virtual std::vector<Snapshot> histogramIndex(const std::string& run) = 0;
    virtual std::vector<Snapshot> mapIndex(const std::string& run) = 0;
    virtual std::optional<HistogramRecord> histogram(const std::string& run, const Snapshot& which) = 0;
    virtual std::optional<MapRecord> map(const std::string& run, const Snapshot& which) = 0;
};

}  // namespace heddle::storage
