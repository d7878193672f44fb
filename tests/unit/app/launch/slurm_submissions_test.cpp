// SPDX-License-Identifier: Apache-2.0
// Sweeps that the studio submits, with programs in place of Slurm's whose jobs do nothing: the tests say how they end.
#include "app/launch/slurm_submissions.h"

#include "tests/fake_slurm.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using At = SubmittedRun::At;

class SlurmSubmissionsTest : public testing::Test, protected SessionFixture {
protected:
    SlurmSubmissionsTest() {
        for (const char* file : {"a", "b"}) std::ofstream(folder_ / file) << "a b\n";
        storage::RunStore::open(file_, {"test", 0});
    }
    /// The rows of a plan with two seeds.
    std::vector<PlanRow> rows() const {
        return {{"base",
                 smallSpec("base", 30).toJson(),
                 {"data.train.source=" + (folder_ / "a"), "data.train.target=" + (folder_ / "b")},
                 {1, 2}}};
    }
    PlannedRun planned(std::size_t run) const { return plannedRuns(rows(), folder_ / "plan.json", "").at(run); }
    /// Trains a run of the plan where its job does.
    void trainAsJob(std::size_t number) const {
        const PlannedRun run = planned(number);
        auto options = sessionOptions("job");
        options.database = SlurmFolder(file_).databaseOf(workKey(run));
        fs::create_directories(fs::path(options.database).parent_path());
        RunSession session(std::move(options));
        EXPECT_TRUE(ends(session, session.submit(run.spec)));
    }
    static std::vector<At> states(const SubmissionsLook& look) {
        std::vector<At> all;
        for (const SubmittedRun& run : look.all.at(0).runs) all.push_back(run.at);
        return all;
    }

    const test::FakeSlurm slurm_{folder_ / "slurm", test::FakeSlurm::Jobs::Rest};
    SlurmSubmissions sweeps_{file_, "studio", {}};
};

TEST_F(SlurmSubmissionsTest, ASweepIsSubmittedAndItsRunsAreMergedWhenTheirJobsEnd) {
    EXPECT_THAT(sweeps_.look().all, IsEmpty());
    EXPECT_FALSE(fs::exists(sweeps_.folder())) << "a look writes nothing";
    SlurmOptions options;
    options.partition = "gpu";
    options.more = {"--account=lab"};
    EXPECT_THAT(sweeps_.submit("gates", rows(), options), Contains("submitted 2 runs as job 1"));
    EXPECT_THAT(slurm_.read("submitted"),
                AllOf(HasSubstr("--array=1-2 "), HasSubstr("--partition=gpu"), HasSubstr("--account=lab")));
    SubmissionsLook look = sweeps_.look();
    ASSERT_EQ(look.all.size(), 1U);
    EXPECT_EQ(look.all[0].name, "gates");
    EXPECT_TRUE(look.all[0].isKept);
    EXPECT_EQ(look.all[0].runs[1].title, "base, seed 2");
    EXPECT_THAT(states(look), ElementsAre(At::Queued, At::Queued));
    slurm_.setState("1_1", "RUNNING");
    look = sweeps_.look();
    EXPECT_THAT(states(look), ElementsAre(At::Running, At::Queued));
    EXPECT_EQ(look.all[0].runs[0].detail, "n1") << "its node";
    trainAsJob(0);
    slurm_.setState("1_1", "COMPLETED");
    look = sweeps_.look();
    EXPECT_THAT(states(look), ElementsAre(At::Ended, At::Queued)) << "one look may come before the last bytes of a job";
    EXPECT_THAT(look.merged, IsEmpty());
    look = sweeps_.look();
    EXPECT_THAT(states(look), ElementsAre(At::Completed, At::Queued));
    EXPECT_THAT(look.merged, ElementsAre("base, seed 1"));
    ASSERT_EQ(query()->runs().size(), 1U);
    EXPECT_EQ(query()->runs()[0].group, "sweep/gates");
    EXPECT_EQ(query()->runs()[0].state, "completed");
}

TEST_F(SlurmSubmissionsTest, AnotherProgramFindsThemAgainAndSubmitsWhatWasLost) {
    SlurmOptions options;
    options.gres = "gpu:1";
    sweeps_.submit("gates", rows(), options);
    SlurmSubmissions again(file_, "studio", {});
    EXPECT_THAT(states(again.look()), ElementsAre(At::Queued, At::Queued));
    trainAsJob(0);
    slurm_.setState("1_1", "COMPLETED");
    std::ofstream(SlurmFolder(file_).logOf(workKey(planned(1)))) << "slurmstepd: error: node n1 died\n";
    slurm_.setState("1_2", "FAILED");
    again.look();
    const SubmissionsLook look = again.look();
    EXPECT_THAT(states(look), ElementsAre(At::Completed, At::Lost));
    ASSERT_EQ(look.failures.size(), 1U);
    EXPECT_THAT(look.failures[0], AllOf(HasSubstr("base, seed 2: its job ended before the run"), HasSubstr("NODE_FAIL"),
                                        HasSubstr("node n1 died")));
    EXPECT_TRUE(look.all[0].canSubmit());
    EXPECT_FALSE(look.all[0].isOpen());
    EXPECT_THAT(again.submitAgain("gates"), Contains("submitted 1 run as job 2"));
    EXPECT_THAT(slurm_.read("submitted"), HasSubstr("--array=1 --requeue")) << "the lost one alone";
    const std::string submitted = slurm_.read("submitted");
    EXPECT_NE(submitted.find("--gres=gpu:1", submitted.find('\n')), std::string::npos) << "with the options of its sweep";
    EXPECT_THAT(states(again.look()), ElementsAre(At::Completed, At::Queued));
}

TEST_F(SlurmSubmissionsTest, JobsAreCancelledAndASweepWithoutJobsIsForgotten) {
    sweeps_.submit("gates", rows(), {});
    EXPECT_THAT(whyRefused([&] { sweeps_.remove("gates"); }), HasSubstr("cancel them first"));
    EXPECT_EQ(sweeps_.cancel("gates"), 2U);
    EXPECT_EQ(slurm_.read("cancelled"), "1\n");
    for (const char* task : {"1_1", "1_2"}) slurm_.setState(task, "CANCELLED");
    sweeps_.look();
    EXPECT_THAT(states(sweeps_.look()), ElementsAre(At::New, At::New)) << "no job of them had begun";
    sweeps_.remove("gates");
    EXPECT_THAT(sweeps_.look().all, IsEmpty());
}

TEST_F(SlurmSubmissionsTest, ANameIsThatOfOneSweepAndARefusedSubmissionLeavesNone) {
    EXPECT_THAT(whyRefused([&] { sweeps_.submit("a/b", rows(), {}); }), HasSubstr("the name of a sweep"));
    slurm_.program("sbatch", "#!/bin/bash\necho 'sbatch: error: invalid partition' >&2\nexit 1\n");
    EXPECT_THAT(whyRefused([&] { sweeps_.submit("gates", rows(), {}); }), HasSubstr("invalid partition"));
    EXPECT_THAT(sweeps_.look().all, IsEmpty());
    slurm_.program("sbatch", test::kSbatch);
    sweeps_.submit("gates", rows(), {});
    EXPECT_THAT(whyRefused([&] { sweeps_.submit("gates", rows(), {}); }), HasSubstr("submitted already"));
}

TEST_F(SlurmSubmissionsTest, WhileACommandWatchesALookOnlyReads) {
    sweeps_.submit("gates", rows(), {});
    trainAsJob(0);
    slurm_.setState("1_1", "COMPLETED");
    {
        const SlurmArrays command(file_, "heddle sweep");
        for (int i = 0; i < 2; ++i) {
            const SubmissionsLook look = sweeps_.look();
            EXPECT_THAT(states(look), ElementsAre(At::Ended, At::Queued));
            EXPECT_THAT(look.problem, HasSubstr("another program"));
        }
    }
    sweeps_.look();
    EXPECT_THAT(states(sweeps_.look()), ElementsAre(At::Completed, At::Queued));
    EXPECT_EQ(sweeps_.look().problem, "");
}

TEST_F(SlurmSubmissionsTest, SweepsOfTheCommandLineAreWatchedToo) {
    sweeps_.submit("gates", rows(), {});
    for (const char* folder : {"/plans", "/options"}) fs::remove_all(sweeps_.folder() + folder);
    const SubmissionsLook look = sweeps_.look();
    ASSERT_EQ(look.all.size(), 1U);
    EXPECT_EQ(look.all[0].name, "sweep/gates");
    EXPECT_FALSE(look.all[0].canSubmit()) << "its plan is not here";
    EXPECT_THAT(states(look), ElementsAre(At::Queued, At::Queued));
    EXPECT_EQ(look.all[0].runs[0].title, "base, seed 1");
}

}  // namespace
}  // namespace heddle::app
