// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/connection.h"
#include "storage/damage_list.h"
#include "storage/record_tables.h"
#include "storage/run_query.h"
#include "storage/series_reader.h"

#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::storage {

/// RunQuery over SQLite.
class SqliteRunQuery final : public RunQuery {
public:
    SqliteRunQuery(const std::string& file, Connection::Mode mode, std::string notice, DamageList::OnDamage onDamage);

    std::int64_t dataVersion() override;
    std::int64_t revision() override;
    const std::string& notice() const override { return notice_; }
    const std::vector<Damage>& damages() const override { return damages_.all(); }

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
    IndexNews histogramsSince(const std::string& run, const IndexPlace& place) override;
    IndexNews mapsSince(const std::string& run, const IndexPlace& place) override;
    std::optional<HistogramRecord> histogram(const std::string& run, const Snapshot& which) override;
    std::optional<MapRecord> map(const std::string& run, const Snapshot& which) override;
    std::vector<Item> items(const std::string& kind) override;

private:
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
    /// isWhole, and the rows ordered by key. Reports damaged rows, and missing or duplicate rows if all were requested.
    template <class Take>
    void readRecords(const Records& records, const std::string& sql, Take&& take) {
        connection_.guarded([&] {
            const ReadTransaction transaction(connection_);
            const auto owner = ownerOf(records.run);
            if (!owner) return;
            Query rows = connection_.query(sql);
            rows.with(owner->number, records.sinceRev);
            std::optional<std::invoke_result_t<Take, const Query&, bool>> last;
            std::int64_t found = 0;
            bool isOrdered = true;
            while (rows.next()) {
                const bool isWhole = rows.integer(0) != 0;
                auto key = take(std::as_const(rows), isWhole);
                ++found;
                if (!isWhole) {
                    reportDamaged(records, fmt::format("{}", fmt::join(key, ", ")));
                    continue;
                }
                isOrdered = isOrdered && (!last || *last < key);
                last = std::move(key);
            }
            const std::int64_t recorded = owner->counts[static_cast<std::size_t>(records.kind)];
            if (records.sinceRev == 0 && owner->isWhole && (recorded != found || !isOrdered))
                reportMissing(records, recorded, found);
        });
    }
    IndexNews wholeIndex(RecordKind kind, const std::string& run);
    IndexNews indexSince(RecordKind kind, const std::string& run, const IndexPlace& place);
    /// Rows of table series of one run at a data version, by name and path, newest attempt first.
    struct SeriesDirectory {
        std::string run;
        std::int64_t version = -1;
        std::map<std::pair<std::string, std::string>, std::vector<SeriesRow>> rows;
    };
    const std::vector<SeriesRow>& rowsOf(const SeriesReader::Curve& curve);
    void readDirectory(const std::string& run);
    void reportDamaged(const Records& records, const std::string& key);
    void reportMissing(const Records& records, std::int64_t recorded, std::int64_t found);
    template <class F>
    auto readCurve(SeriesReader::Curve curve, F&& f) {
        const std::string run = curve.run;
        bool isUnknown = false;
        auto read = connection_.guarded([&] {
            const ReadTransaction transaction(connection_);
            const auto& rows = rowsOf(curve);
            isUnknown = rows.empty();
            SeriesReader reader(connection_, damages_, rows, std::move(curve));
            return f(reader);
        });
        if (isUnknown) series(run);  // reports a curve with a damaged name
        return read;
    }

    std::string notice_;
    Connection connection_;
    DamageList damages_;
    SeriesDirectory directory_;
};

}  // namespace heddle::storage
