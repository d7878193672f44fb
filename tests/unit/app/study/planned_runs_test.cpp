// SPDX-License-Identifier: Apache-2.0
#include "app/study/planned_runs.h"

#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "tests/unit/app/study/recorded_runs.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

using testing::HasSubstr;

class KnownRunsTest : public testing::Test, protected RecordedRuns {
protected:
    static RunSpec startedFrom(const std::string& checkpoint, const std::string& sha256) {
        RunSpec spec = smallSpec("run", 40);
        spec.train.start.checkpoint = checkpoint;
        spec.train.start.weightsSha256 = sha256;
        return spec;
    }
    std::string found(RunSpec spec) const {
        std::vector<PlannedRun> planned(1);
        planned[0].spec = std::move(spec);
        findRuns(planned, *query(), file_);
        return planned[0].id;
    }
};

TEST_F(KnownRunsTest, ARunIsFoundWhoseFirstCheckpointMovedIfItsWeightsAreTheSame) {
    const std::string weights(64, 'a');
    const std::string id = record(startedFrom("/old/step-40", weights), {});
    EXPECT_EQ(found(startedFrom("/old/step-40", weights)), id);
    EXPECT_EQ(found(startedFrom("/new/step-40", weights)), id);
    EXPECT_EQ(found(startedFrom("/new/step-40", std::string(64, 'b'))), "");
    EXPECT_EQ(found(startedFrom("", "")), "") << "random weights";

    const std::string unknown = record(startedFrom("/old/step-50", ""), {});
    EXPECT_EQ(found(startedFrom("/old/step-50", "")), unknown);
    EXPECT_EQ(found(startedFrom("/new/step-50", "")), "") << "nobody knows which weights are there";
}

TEST_F(KnownRunsTest, ARunOfOtherSettingsFilesOrSeedIsAnother) {
    const RunSpec trained = smallSpec("run", 40);
    const std::string id = record(trained, {});
    RunSpec named = trained;
    named.name = "renamed";
    named.train.device = "cuda";
    EXPECT_EQ(found(named), id);
    EXPECT_EQ(found(seeded(trained, 2)), "");
    RunSpec more = trained;
    more.data.valid = {"/nowhere/a", "/nowhere/b"};
    EXPECT_EQ(found(more), "") << "it names further files";
    RunSpec fewer = trained;
    fewer.data.train.target.clear();
    EXPECT_EQ(found(fewer), "") << "it names fewer";
    RunSpec threads = trained;
    threads.train.threads = 3;
    EXPECT_EQ(found(threads), "");
}

/// A row of a small run for each seed.
PlanRow rowOf(const std::string& name, std::vector<std::uint64_t> seeds, std::optional<RowStart> from = {}) {
    return {name, smallSpec(name, 30).toJson(), {}, std::move(seeds), std::move(from)};
}

TEST(PlannedRuns, ARunStartsFromTheRunOfItsSeedWhereverItsRowStands) {
    const auto runs = plannedRuns({rowOf("late", {2}, RowStart{"fine", "last"}), rowOf("fine", {1, 2}, RowStart{"pre"}),
                                   rowOf("pre", {1, 2, 3}), rowOf("other", {5}, RowStart{"old", "40", "old.heddle"})},
                                  "/plans/plan.json", "");
    ASSERT_EQ(runs.size(), 7U);
    EXPECT_EQ(runs[0].start->run, 2U) << "fine, seed 2";
    EXPECT_EQ(runs[1].start->run, 3U);
    EXPECT_EQ(runs[2].start->run, 4U);
    EXPECT_EQ(runs[2].start->key, workKey(runs[4]));
    EXPECT_EQ(runs[0].start->key, workKey(runs[2]));
    EXPECT_EQ(runs[6].start->from.database, "/plans/old.heddle");
    for (const std::size_t open : {0, 1, 2, 6}) {
        EXPECT_TRUE(runs[open].waitsForStart());
        EXPECT_EQ(runs[open].state, "waits");
    }
    EXPECT_FALSE(runs[3].waitsForStart());
    EXPECT_EQ(runs[3].state, "new");
    EXPECT_EQ(runs[2].title(), "fine, seed 2");
}

TEST(PlannedRuns, TheSameSpecFromAnotherStartIsAnotherRun) {
    const auto planned = [](std::vector<PlanRow> rows) { return plannedRuns(std::move(rows), "plan.json", ""); };
    PlanRow pre = rowOf("pre", {1}), wide = rowOf("wide", {1});
    wide.set = {"dims.f=48"};
    EXPECT_EQ(planned({pre, wide, rowOf("a", {2}), rowOf("b", {1}, RowStart{"pre"}), rowOf("c", {1}, RowStart{"wide"}),
                       rowOf("d", {1}, RowStart{"pre", "last"})})
                  .size(),
              6U);
    EXPECT_THAT(whyRefused([&] {
                    planned({pre, rowOf("b", {1}, RowStart{"pre"}), rowOf("c", {1}, RowStart{"pre"})});
                }),
                HasSubstr("two rows are the same run under two names: b and c, seed 1"));
    EXPECT_THAT(whyRefused([&] { planned({rowOf("b", {1}, RowStart{"pre"})}); }), HasSubstr("plan.json"));
}

TEST(WorkKey, NamesTheWorkAndNeitherItsNameNorTheWeightsOfItsStart) {
    PlannedRun run;
    run.spec = smallSpec("base", 30);
    const std::string key = workKey(run);
    EXPECT_EQ(key.size(), 16U);
    RunSpec bare = run.spec;
    bare.name.clear();
    EXPECT_EQ(key, sha256Hex(canonicalJson(bare.toJson())).substr(0, 16)) << "jobs that wait keep their folders";
    run.spec.name = "another name";
    EXPECT_EQ(workKey(run), key);
    ++run.spec.seed;
    EXPECT_NE(workKey(run), key);

    auto runs = plannedRuns({rowOf("pre", {1}), rowOf("fine", {1}, RowStart{"pre"})}, "plan.json", "");
    const std::string open = workKey(runs[1]);
    runs[1].spec.train.start.checkpoint = "/runs/step-30";
    runs[1].spec.train.start.weightsSha256 = std::string(64, 'a');
    EXPECT_FALSE(runs[1].waitsForStart());
    EXPECT_EQ(workKey(runs[1]), open);
    EXPECT_NE(open, workKey(runs[0]));
}

TEST_F(KnownRunsTest, ARunWhoseStartIsOpenIsNotTakenForOneFromRandomWeights) {
    record(smallSpec("run", 40), {});
    std::vector<PlannedRun> planned(1);
    planned[0].spec = smallSpec("run", 40);
    planned[0].start = PlannedStart{{"pre"}, {}, {}};
    findRuns(planned, *query(), file_);
    EXPECT_EQ(planned[0].id, "");
    EXPECT_EQ(planned[0].state, "waits");
}

}  // namespace
}  // namespace heddle::app
