// SPDX-License-Identifier: Apache-2.0
// Studies that the studio submits, with programs in place of Slurm's whose jobs do nothing: the tests train in their place, and
// looks submit what comes next.
#include "app/launch/slurm_submissions.h"
#include "app/study/asked_study.h"
#include "tests/fake_slurm.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using At = SubmittedRun::At;

/// The study "width" of a database: the loss of "wide" is lower by 1, and a learning rate of 0.001 is the best.
class SubmittedStudies : public testing::Test, protected SessionFixture {
protected:
    SubmittedStudies() {
        for (const char* file : {"a", "b"}) std::ofstream(folder_ / file) << "a b\n";
        engine_->evaluations = [this](const RunSpec& spec) {
            const bool isWide = spec.variant.resolve().dims.d > 16;
            if (isWide && spec.seed == diverges_)
                throw Error(ErrorCode::Diverged, "the loss is not a finite number", "step 3", "lower train.lr");
            return std::vector{lossOf(spec, "valid")};
        };
        ask();
    }
    static EvaluationDone lossOf(const RunSpec& spec, const std::string& split) {
        const double base = spec.variant.resolve().dims.d > 16 ? 1 : 2;
        const double loss = base + std::abs(std::log10(spec.train.lr / 0.001)) + 0.01 * base * double(spec.seed % 7);
        return {spec.train.steps, split, {{"loss", loss, "ce:nats", 100}}, 0};
    }
    /// Puts the study, with changes, into the database.
    void ask(const Json& changes = Json::object()) {
        RunSpec small = smallSpec("", 40);
        small.data.train = {folder_ / "a", folder_ / "b"};
        small.train.lr = 0.001;
        const Json spec = small.toJson();
        Json study{{"schema", "heddle.study/1"},
                   {"question", "Is wide better?"},
                   {"rows", {{{"name", "base"}, {"spec", spec}}, {{"name", "wide"}, {"spec", spec}, {"set", {"dims.d=32"}}}}},
                   {"baseline", "base"},
                   {"metric", {{"split", "valid"}, {"name", "loss"}, {"value", "last"}}},
                   {"seeds", {1, 2}}};
        study.merge_patch(changes);
        AskedStudy asked;
        asked.study = Study::parse(study, "width").toJson();
        asked.folder = folder_.path();
        storage::RunStore::open(file_, {"test", 0})->putItem(kStudyItem, "width", asked.toJson().dump());
    }
    static Json tuned() { return {{"tuning", {{"path", "train.lr"}, {"values", {0.0003, 0.001, 0.003}}}}}; }
    SlurmArray arrayOf(std::int64_t job) const {
        for (const SlurmArray& array : SlurmFolder(file_).arrays())
            if (array.job == job) return array;
        throw std::runtime_error("no array of this job is open");
    }
    void endTask(const SlurmArray& array, std::size_t run, const std::string& state) const {
        slurm_.setState(SlurmTask{array.job, array.taskOf(run)}.text(), state);
    }
    /// Trains the runs of a job where its tasks do, and ends the job.
    void trainAsJob(std::int64_t job) const {
        const SlurmArray array = arrayOf(job);
        const SlurmFolder jobs(file_);
        for (std::size_t i = 0; i < array.runs.size(); ++i) {
            const std::string plan = jobs.folderOf(array.runs[i]) + "/plan.json";
            auto options = sessionOptions("job");
            options.database = jobs.databaseOf(array.runs[i]);
            fs::create_directories(fs::path(options.database).parent_path());
            RunSession session(std::move(options));
            const RunSpec spec = plannedRuns(Plan::parse(readJsonFile(plan), plan).rows, plan, "").at(0).spec;
            EXPECT_TRUE(ends(session, session.submit(spec)));
            endTask(array, i, "COMPLETED");
        }
    }
    void endJob(std::int64_t job, const std::string& state) const {
        const SlurmArray array = arrayOf(job);
        for (std::size_t i = 0; i < array.runs.size(); ++i) endTask(array, i, state);
    }
    /// The second of two looks, which merges what has ended.
    static SubmissionsLook lookTwice(Submissions& jobs) {
        const SubmissionsLook first = jobs.look();
        EXPECT_THAT(first.ended, IsEmpty());
        return jobs.look();
    }
    std::ptrdiff_t submissions() const {
        const std::string lines = slurm_.read("submitted");
        return std::count(lines.begin(), lines.end(), '\n');
    }
    static std::vector<At> states(const Submission& submission) {
        std::vector<At> all;
        for (const SubmittedRun& run : submission.runs) all.push_back(run.at);
        return all;
    }
    std::vector<std::string> groups() const {
        std::vector<std::string> all;
        for (const auto& run : query()->runs()) all.push_back(run.group);
        return all;
    }

    std::uint64_t diverges_ = 0;  ///< the seed with which "wide" does
    const test::FakeSlurm slurm_{folder_ / "slurm", test::FakeSlurm::Jobs::Rest};
    SlurmSubmissions jobs_{file_, "studio", [this] { return engine_; }};
};

TEST_F(SubmittedStudies, ItsTrialsAreFollowedByItsRunsUntilItIsOver) {
    ask(tuned());
    EXPECT_THAT(jobs_.look().all, IsEmpty());
    EXPECT_FALSE(fs::exists(jobs_.folder())) << "a look writes nothing";
    SlurmOptions options;
    options.partition = "gpu";
    EXPECT_EQ(jobs_.submitStudy("width", options).front(), "submitted 6 runs as job 1");
    SubmissionsLook look = jobs_.look();
    ASSERT_THAT(look.all, SizeIs(1));
    EXPECT_EQ(look.all[0].name, "study/width");
    EXPECT_EQ(look.all[0].study, "width");
    EXPECT_TRUE(look.all[0].goesOn);
    EXPECT_THAT(states(look.all[0]), AllOf(SizeIs(6), Each(At::Queued)));
    trainAsJob(1);
    look = lookTwice(jobs_);
    EXPECT_THAT(look.merged, SizeIs(6));
    EXPECT_EQ(submissions(), 2) << "the look that merges the last trial submits the runs";
    EXPECT_THAT(arrayOf(2).group, "study/width");
    ASSERT_THAT(look.all, SizeIs(1));
    EXPECT_EQ(look.all[0].count(At::Completed), 6U);
    EXPECT_EQ(look.all[0].count(At::Queued), 4U);
    EXPECT_THAT(look.ended, IsEmpty());
    const std::string submitted = slurm_.read("submitted");
    EXPECT_NE(submitted.find("--partition=gpu", submitted.find('\n')), std::string::npos) << "with the same options";
    trainAsJob(2);
    look = lookTwice(jobs_);
    ASSERT_THAT(look.ended, SizeIs(1));
    EXPECT_EQ(look.ended[0].key, "width");
    EXPECT_FALSE(look.ended[0].problem) << look.ended[0].problem->what();
    EXPECT_THAT(look.all, IsEmpty());
    EXPECT_THAT(jobs_.look().ended, IsEmpty()) << "its end is told once";
    EXPECT_EQ(submissions(), 2);
    const std::vector<std::string> all = groups();
    EXPECT_EQ(std::count(all.begin(), all.end(), "study/width/trials"), 6);
    EXPECT_EQ(std::count(all.begin(), all.end(), "study/width"), 4);
}

TEST_F(SubmittedStudies, FurtherSeedsAreSubmittedUntilItIsDecided) {
    engine_->evaluations = [](const RunSpec& spec) {  // three seeds do not tell them apart
        EvaluationDone loss = lossOf(spec, "valid");
        if (spec.seed == 2) loss.values[0].value = 2;
        return std::vector{loss};
    };
    ask({{"seeds", {{"first", 3U}, {"last", 4U}}}});
    EXPECT_EQ(jobs_.submitStudy("width", {}).front(), "submitted 6 runs as job 1");
    trainAsJob(1);
    lookTwice(jobs_);
    EXPECT_THAT(arrayOf(2).runs, SizeIs(2)) << "the fourth seed";
}

TEST_F(SubmittedStudies, AnotherWindowGoesOnWithIt) {
    ask(tuned());
    SlurmOptions options;
    options.gres = "gpu:1";
    jobs_.submitStudy("width", options);
    trainAsJob(1);
    SlurmSubmissions later(file_, "studio", {});
    const SubmissionsLook look = lookTwice(later);
    EXPECT_EQ(look.all.at(0).count(At::Queued), 4U);
    const std::string submitted = slurm_.read("submitted");
    EXPECT_NE(submitted.find("--gres=gpu:1", submitted.find('\n')), std::string::npos);
    lookTwice(jobs_);
    EXPECT_EQ(submissions(), 2) << "the first window finds them submitted";
}

TEST_F(SubmittedStudies, ARunThatFailsIsNotTrainedAgain) {
    diverges_ = 2;
    jobs_.submitStudy("width", {});
    trainAsJob(1);
    const SubmissionsLook look = lookTwice(jobs_);
    EXPECT_THAT(look.failures, ElementsAre(HasSubstr("wide, seed 2: the run failed")));
    ASSERT_THAT(look.ended, SizeIs(1));
    EXPECT_FALSE(look.ended[0].problem) << look.ended[0].problem->what();
    EXPECT_EQ(submissions(), 1);
}

TEST_F(SubmittedStudies, AfterALostJobItWaitsToBeSubmittedAgain) {
    jobs_.submitStudy("width", {});
    endJob(1, "FAILED");
    SubmissionsLook look = lookTwice(jobs_);
    EXPECT_THAT(look.failures, SizeIs(4));
    ASSERT_THAT(look.ended, SizeIs(1));
    ASSERT_TRUE(look.ended[0].problem);
    EXPECT_THAT(look.ended[0].problem->what(), HasSubstr("4 runs of the study were not trained to their end"));
    ASSERT_THAT(look.all, SizeIs(1));
    EXPECT_FALSE(look.all[0].isOpen());
    EXPECT_TRUE(look.all[0].canSubmit());
    look = lookTwice(jobs_);
    EXPECT_THAT(look.ended, IsEmpty()) << "it is told once";
    EXPECT_EQ(submissions(), 1) << "no look submits a run twice";
    EXPECT_EQ(jobs_.submitAgain("study/width").front(), "submitted 4 runs as job 2");
    trainAsJob(2);
    look = lookTwice(jobs_);
    ASSERT_THAT(look.ended, SizeIs(1));
    EXPECT_FALSE(look.ended[0].problem) << look.ended[0].problem->what();
}

TEST_F(SubmittedStudies, ACancelledStudyWaitsAlsoWhereAllThatRanCompleted) {
    ask(tuned());
    jobs_.submitStudy("width", {});
    EXPECT_EQ(jobs_.cancel("study/width"), 6U) << "trials are runs of it";
    EXPECT_EQ(slurm_.read("cancelled"), "1\n");
    trainAsJob(1);
    SubmissionsLook look = lookTwice(jobs_);
    EXPECT_THAT(look.merged, SizeIs(6)) << "they were faster";
    EXPECT_THAT(look.ended, IsEmpty());
    EXPECT_FALSE(look.all.at(0).goesOn);
    EXPECT_EQ(submissions(), 1);
    EXPECT_EQ(jobs_.submitStudy("width", {}).front(), "submitted 4 runs as job 2");
    EXPECT_THAT(whyRefused([&] { jobs_.remove("study/width"); }), HasSubstr("cancel them first"));
    jobs_.cancel("study/width");
    endJob(2, "CANCELLED");
    look = lookTwice(jobs_);
    EXPECT_EQ(look.all.at(0).count(At::New), 4U) << "no job of them had begun";
    jobs_.remove("study/width");
    EXPECT_THAT(jobs_.look().all, IsEmpty());
}

TEST_F(SubmittedStudies, WhatSlurmRefusesIsNotTriedAgainByLooks) {
    ask(tuned());
    const char* refuses = "#!/bin/bash\necho 'sbatch: error: invalid partition' >&2\nexit 1\n";
    slurm_.program("sbatch", refuses);
    EXPECT_THAT(whyRefused([&] { jobs_.submitStudy("width", {}); }), HasSubstr("invalid partition"));
    EXPECT_THAT(jobs_.look().all, IsEmpty()) << "nothing of it is kept";
    slurm_.program("sbatch", test::kSbatch);
    jobs_.submitStudy("width", {});
    trainAsJob(1);
    slurm_.program("sbatch", refuses);
    SubmissionsLook look = lookTwice(jobs_);
    ASSERT_THAT(look.ended, SizeIs(1));
    ASSERT_TRUE(look.ended[0].problem);
    EXPECT_THAT(look.ended[0].problem->what(), HasSubstr("invalid partition"));
    slurm_.program("sbatch", test::kSbatch);
    look = lookTwice(jobs_);
    EXPECT_THAT(look.ended, IsEmpty());
    EXPECT_EQ(submissions(), 1);
}

TEST_F(SubmittedStudies, WhileACommandWatchesNothingIsSubmitted) {
    ask(tuned());
    jobs_.submitStudy("width", {});
    trainAsJob(1);
    {
        const SlurmArrays command(file_, "heddle study");
        EXPECT_THAT(lookTwice(jobs_).problem, HasSubstr("another program"));
        EXPECT_EQ(submissions(), 1);
    }
    lookTwice(jobs_);
    EXPECT_EQ(submissions(), 2);
}

TEST_F(SubmittedStudies, MeansOfWeightsAreEvaluatedBeforeItIsOver) {
    engine_->evaluator = [](const EvaluationRequest& request) {
        EvaluationReport report;
        report.measured = lossOf(request.spec, request.split);
        return report;
    };
    ask({{"metric", {{"value", "average of last 2"}}}});
    jobs_.submitStudy("width", {});
    trainAsJob(1);
    const SubmissionsLook look = lookTwice(jobs_);
    EXPECT_EQ(engine_->averaged, 4);
    ASSERT_THAT(look.ended, SizeIs(1));
    EXPECT_FALSE(look.ended[0].problem) << look.ended[0].problem->what();
}

TEST_F(SubmittedStudies, AStudyOfTheCommandLineIsListedWithItsTrials) {
    ask(tuned());
    jobs_.submitStudy("width", {});
    fs::remove_all(jobs_.folder() + "/studies");
    const SubmissionsLook look = lookTwice(jobs_);
    ASSERT_THAT(look.all, SizeIs(1));
    EXPECT_EQ(look.all[0].name, "study/width");
    EXPECT_EQ(look.all[0].study, "width");
    EXPECT_FALSE(look.all[0].goesOn);
    EXPECT_FALSE(look.all[0].canSubmit());
    EXPECT_THAT(states(look.all[0]), SizeIs(6));
    EXPECT_EQ(jobs_.cancel("study/width"), 6U);
}

TEST_F(SubmittedStudies, AStudyThatIsOverIsNotSubmitted) {
    jobs_.submitStudy("width", {});
    trainAsJob(1);
    lookTwice(jobs_);
    EXPECT_THAT(whyRefused([&] { jobs_.submitStudy("width", {}); }), HasSubstr("asks for no more runs"));
    EXPECT_THAT(whyRefused([&] { jobs_.submitStudy("depth", {}); }), HasSubstr("no study"));
    EXPECT_THAT(jobs_.look().all, IsEmpty());
}

TEST(KeptSubmissions, AnyKeyOfAStudyNamesAFile) {
    const TemporaryFolder folder;
    const KeptSubmissions kept(folder.path());
    const std::string key = "gates with data.train.source=../50%/a%2Fb";
    SlurmOptions options;
    options.arrayLimit = 4;
    kept.keepStudy(key, options);
    EXPECT_THAT(kept.names(), ElementsAre("study/" + key));
    EXPECT_TRUE(kept.goesOn("study/" + key));
    EXPECT_EQ(kept.optionsOf("study/" + key).arrayLimit, 4);
    kept.pause("study/" + key);
    EXPECT_FALSE(kept.goesOn("study/" + key));
    EXPECT_EQ(kept.optionsOf("study/" + key).arrayLimit, 4);
    kept.remove("study/" + key);
    EXPECT_THAT(kept.names(), IsEmpty());
}

}  // namespace
}  // namespace heddle::app
