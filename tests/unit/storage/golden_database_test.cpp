// SPDX-License-Identifier: Apache-2.0
#include "storage/database_report.h"
#include "storage_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::storage {
namespace {

namespace fs = std::filesystem;

/// Databases of every release lie in tests/golden/databases and must stay readable (design section 6). Once a schema is
/// settled:
///   HEDDLE_WRITE_GOLDEN=tests/golden/databases/vN.heddle storage_test --gtest_also_run_disabled_tests
///   --gtest_filter=*DISABLED_Write
/// A golden file is never written again. v2 is of the last schema before rows had checksums, v3 of the first release, v4
/// tells interventions.
const std::string kFolder = HEDDLE_SOURCE_DIR "/tests/golden/databases";
constexpr std::int64_t kIntervened = 4600;

float valueAt(std::int64_t step) {
    if (step == 5) return std::nanf("");
    if (step == 6) return std::numeric_limits<float>::infinity();
    if (step == 7) return -0.0F;
    return static_cast<float>(1.0 / static_cast<double>(step));
}

void writeGolden(RunStore& store) {
    RunRecord run;
    run.id = kRun;
    run.name = "golden";
    run.state = "completed";
    run.spec = R"({"schema":1})";
    run.variantHash = "variant";
    run.runHash = "run";
    run.seed = std::numeric_limits<std::uint64_t>::max();
    run.created = 1.7e9;
    run.tags = {"golden", "ü"};
    run.intervened = kIntervened;
    store.addRun(run);
    for (std::int64_t attempt : {1, 2}) {
        AttemptRecord record;
        record.run = kRun;
        record.attempt = attempt;
        record.firstStep = attempt == 1 ? 0 : 4500;
        record.device = "cpu";
        record.replay = attempt == 1 ? "" : "equal";
        store.addAttempt(record);
        SeriesAppend series;
        series.run = kRun;
        series.attempt = attempt;
        series.name = "loss";
        series.firstStep = record.firstStep + 1;
        for (std::int64_t step = series.firstStep; step <= (attempt == 1 ? 4700 : 9000); ++step)
            series.values.push_back(valueAt(step));
        store.append(series);
    }
    store.add(EvaluationRecord{kRun, 2, 9000, 2, "valid", "bleu", "sig", 30.5, 1014, 2});
    store.add(CheckpointRecord{kRun, 2, 9000, "best", kRun + "/step-9000", "w", "o", "s", 1000});
    store.add(EventRecord{kRun, 1, 0, 0, 1.7e9, "state", "queued → running", ""});
    store.add(SampleRecord{kRun, 2, 9000, 0, "ein hund", "a dog", "a dog"});
    HistogramRecord histogram;
    histogram.run = kRun;
    histogram.name = "gate";
    histogram.path = "encoder.layers.0.self.residual";
    histogram.bins = {1, 2, 3};
    store.add(histogram);
    MapRecord map;
    map.run = kRun;
    map.name = "weight";
    map.path = "encoder.layers.0.self";
    map.heads = 2;
    map.rows = map.columns = 8;
    for (int i = 0; i < 128; ++i) map.values.push_back(static_cast<float>(i) / 128);
    map.rowTokens = map.columnTokens = std::vector<std::string>(8, "a");
    store.add(map);
    store.putItem("variant", "mine", R"({"d":128})");
}

void expectGolden(const std::string& file, std::int64_t intervened = kIntervened) {
    auto query = RunQuery::open(file);
    auto run = query->run(kRun);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->name, "golden");
    EXPECT_EQ(run->seed, std::numeric_limits<std::uint64_t>::max());
    EXPECT_THAT(run->tags, testing::ElementsAre("golden", "ü"));
    EXPECT_EQ(run->intervened, intervened);
    ASSERT_EQ(query->attempts(kRun).size(), 2U);
    EXPECT_EQ(query->attempts(kRun)[1].replay, "equal");
    auto points = query->points(kRun, "loss", "", 0, INT64_MAX);
    ASSERT_EQ(points.size(), 9000U);
    for (const auto& point : points) {
        ASSERT_EQ(bitsOf(point.value), bitsOf(valueAt(point.step))) << point.step;
        ASSERT_EQ(point.attempt, point.step > 4500 ? 2 : 1);
    }
    EXPECT_EQ(query->overview(kRun, "loss", "", 8, INT64_MAX, 1)[0].maximum, 0.125F);
    EXPECT_EQ(query->evaluations(kRun)[0].value, 30.5);
    EXPECT_EQ(query->checkpoints(kRun)[0].kind, "best");
    EXPECT_EQ(query->events(kRun)[0].text, "queued → running");
    EXPECT_EQ(query->samples(kRun)[0].hypothesis, "a dog");
    EXPECT_THAT(query->histogram(kRun, query->histogramIndex(kRun)[0])->bins, testing::ElementsAre(1, 2, 3));
    EXPECT_EQ(query->map(kRun, query->mapIndex(kRun)[0])->values[127], 127.0F / 128);
    EXPECT_EQ(query->items("variant")[0].key, "mine");
    EXPECT_TRUE(query->damages().empty());
}

class GoldenDatabase : public StorageTest {};

TEST_F(GoldenDatabase, WhatTodaysProgramWritesHasTheGoldenContent) {
    writeGolden(*openStore());
    expectGolden(file_);
}

TEST_F(GoldenDatabase, EveryReleasesDatabaseIsReadAndGoesOn) {
    std::vector<fs::path> files;
    if (fs::is_directory(kFolder))
        for (const auto& entry : fs::directory_iterator(kFolder))
            if (entry.path().extension() == ".heddle") files.push_back(entry.path());
    ASSERT_FALSE(files.empty()) << "no golden database in " << kFolder;
    std::sort(files.begin(), files.end());
    for (const auto& golden : files) {
        SCOPED_TRACE(golden.filename());
        file_ = folder_ + "/" + golden.filename().string();
        fs::copy_file(golden, file_);
        const bool tellsInterventions = golden.filename() != "v2.heddle" && golden.filename() != "v3.heddle";
        expectGolden(file_, tellsInterventions ? kIntervened : -1);
        openStore()->append(block(9001, {0.5F}, 2));
        EXPECT_EQ(lossPoints().size(), 9001U);
        EXPECT_THAT(verifyDatabase(file_, {}).problems, testing::IsEmpty());
    }
}

TEST_F(GoldenDatabase, DISABLED_Write) {
    const char* target = std::getenv("HEDDLE_WRITE_GOLDEN");
    ASSERT_NE(target, nullptr) << "set HEDDLE_WRITE_GOLDEN=FILE";
    ASSERT_FALSE(fs::exists(target)) << "a golden database is never written again";
    writeGolden(*openStore());
    fs::create_directories(fs::absolute(target).parent_path());
    fs::copy_file(file_, target);
    expectGolden(target);
    for (const char* rest : {"-wal", "-shm"}) fs::remove(target + std::string(rest));
}

}  // namespace
}  // namespace heddle::storage
