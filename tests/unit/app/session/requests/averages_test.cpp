// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/averages.h"

#include "app/session/runs/checkpoint_folders.h"
#include "engine/spec/data_files.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A completed run of 45 steps that keeps the checkpoints of steps 20, 30, 40 and the last; its value is the number of the
/// evaluation.
class AveragesTest : public testing::Test, protected SessionFixture {
protected:
    void SetUp() override {
        RunSpec spec = smallSpec("base", 45);
        spec.train.keepLast = 3;
        spec.evaluate.bleuSentences = 7;
        {
            const auto session = open();
            run_ = session->submit(spec);
            ASSERT_TRUE(reaches(run_, "completed"));
        }
        engine_->evaluator = [this](const EvaluationRequest& request) {
            asked_.push_back(request);
            EvaluationReport report;
            report.measured.epoch = 3;
            report.measured.split = request.split;
            report.measured.values = {{"loss", static_cast<double>(asked_.size()), "ce:nats", 12},
                                      {"accuracy", 0.5, "", 12},
                                      {"decode_seconds", 2, "", 12}};
            return report;
        };
    }
    storage::RunRecord record() const { return *query()->run(run_); }
    std::vector<std::int64_t> last(std::int64_t count) const { return lastSteps(*query(), record(), count); }
    storage::CheckpointRecord add(std::vector<std::int64_t> steps) const {
        const auto owner = ownDatabase(file_, "test", "");
        return addAverage(file_, changerOf(*owner), *engine_, {record(), std::move(steps)});
    }
    void ensure(std::int64_t count, const std::string& split) const {
        ensureAveragesEvaluated(file_, [engine = engine_] { return engine; }, {{run_, count, split, "cpu"}});
    }
    std::vector<storage::CheckpointRecord> averages() const {
        auto all = query()->checkpoints(run_);
        std::erase_if(all, [](const auto& one) { return !storage::isAverage(one.kind); });
        return all;
    }
    fs::path folder(const std::string& name) const { return fs::path(file_ + ".d") / run_ / name; }

    std::string run_;
    std::vector<EvaluationRequest> asked_;
};

TEST_F(AveragesTest, TheLastOnesAreThoseOfTrainingWithoutTheBest) {
    EXPECT_THAT(last(2), ElementsAre(40, 45));
    EXPECT_THAT(last(4), ElementsAre(20, 30, 40, 45));
    {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        store->add(storage::CheckpointRecord{run_, 1, 44, "best", "", "", "", "", 0});
        store->add(storage::CheckpointRecord{run_, 1, 45, "average-20-45", "", "", "", "", 0});
        store->add(storage::CheckpointRecord{run_, 1, 0, "step", "", "", "", "", 0});
    }
    EXPECT_THAT(last(4), ElementsAre(20, 30, 40, 45));
    EXPECT_THAT(whyRefused([&] { last(5); }), AllOf(HasSubstr("has 4 of its last checkpoints (steps 20, 30, 40, 45), not 5"),
                                                    HasSubstr("--last 4"), HasSubstr("train.keep_last=5")));
}

TEST_F(AveragesTest, AreOfTwoToTwenty) {
    EXPECT_THAT(whyRefused([&] { last(1); }), HasSubstr("1 checkpoint cannot be averaged"));
    EXPECT_THAT(whyRefused([&] { last(21); }), HasSubstr("average 2 to 20"));
    EXPECT_THAT(whyRefused([&] { add({40}); }), HasSubstr("1 checkpoint cannot be averaged"));
}

TEST_F(AveragesTest, AnAverageIsACheckpointThatTrainingNeverTakes) {
    const auto made = add({30, 40, 45});
    EXPECT_EQ(made.kind, "average-30-40-45");
    EXPECT_EQ(made.step, 45);
    const auto recorded = averages();
    ASSERT_EQ(recorded.size(), 1U);
    EXPECT_EQ(recorded[0].folder, run_ + "/average-30-40-45");
    EXPECT_EQ(recorded[0].weightsSha256, made.weightsSha256);
    EXPECT_EQ(checkpointProblem(file_ + ".d", recorded[0]), "");
    EXPECT_THAT(texts(run_, "info"), testing::Contains(HasSubstr("the mean of the weights of 3 checkpoints")));
    fs::remove_all(folder("step-45"));
    {
        const auto session = open();
        Extension more;
        more.steps = 85;
        session->resume(run_, more);
        ASSERT_TRUE(eventually([&] { return query()->run(run_)->attempts == 2; }));
        ASSERT_TRUE(reaches(run_, "completed"));
    }
    EXPECT_EQ(engine_->trainedFrom, 40) << "the newest that is whole and no average";
    EXPECT_TRUE(fs::exists(folder("average-30-40-45/weights.safetensors"))) << "retention keeps it";
    EXPECT_FALSE(fs::exists(folder("step-40")));
    EXPECT_EQ(averages().size(), 1U);
}

TEST_F(AveragesTest, IsMadeOnce) {
    add({30, 40});
    add({30, 40});
    EXPECT_EQ(engine_->averaged, 1);
    std::ofstream(folder("average-30-40/weights.safetensors")) << "damaged";
    EXPECT_EQ(checkpointProblem(file_ + ".d", add({30, 40})), "");
    EXPECT_EQ(engine_->averaged, 2);
    EXPECT_EQ(averages().size(), 1U);
}

TEST_F(AveragesTest, VerifiesEveryCheckpointAgainstItsRecord) {
    EXPECT_THAT(whyRefused([&] { add({10, 40}); }), AllOf(HasSubstr("no checkpoint of step 10"), HasSubstr("20, 30, 40, 45")));
    std::ofstream(folder("step-30/optimizer.safetensors")) << "x";
    EXPECT_THAT(whyRefused([&] { add({30, 40}); }), AllOf(HasSubstr("is damaged"), HasSubstr("step-30"), HasSubstr("--steps")));
    fs::rename(folder("step-40"), folder("elsewhere"));
    fs::create_directory_symlink(folder("elsewhere"), folder("step-40"));
    EXPECT_THAT(whyRefused([&] { add({20, 40}); }), HasSubstr("is a link"));
    EXPECT_THAT(averages(), IsEmpty());
    EXPECT_EQ(engine_->averaged, 0);
}

TEST_F(AveragesTest, GoesToAFileWithoutARecord) {
    const std::string file = folder_ / "mean.safetensors";
    const auto session = open();  // the database needs no owner for it
    const auto written = exportAverage(*query(), file_, *engine_, {record(), {40, 45}}, file);
    EXPECT_EQ(written.bytes, fs::file_size(file));
    EXPECT_THAT(averages(), IsEmpty());
    EXPECT_THAT(whyRefused([&] { ownDatabase(file_, "test", "; HINT"); }),
                AllOf(HasSubstr("session test"), HasSubstr("; HINT")));
}

TEST_F(AveragesTest, ItsEvaluationStandsBesideTheRunsOwn) {
    {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        store->add(storage::EvaluationRecord{run_, 1, 45, 3, "valid", "loss", "ce:nats", 9, 12, 0});
    }
    ensure(3, "valid");
    ASSERT_EQ(asked_.size(), 1U);
    EXPECT_EQ(asked_[0].checkpointFolder, folder("average-30-40-45").string());
    EXPECT_EQ(asked_[0].sentences, 7) << "as many as training decodes";
    EXPECT_EQ(asked_[0].device, "cpu");
    const auto recorded = query()->evaluations(run_);
    ASSERT_EQ(recorded.size(), 3U);
    EXPECT_EQ(recorded[0].split, "valid");
    EXPECT_EQ(recorded[0].value, 9);
    EXPECT_EQ(recorded[1].split, "valid-average-3");
    EXPECT_EQ(recorded[1].metric, "accuracy");
    EXPECT_EQ(recorded[1].signature, "averaged 3 checkpoints");
    EXPECT_EQ(recorded[2].metric, "loss");
    EXPECT_EQ(recorded[2].signature, "ce:nats|averaged 3 checkpoints");
    EXPECT_EQ(recorded[2].step, 45);
    EXPECT_EQ(recorded[2].epoch, 3);
    EXPECT_EQ(recorded[2].n, 12);
    EXPECT_EQ(recorded[2].value, 1);
}

TEST_F(AveragesTest, IsEvaluatedOnceForARunACountAndASplit) {
    ensure(3, "valid");
    ensure(3, "valid");
    EXPECT_EQ(asked_.size(), 1U);
    ensure(2, "valid");
    ensure(3, "test");
    EXPECT_EQ(asked_.size(), 3U);
    EXPECT_EQ(asked_[2].sentences, 0);
    EXPECT_EQ(engine_->averaged, 2);
    fs::remove_all(folder("step-30"));  // what is recorded needs no checkpoints
    ensure(3, "valid");
    EXPECT_EQ(asked_.size(), 3U);
    EXPECT_THAT(whyRefused([&] { ensure(4, "valid"); }), HasSubstr("step-30"));
}

TEST_F(AveragesTest, AnExtendedRunIsEvaluatedAnew) {
    ensure(2, "valid");
    {
        const auto session = open();
        Extension more;
        more.steps = 65;
        session->resume(run_, more);
        ASSERT_TRUE(eventually([&] { return query()->run(run_)->step == 65; }));
        ASSERT_TRUE(reaches(run_, "completed"));
    }
    ensure(2, "valid");
    EXPECT_EQ(asked_.size(), 2U);
    EXPECT_EQ(query()->evaluations(run_).back().step, 65);
}

/// A resume from an earlier checkpoint writes later steps again; they may have other weights.
TEST_F(AveragesTest, IsMadeAnewAfterAResumeWroteAStepAgain) {
    const auto first = add({20, 30}), second = add({30, 40});
    ensure(2, "valid");  // 40 and 45
    ASSERT_EQ(engine_->averaged, 3);
    {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        store->begin();
        auto run = record();
        run.attempts = 2;
        store->updateRun(run);
        for (auto one : query()->checkpoints(run_))
            if (one.step == 40 && !storage::isAverage(one.kind)) {
                one.attempt = 2;
                store->add(one);
            }
        store->commit(storage::RunStore::Durability::Full);
    }
    EXPECT_EQ(add({20, 30}).attempt, first.attempt) << "no checkpoint of it was written again";
    EXPECT_EQ(engine_->averaged, 3);
    EXPECT_EQ(second.attempt, 1);
    EXPECT_EQ(add({30, 40}).attempt, 2);
    EXPECT_EQ(add({30, 40}).attempt, 2);
    EXPECT_EQ(engine_->averaged, 4);
    ensure(2, "valid");
    EXPECT_EQ(asked_.size(), 2U);
    EXPECT_EQ(engine_->averaged, 5);
    ensure(2, "valid");
    EXPECT_EQ(asked_.size(), 2U) << "the new value is of the new average";
    EXPECT_EQ(query()->evaluations(run_).back().value, 2);
}

TEST_F(AveragesTest, GoesWithTheRunWhenItIsDeleted) {
    add({40, 45});
    open()->edit(DeleteRun{run_});
    EXPECT_FALSE(fs::exists(folder("")));
}

}  // namespace
}  // namespace heddle::app
