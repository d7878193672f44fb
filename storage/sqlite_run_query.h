// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/connection.h"
#include "storage/run_query.h"
#include "storage/series_reader.h"

#include <string>
#include <vector>

namespace heddle::storage {

/// RunQuery over SQLite.
class SqliteRunQuery final : public RunQuery {
public:
    SqliteRunQuery(const std::string& file, Connection::Mode mode, std::string notice);

    std::int64_t dataVersion() override;
    std::int64_t revision() override;
    const std::string& notice() const override { return notice_; }
    const std::vector<Damage>& damages() const override { return damages_; }

    std::vector<RunRecord> runs(std::int64_t sinceRev) override;
    std::optional<RunRecord> run(const std::string& id) override;
    std::vector<RunRecord> matching(const std::string& idOrPrefixOrName) override;
    std::vector<DeletedRun> deletedRuns(std::int64_t sinceRev) override;
    std::vector<AttemptRecord> attempts(const std::string& run) override;

    std::vector<SeriesKey> series(const std::string& run) override;
    std::vector<Point> points(const std::string& run, const std::string& name, const std::string& path, std::int64_t fromStep,
                              std::int64_t toStep) override;
    std::vector<Point> pointsOfAttempt(const std::string& run, std::int64_t attempt, const std::string& name,
                                       const std::string& path, std::int64_t fromStep, std::int64_t toStep) override;
    std::vector<Bucket> overview(const std::string& run, const std::string& name, const std::string& path,
                                 std::int64_t fromStep, std::int64_t toStep, std::int64_t buckets) override;

    std::vector<EvaluationRecord> evaluations(const std::string& run, std::int64_t sinceRev) override;
    std::vector<CheckpointRecord> checkpoints(const std::string& run) override;
    std::vector<EventRecord> events(const std::string& run, std::int64_t sinceRev) override;
    std::vector<SampleRecord> samples(const std::string& run, std::int64_t step) override;
    std::vector<Snapshot> histogramIndex(const std::string& run) override;
    std::vector<Snapshot> mapIndex(const std::string& run) override;
    std::optional<HistogramRecord> histogram(const std::string& run, const Snapshot& which) override;
    std::optional<MapRecord> map(const std::string& run, const Snapshot& which) override;
    std::vector<Item> items(const std::string& kind) override;

private:
    std::vector<RunRecord> runsOf(Query& rows);
    template <class F>
    auto readCurve(SeriesReader::Curve curve, F&& f) {
        return connection_.guarded([&] {
            ReadTransaction transaction(connection_);
            SeriesReader reader(connection_, damages_, std::move(curve));
            return f(reader);
        });
    }

    std::string notice_;
    Connection connection_;
    std::vector<Damage> damages_;
};

}  // namespace heddle::storage
