// SPDX-License-Identifier: Apache-2.0
// How fast the run database takes and gives series, and how large it becomes. By hand:
//   storage_bench [FOLDER]   (default: a folder in $TMPDIR, removed afterwards)
#include "storage/run_query.h"
#include "storage/run_store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace heddle::storage;
namespace fs = std::filesystem;

const std::string kRun = "0123456789ab";

template <class F>
double secondsOf(F&& f) {
    auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

RunRecord runRecord() {
    RunRecord run;
    run.id = kRun;
    run.name = "bench";
    run.state = "running";
    return run;
}

std::vector<float> noise(std::size_t n) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> values(n);
    for (float& value : values) value = normal(random);
    return values;
}

SeriesAppend seriesOf(int number) {
    SeriesAppend series;
    series.run = kRun;
    series.name = "series" + std::to_string(number);
    return series;
}

/// 100 series × 100,000 steps, `stepsPerCommit` of all series in each transaction.
void ingest(const std::string& file, std::int64_t stepsPerCommit) {
    constexpr int kSeries = 100;
    constexpr std::int64_t kSteps = 100000;
    std::vector<float> values = noise(kSteps);
    auto store = RunStore::open(file, {"bench", 0});
    store->addRun(runRecord());
    double seconds = secondsOf([&] {
        for (std::int64_t step = 0; step < kSteps; step += stepsPerCommit) {
            store->begin();
            for (int s = 0; s < kSeries; ++s) {
                SeriesAppend series = seriesOf(s);
                series.firstStep = step + 1;
                auto end = std::min(kSteps, step + stepsPerCommit);
                series.values.assign(values.begin() + step, values.begin() + end);
                store->append(series);
            }
            store->commit(RunStore::Durability::Normal);
        }
        store->checkpointWal();
    });
    store.reset();
    double points = static_cast<double>(kSeries * kSteps);
    std::printf("ingest, %lld steps a commit: %.2f s, %.1f M points/s, %.2f bytes a point\n",
                static_cast<long long>(stepsPerCommit), seconds, points / seconds / 1e6,
                static_cast<double>(fs::file_size(file)) / points);
}

void read(const std::string& file) {
    double open = secondsOf([&] { RunQuery::open(file); });
    auto query = RunQuery::open(file);
    std::size_t buckets = 0, points = 0;
    double overview = secondsOf([&] {
        for (int s = 0; s < 100; ++s) buckets += query->overview(kRun, seriesOf(s).name, "", 0, 1 << 30, 1600).size();
    });
    double all = secondsOf([&] {
        for (int s = 0; s < 100; ++s) points += query->points(kRun, seriesOf(s).name, "", 0, 1 << 30).size();
    });
    std::printf("open %.2f ms; overview of 100 series in 1,600 buckets %.1f ms (%zu); all %zu points %.1f ms\n", open * 1e3,
                overview * 1e3, buckets, points, all * 1e3);

    SQLite::Database database(file, SQLite::OPEN_READONLY);
    for (const char* view : {"v_points", "v_all_points"}) {
        SQLite::Statement rows(database, std::string("SELECT step, value FROM ") + view +
                                             " WHERE run = '0123456789ab' AND name = 'series7' ORDER BY step");
        std::size_t n = 0;
        double sql = secondsOf([&] {
            while (rows.executeStep()) ++n;
        });
        std::printf("%s by plain SQL: %zu points in %.0f ms\n", view, n, sql * 1e3);
    }
}

/// A live run: 20 series, 5 steps a commit, as at 20 steps a second and four commits a second.
void live(const std::string& file) {
    constexpr int kCommits = 1000, kSeries = 20, kSteps = 5;
    auto store = RunStore::open(file, {"bench", 0});
    store->addRun(runRecord());
    std::uintmax_t written = 0;
    double seconds = secondsOf([&] {
        for (int commit = 0; commit < kCommits; ++commit) {
            store->begin();
            for (int s = 0; s < kSeries; ++s) {
                SeriesAppend series = seriesOf(s);
                series.firstStep = 1 + commit * kSteps;
                series.values.assign(kSteps, 0.5F);
                store->append(series);
            }
            store->commit(RunStore::Durability::Normal);
            if (commit % 100 == 99) {
                written += fs::file_size(file + "-wal");
                store->checkpointWal();
                store.reset();
                store = RunStore::open(file, {"bench", 0});  // starts the log anew, so that its size is what was written
            }
        }
    });
    std::printf("live, %d series, %d steps a commit: %.2f ms and %.0f KB of log a commit\n", kSeries, kSteps,
                seconds * 1e3 / kCommits, static_cast<double>(written) / kCommits / 1e3);
}

}  // namespace

int main(int argc, char** argv) {
    std::string folder = argc > 1 ? argv[1] : (fs::temp_directory_path() / "heddle-bench-XXXXXX").string();
    if (argc <= 1 && !::mkdtemp(folder.data())) return 1;
    for (std::int64_t steps : {100, 1000, 100000}) {
        std::string file = folder + "/ingest-" + std::to_string(steps) + ".heddle";
        ingest(file, steps);
        if (steps != 1000) read(file);
    }
    live(folder + "/live.heddle");
    if (argc <= 1) fs::remove_all(folder);
    return 0;
}
