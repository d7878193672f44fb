// SPDX-License-Identifier: Apache-2.0
// What training a study has to do next.
#include "app/study/study_progress.h"

#include "app/study/study_runs.h"
#include "engine/base/files.h"
#include "tests/unit/app/study/recorded_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StudyProgressTest : public testing::Test, protected RecordedRuns {
protected:
    StudyProgressTest() {
        for (const std::string& file : {source_, target_}) writeFileAtomically(file, "a\n", Readers::Umask);
    }
    RunSpec specOf(double lr, std::uint64_t seed) {
        RunSpec spec = smallSpec("run", 40);
        spec.data.train = {source_, target_};
        spec.train.lr = lr;
        spec.train.clip = 100 * lr;  // rows whose learning rates are tuned differ, too
        spec.seed = seed;
        return spec;
    }
    /// `between` is called after the runs were read.
    StudyProgress progress(
        const Json& changes = Json::object(), const std::function<void()>& between = [] {}) {
        Json rows = Json::array();
        for (const auto& [name, lr] : {std::pair("base", 0.001), std::pair("fast", 0.01)}) {
            rows.push_back({{"name", name}, {"spec", specOf(lr, 1).toJson()}});
            rows.back()["spec"].erase("seed");
            rows.back()["spec"].erase("name");
        }
        Json study{{"schema", "heddle.study/1"}, {"rows", rows}, {"baseline", "base"}, {"seeds", {1, 2}}};
        study.merge_patch(changes);
        StudyRuns runs(Study::parse(study, "rates.json"), folder_ / "rates.json", "");
        if (!std::filesystem::exists(file_)) storage::RunStore::open(file_, {"test", 0});
        const auto read = query();
        runs.refresh(*read, file_);
        between();
        return progressOf(runs, *read, file_);
    }
    static std::vector<std::string> titles(const std::vector<PlannedRun>& runs) {
        std::vector<std::string> all;
        for (const PlannedRun& run : runs) all.push_back(run.title());
        return all;
    }

    const std::string source_ = folder_ / "a.src", target_ = folder_ / "a.tgt";
};

TEST_F(StudyProgressTest, RunsThatAreMissingAreNextInTheOrderOfSeeds) {
    record(specOf(0.01, 1), {});
    const StudyProgress now = progress();
    EXPECT_THAT(titles(now.next), ElementsAre("base, seed 1", "base, seed 2", "fast, seed 2"));
    EXPECT_EQ(now.group, "study/rates");
    EXPECT_THAT(now.open, IsEmpty());
    EXPECT_FALSE(now.problem);
    EXPECT_FALSE(now.isOver());
}

TEST_F(StudyProgressTest, ARunInAQueueIsOpenWhileSomebodyOwnsTheDatabase) {
    const std::string queued = record(specOf(0.001, 1), {"queued"}), stopped = record(specOf(0.01, 1), {"stopped"});
    {
        const auto owner = storage::RunStore::open(file_, {"test", 0});
        const StudyProgress now = progress();
        EXPECT_THAT(now.open, ElementsAre(queued));
        ASSERT_THAT(now.next, SizeIs(3));
        EXPECT_EQ(now.next.front().id, stopped) << "it is continued";
    }
    const StudyProgress left = progress();
    EXPECT_THAT(left.open, IsEmpty());
    ASSERT_THAT(left.next, SizeIs(4));
    EXPECT_EQ(left.next.front().id, queued) << "nobody will begin it";
}

TEST_F(StudyProgressTest, ARunThatEndsWithItsOwnerWhileItIsReadIsNotLeft) {
    const std::string last = record(specOf(0.001, 1), {"running"});
    auto owner = storage::RunStore::open(file_, {"test", 0});
    const StudyProgress now = progress(Json::object(), [&] {
        owner->setState(last, "completed", "");
        owner.reset();
    });
    EXPECT_THAT(now.open, IsEmpty());
    EXPECT_THAT(titles(now.next), ElementsAre("fast, seed 1", "base, seed 2", "fast, seed 2"));
}

TEST_F(StudyProgressTest, TrialsComeFirst) {
    const StudyProgress now = progress({{"tuning", {{"path", "train.lr"}, {"values", {0.001, 0.003}}}}});
    EXPECT_THAT(now.next, SizeIs(4));
    for (const PlannedRun& run : now.next) EXPECT_EQ(run.spec.seed, 1001U);
    EXPECT_EQ(now.group, "study/rates/trials");
}

TEST_F(StudyProgressTest, NothingIsNextWithoutItsData) {
    std::filesystem::remove(target_);
    const StudyProgress now = progress();
    EXPECT_THAT(now.next, IsEmpty());
    ASSERT_TRUE(now.problem);
    EXPECT_THAT(now.problem->what(), HasSubstr("a.tgt"));
}

TEST_F(StudyProgressTest, AveragesAreMissingUntilTheyAreEvaluated) {
    std::vector<std::string> ids;
    for (const double lr : {0.001, 0.01})
        for (const std::uint64_t seed : {1, 2})
            ids.push_back(record(specOf(lr, seed), {"completed", {}, "", "", lr * double(seed)}));
    const Json averaged{{"metric", {{"value", "average of last 2"}}}};
    const StudyProgress now = progress(averaged);
    ASSERT_THAT(now.averages, SizeIs(4));
    EXPECT_EQ(now.averages.front().count, 2);
    EXPECT_EQ(now.averages.front().split, "valid");
    EXPECT_FALSE(now.isOver());
    {
        const auto owner = storage::RunStore::open(file_, {"test", 0});
        for (const std::string& id : ids)
            owner->add(storage::EvaluationRecord{id, 1, 40, 0, "valid-average-2", "loss", "", 1, 100, 0});
    }
    EXPECT_TRUE(progress(averaged).isOver());
    EXPECT_TRUE(progress().isOver());
    EXPECT_FALSE(progress().problem);
}

TEST_F(StudyProgressTest, AveragesAreMissingAgainWhenALaterAttemptWroteTheirCheckpoints) {
    std::string first;
    for (const double lr : {0.001, 0.01})
        for (const std::uint64_t seed : {1, 2}) {
            const std::string id = record(specOf(lr, seed), {"completed", {}, "", "", lr * double(seed)});
            if (first.empty()) first = id;
            const auto owner = storage::RunStore::open(file_, {"test", 0});
            for (const std::int64_t step : {30, 40})
                owner->add(storage::CheckpointRecord{id, 1, step, "step", "", "", "", "", 0});
            owner->add(storage::EvaluationRecord{id, 1, 40, 0, "valid-average-2", "loss", "", 1, 100, 0});
        }
    const Json averaged{{"metric", {{"value", "average of last 2"}}}};
    EXPECT_THAT(progress(averaged).averages, IsEmpty());
    const auto add = [&](std::int64_t attempt, std::int64_t step) {
        const auto owner = storage::RunStore::open(file_, {"test", 0});
        owner->add(storage::CheckpointRecord{first, attempt, step, "step", "", "", "", "", 0});
    };
    add(2, 20);
    EXPECT_THAT(progress(averaged).averages, IsEmpty()) << "none of the last two";
    add(2, 40);
    const StudyProgress now = progress(averaged);
    ASSERT_THAT(now.averages, SizeIs(1));
    EXPECT_EQ(now.averages.front().run, first);
}

TEST_F(StudyProgressTest, RunsWithoutTheValueThatIsAskedForAreAProblem) {
    for (const double lr : {0.001, 0.01})
        for (const std::uint64_t seed : {1, 2}) record(specOf(lr, seed), {});
    const StudyProgress now = progress({{"metric", {{"split", "valid"}, {"name", "bleu"}}}});
    EXPECT_TRUE(now.isOver());
    ASSERT_TRUE(now.problem);
    EXPECT_THAT(now.problem->what(), HasSubstr("valid bleu"));
}

}  // namespace
}  // namespace heddle::app
