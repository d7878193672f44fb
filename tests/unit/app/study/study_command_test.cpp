// SPDX-License-Identifier: Apache-2.0
// heddle study through the CLI with a fake engine: tuning, controls, rows of existing runs, moved data, changed questions.
#include "app/study/asked_study.h"
#include "app/study/planned_runs.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/sha256.h"
#include "engine/base/threads.h"
#include "engine/spec/catalogue.h"
#include "tests/unit/app/study/study_command_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Json kTuning{{"tuning", {{"path", "train.lr"}, {"around", 0.001}}}};

TEST_F(StudyCommandTest, EachRowIsTunedAlikeAndItsRunsHaveItsBestValue) {
    bestOfGated_ = 0.03;
    const std::string file = study(kTuning);
    const Json plan = must({"study", file, "--plan"}).at("runs");
    ASSERT_THAT(plan, SizeIs(2 * 5 + 2 * 3));
    EXPECT_EQ(plan.at(0).at("trial"), Json({{"train.lr", 0.0001}})) << "trials come first";
    EXPECT_EQ(plan.at(0).at("seed"), 1001);
    EXPECT_EQ(plan.at(15).at("state"), "waits");
    EXPECT_THAT(must({"study", file, "--next"}).at("runs"), SizeIs(10));

    const Json verdict = must({"study", file});
    EXPECT_EQ(verdict.at("tuned"), true);
    const Json& rows = verdict.at("tuning").at("rows");
    EXPECT_THAT(rows.at(0).at("trials"), SizeIs(7)) << "the range was extended for both rows";
    EXPECT_THAT(rows.at(1).at("trials"), SizeIs(7));
    EXPECT_EQ(rows.at(0).at("chosen"), Json({{"train.lr", 0.001}}));
    EXPECT_EQ(rows.at(1).at("chosen"), Json({{"train.lr", 0.0316}}));
    EXPECT_EQ(rows.at(1).at("at_edge"), false);
    EXPECT_EQ(engine_->trained, 2 * 7 + 2 * 3);
    std::set<double> rates;
    for (const auto& one : query()->runs())
        if (one.seed <= 3) rates.insert(RunSpec::parse(parseJson(one.spec, ""), builtinCatalogue()).train.lr);
    EXPECT_THAT(rates, ElementsAre(0.001, 0.0316));

    must({"study", file});
    EXPECT_EQ(engine_->trained, 20) << "nothing is trained twice";
    EXPECT_THAT(run({"study", file, "--verdict"}).out,
                testing::AllOf(HasSubstr("14 trials in all"), HasSubstr("gated: lr 0.0316 of 7 trials")));
}

TEST_F(StudyCommandTest, RandomSearchAndHalvingGiveEachRowTheSameTrials) {
    const Json ranges{{"train.lr", {{"from", 0.0001}, {"to", 0.01}}}};
    const auto rates = [](const Json& row) {
        std::vector<double> all;
        for (const Json& trial : row.at("trials")) all.push_back(trial.at("set").at("train.lr"));
        return all;
    };
    const Json random = must({"study", study({{"tuning", {{"kind", "random"}, {"trials", 4}, {"ranges", ranges}}}})});
    ASSERT_THAT(rates(random.at("tuning").at("rows").at(0)), SizeIs(4));
    EXPECT_EQ(rates(random.at("tuning").at("rows").at(0)), rates(random.at("tuning").at("rows").at(1)));
    EXPECT_EQ(engine_->trained, 2 * 4 + 2 * 3);

    engine_->trained = 0;
    const std::string file =
        study({{"tuning", {{"kind", "halving"}, {"trials", 9}, {"rungs", {1, 2, 3}}, {"ranges", ranges}}}});
    EXPECT_THAT(must({"study", file, "--next"}).at("runs"), SizeIs(18)) << "the first rung of both rows";
    const Json halving = must({"study", file}).at("tuning").at("rows");
    for (const Json& row : halving) {
        ASSERT_THAT(row.at("trials"), SizeIs(9 + 3 + 1));
        EXPECT_FALSE(row.at("chosen").is_null());
    }
    must({"study", file});
    EXPECT_LE(engine_->trained, 2 * (9 + 3 + 1) + 2 * 3) << "nothing is trained twice";
}

TEST_F(StudyCommandTest, TheCorrelationOfPairsIsPrinted) {
    engine_->evaluations = [plain = RunSpec::parse(spec("eau-base"), builtinCatalogue()).variant.hash()](const RunSpec& spec) {
        const double own = spec.variant.hash() == plain ? 0 : -0.2 + 0.003 * std::cos(double(spec.seed));
        return std::vector<EvaluationDone>{
            {spec.train.steps, "valid", {{"loss", 3 + own + 0.01 * std::sin(7.0 * double(spec.seed)), "", 100}}, 0}};
    };
    const std::string file = study();
    const Json row = must({"study", file}).at("rows").at(0);
    ASSERT_TRUE(row.at("seed_correlation").is_number()) << row;
    EXPECT_THAT(run({"study", file, "--verdict"}).out,
                HasSubstr(fmt::format("3 pairs, ρ {:.2f}\n", row.at("seed_correlation").get<double>())));
}

TEST_F(StudyCommandTest, AStudyWithoutTuningSaysSo) {
    const std::string file = study();
    EXPECT_EQ(must({"study", file}).at("tuned"), false);
    EXPECT_THAT(run({"study", file, "--verdict"}).out, HasSubstr("one learning rate"));
}

TEST_F(StudyCommandTest, TrialsThatDivergeAreWorstAndToldAndARowOfThemAloneEndsTheStudy) {
    divergesAbove_ = 0.005;
    const std::string file = study(kTuning);
    const Json rows = must({"study", file}).at("tuning").at("rows");
    EXPECT_EQ(rows.at(0).at("chosen"), Json({{"train.lr", 0.001}}));
    EXPECT_EQ(rows.at(0).at("trials").at(4).at("diverged"), true);
    EXPECT_EQ(rows.at(0).at("trials").at(4).at("value"), Json());
    EXPECT_THAT(run({"study", file, "--verdict"}).out, HasSubstr("(1 diverged)"));
    must({"study", file});
    EXPECT_EQ(engine_->trained, 10 + 6) << "a trial that diverged is not tried again";

    divergesAbove_ = 1e-9;
    const CommandResult none = run({"study", study({{"tuning", {{"path", "train.lr"}, {"around", 0.5}}}})});
    EXPECT_EQ(none.code, 5);
    EXPECT_THAT(none.err, HasSubstr("every trial of \"base\" diverged"));
}

TEST_F(StudyCommandTest, AMatchedControlIsARowOfTheFamily) {
    const std::string file = study({{"controls", {{{"of", "gated"}, {"match", "parameters"}}}}});
    EXPECT_THAT(must({"study", file, "--plan"}).at("runs"), SizeIs(9));
    const Json verdict = must({"study", file});
    EXPECT_EQ(verdict.at("comparisons"), 2);
    EXPECT_EQ(verdict.at("rows").at(1).at("name"), "base matched to gated");
    const Json& control = verdict.at("controls").at(0);
    EXPECT_GT(control.at("width"), 32);
    EXPECT_EQ(control.at("assumed"), false) << "the spec states its vocabularies";
    const double off = std::abs(control.at("parameters").get<double>() - control.at("parameters_of").get<double>());
    EXPECT_LE(off, 2 * (2 * 16 + 1) / 2 + 1) << "one unit of f in each of two layers has 2 × (2d + 1) parameters";
    const std::string told = run({"study", file, "--plan"}).out;
    EXPECT_THAT(told, HasSubstr("base matched to gated has dims.f"));
    EXPECT_THAT(told, testing::Not(HasSubstr(".0 FLOPs"))) << "they are whole numbers";
    const CommandResult same = run({"study",
                                    study({{"controls", {{{"of", "twin"}}}},
                                           {"rows",
                                            {{{"name", "base"}, {"spec", spec("eau-base")}},
                                             {{"name", "twin"}, {"spec", spec("eau-base")}, {"set", {"train.lr=0.01"}}}}}}),
                                    "--plan"});
    EXPECT_EQ(same.code, 3);
    EXPECT_THAT(same.err, HasSubstr("already matches the number of parameters of \"twin\""));
}

TEST_F(StudyCommandTest, AControlWaitsForTheSizesThatTheBaselineFinds) {
    Json base = spec("eau-base"), gated = spec("eau-full");
    for (Json* one : {&base, &gated})
        for (const char* size : {"vocab_src", "vocab_tgt"}) (*one)["variant"]["dims"].erase(size);
    const std::string file = study({{"rows", {{{"name", "base"}, {"spec", base}}, {{"name", "gated"}, {"spec", gated}}}},
                                    {"controls", {{{"of", "gated"}}}}});
    const Json next = must({"study", file, "--next"}).at("runs");
    EXPECT_THAT(next, SizeIs(6));
    for (const Json& one : next) EXPECT_NE(one.at("row"), "base matched to gated");
    EXPECT_THAT(run({"study", file, "--plan"}).out, HasSubstr("counted with assumed vocabularies"));
}

const Json kInTime{{"controls", {{{"of", "gated"}, {"match", "time"}}}}};

TEST_F(StudyCommandTest, AControlInTimeHasTheStepsThatTheFirstRunsTellAndKeepsThem) {
    float ofGated = 0.04F;
    engine_->stepSeconds = [&, plain = RunSpec::parse(spec("eau-base"), builtinCatalogue()).variant.hash()](
                               const RunSpec& spec) { return spec.variant.hash() == plain ? 0.02F : ofGated; };
    const auto withSeeds = [&](const Json& seeds) {
        Json changes = kInTime;
        changes["seeds"] = seeds;
        return study(changes);
    };
    const auto stepsOf = [](const Json& verdict) { return verdict.at("controls").at(0).at("time").at("steps"); };
    const std::string file = withSeeds({1, 2});
    EXPECT_THAT(must({"study", file, "--plan"}).at("runs"), SizeIs(4));
    EXPECT_THAT(run({"study", file, "--plan"}).out, HasSubstr("is planned once the first runs of the baseline and of gated"));
    const Json verdict = must({"study", file});
    EXPECT_EQ(engine_->trained, 6);
    EXPECT_EQ(verdict.at("rows").at(1).at("name"), "base matched to gated in time");
    EXPECT_EQ(verdict.at("rows").at(1).at("n"), 2);
    EXPECT_EQ(stepsOf(verdict), 6) << "3 steps, each twice as long as the baseline's";
    std::set<std::int64_t> steps;
    for (const auto& one : query()->runs()) steps.insert(one.step);
    EXPECT_THAT(steps, ElementsAre(3, 6));
    EXPECT_THAT(
        run({"study", file, "--verdict"}).out,
        testing::AllOf(HasSubstr("6 steps beside 3 of gated"), HasSubstr("took 40 ms and one of the baseline 20 ms (ratio 2)"),
                       HasSubstr("on cpu of host"), HasSubstr("Times differ from run to run")));

    ofGated = 0.08F;
    EXPECT_EQ(stepsOf(must({"study", withSeeds({1, 2, 3})})), 6) << "later runs change nothing";
    EXPECT_EQ(engine_->trained, 9);
    for (const auto& one : query()->runs())
        if (one.name == "gated" && one.seed == 1) must({"runs", "delete", one.id});
    EXPECT_EQ(stepsOf(must({"study", withSeeds({1, 2, 3})})), 12) << "it was trained and timed again";
    EXPECT_EQ(engine_->trained, 9 + 1 + 3);
}

TEST_F(StudyCommandTest, AControlWhoseTimeNobodyRecordedIsAProblemAndTheOtherRowsAreTrained) {
    const CommandResult result = run({"study", study(kInTime)});
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.err, testing::AllOf(HasSubstr("the first run of base has no recorded times of steps"),
                                           HasSubstr("row \"base matched to gated in time\"")));
    EXPECT_EQ(engine_->trained, 6);
    EXPECT_THAT(run({"study", study(kInTime), "--verdict"}).out,
                HasSubstr("is not trained, because its number of steps is unknown"));
}

TEST_F(StudyCommandTest, AControlInTimeKeepsItsStepsWhereTheGridGrowsDownwards) {
    engine_->stepSeconds = [plain = RunSpec::parse(spec("eau-base"), builtinCatalogue()).variant.hash()](const RunSpec& spec) {
        return spec.variant.hash() == plain && spec.train.lr < 0.009 ? 0.005F : 0.02F;
    };
    Json changes = kInTime;
    changes["tuning"] = {{"path", "train.lr"}, {"values", {0.01, 0.03}}};
    const std::string file = study(changes);
    const Json verdict = must({"study", file});
    ASSERT_GT(verdict.at("tuning").at("rows").at(0).at("trials").size(), 2U) << "the best rate is 0.001";
    const Json time = verdict.at("controls").at(0).at("time");
    EXPECT_EQ(time.at("steps"), 4) << "of equal times";
    EXPECT_EQ(time.at("raised"), 1);
    EXPECT_EQ(must({"study", file, "--verdict"}).at("controls").at(0).at("time"), time)
        << "the trials that came later are the lowest, not the first";
    EXPECT_THAT(run({"study", file, "--verdict"}).out, HasSubstr("4 steps beside 3 of gated (1 more than the time gives"));
}

TEST_F(StudyCommandTest, ARowWhoseRunsAllFailedSaysHowTheyAreTriedAgainAfterTheVerdictOfTheOthers) {
    engine_->stepSeconds = [](const RunSpec&) { return 0.02F; };
    divergesAbove_ = 0.05;
    Json changes = kInTime;
    changes["rows"] = {{{"name", "base"}, {"spec", spec("eau-base")}},
                       {{"name", "gated"}, {"spec", spec("eau-full")}, {"set", {"train.lr=0.1"}}},
                       {{"name", "slow"}, {"spec", spec("eau-full")}}};
    const CommandResult result = run({"study", study(changes), "--json"});
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.err, testing::AllOf(HasSubstr("the first run of gated is missing: all of its runs failed"),
                                           HasSubstr("heddle runs show"), HasSubstr("heddle resume"),
                                           testing::Not(HasSubstr("heddle runs delete"))));
    ASSERT_THAT(result.out, testing::Not(IsEmpty())) << "the verdict comes first";
    EXPECT_EQ(result.json().at("problem").at("code"), 3);
    EXPECT_EQ(result.json().at("rows").at(1).at("n"), 3);
}

TEST_F(StudyCommandTest, JobsAreRefusedWhereNothingIsTrained) {
    const std::string file = study();
    for (const char* option : {"--plan", "--next", "--verdict", "--check"}) {
        const CommandResult refused = run({"study", file, option, "--jobs", "2"});
        EXPECT_EQ(refused.code, 2) << option;
        EXPECT_THAT(refused.err, HasSubstr("remove --jobs")) << option;
    }
    EXPECT_EQ(run({"study", file, "--jobs", "0"}).code, 2);
}

TEST_F(StudyCommandTest, ARunThatFailedAndIsNotTriedAgainRefusesNoJobs) {
    if (physicalCores() < 2) GTEST_SKIP() << "one core";
    divergesAbove_ = 0.05;
    const auto rows = [&](const Json& others) {
        return Json{{"rows",
                     {{{"name", "base"}, {"spec", spec("eau-base")}, {"set", others}},
                      {{"name", "gated"}, {"spec", spec("eau-full")}, {"set", {"train.lr=0.1"}}}}},
                    {"seeds", {1, 2}}};
    };
    ASSERT_NE(run({"study", study(rows(Json::array({"train.threads=1"})))}).code, 0);
    const int trained = engine_->trained;
    const CommandResult more = run({"study", study(rows(Json::array({"train.threads=1", "train.lr=0.002"}))), "--jobs", "2"});
    EXPECT_THAT(more.err, testing::Not(HasSubstr("cores of this machine")));
    EXPECT_EQ(engine_->trained, trained + 2);
}

TEST_F(StudyCommandTest, AControlInTimeIsTunedLikeTheOthers) {
    engine_->stepSeconds = [](const RunSpec&) { return 0.02F; };
    Json changes = kInTime;
    changes.update(kTuning);
    const Json verdict = must({"study", study(changes)});
    ASSERT_THAT(verdict.at("tuning").at("rows"), SizeIs(3));
    EXPECT_THAT(verdict.at("tuning").at("rows").at(2).at("trials"), SizeIs(5));
    EXPECT_EQ(verdict.at("controls").at(0).at("time").at("steps"), 4) << "equal times; with 3 steps it would be the baseline";
    EXPECT_EQ(engine_->trained, 3 * 5 + 3 * 3);
}

TEST_F(StudyCommandTest, RowsOfExistingRunsTrainNothing) {
    must({"study", study()});
    const int trained = engine_->trained;
    std::vector<std::string> base, gated;
    for (const auto& one : query()->runs()) (one.name == "base" ? base : gated).push_back(one.id);
    const auto file = [&](const Json& runs) {
        return study({{"seeds", nullptr},
                      {"rows", {{{"name", "base"}, {"runs", {{"ids", base}}}}, {{"name", "gated"}, {"runs", runs}}}}});
    };
    const Json verdict = must({"study", file({{"ids", gated}})});
    EXPECT_EQ(engine_->trained, trained);
    EXPECT_EQ(verdict.at("study").at("test"), "welch");
    EXPECT_EQ(verdict.at("rows").at(0).at("n"), 3);
    EXPECT_EQ(verdict.at("rows").at(0).at("n_baseline"), 3);
    EXPECT_THAT(must({"study", file({{"ids", gated}}), "--next"}).at("runs"), IsEmpty());

    const CommandResult none = run({"study", file({{"tag", "soap"}}), "--verdict"});
    EXPECT_EQ(none.code, 3);
    EXPECT_THAT(none.err, testing::AllOf(HasSubstr("no run has the tag \"soap\""), HasSubstr("row \"gated\"")));
    const Json mixed = must({"study", file({{"group", "study/study"}}), "--verdict"});
    EXPECT_THAT(mixed.at("rows").at(0).at("left_out").dump(), HasSubstr("has other settings than most runs of this row"));
}

TEST_F(StudyCommandTest, ARunUnderAnotherNameCounts) {
    must({"study", study()});
    const int trained = engine_->trained;
    const Json renamed =
        must({"study",
              study({{"rows",
                      {{{"name", "plain"}, {"spec", spec("eau-base")}}, {{"name", "with gates"}, {"spec", spec("eau-full")}}}},
                     {"baseline", "plain"}})});
    EXPECT_EQ(engine_->trained, trained);
    EXPECT_EQ(renamed.at("rows").at(0).at("n"), 3);
    const CommandResult twice = run(
        {"study",
         study({{"rows", {{{"name", "base"}, {"spec", spec("eau-base")}}, {{"name", "again"}, {"spec", spec("eau-base")}}}}})});
    EXPECT_EQ(twice.code, 3);
    EXPECT_THAT(twice.err, HasSubstr("two rows are the same run under two names: base and again, seed 1"));
}

TEST_F(StudyCommandTest, ARunCountsWhoseDataMovedIfTheContentsAreTheSame) {
    const RunSpec trained = RunSpec::parse(spec("eau-base"), builtinCatalogue(), folder_ / "");
    storage::RunRecord record;
    record.id = "0123456789ab";
    record.state = "completed";
    record.spec = canonicalJson(trained.toJson());
    record.seed = 1;
    {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        store->addRun(record);
        storage::AttemptRecord attempt;
        attempt.run = record.id;
        attempt.context = Json{{"data_hashes", {sha256Hex("a b\n"), sha256Hex("c d\n")}}}.dump();
        store->addAttempt(attempt);
    }
    std::filesystem::create_directories(folder_ / "moved");
    write("moved/a.txt", "a b\n");
    write("moved/b.txt", "c d\n");
    const auto find = [&] {
        std::vector<PlannedRun> planned = plannedRuns({{"base", spec("eau-base")}}, folder_ / "moved/plan.json", "");
        findRuns(planned, *query(), file_);
        return planned.front();
    };
    EXPECT_EQ(find().id, record.id) << "by the recorded hashes";
    write("moved/b.txt", "other\n");
    EXPECT_EQ(find().id, "") << "other contents are another run";
    std::filesystem::remove(folder_ / "moved/b.txt");
    EXPECT_EQ(find().id, "");
}

TEST_F(StudyCommandTest, AStudyThatIsDecidedNeedsItsDataNoLonger) {
    const std::string file = study({{"seeds", {{"first", 2}, {"last", 6}}}, {"margin", 10}});
    const Json verdict = must({"study", file});
    ASSERT_EQ(verdict.at("next_seeds"), Json::array());
    ASSERT_LT(engine_->trained, 2 * 6) << "some seeds were not needed";
    std::filesystem::remove(folder_ / "a.txt");
    EXPECT_EQ(must({"study", file}).at("rows"), verdict.at("rows"));
    const CommandResult more = run({"study", study()});
    EXPECT_EQ(more.code, 3);
    EXPECT_THAT(more.err, HasSubstr("a.txt")) << "where it trains it does";
}

TEST_F(StudyCommandTest, AReportThatCannotBeWrittenCostsNobodyTheVerdict) {
    const std::string file = study();
    must({"study", file});
    const std::string folder = std::string("/proc/no/report");
    const CommandResult failed = run({"study", file, "--verdict", "--report", folder, "--json"});
    EXPECT_NE(failed.code, 0);
    EXPECT_THAT(failed.err, HasSubstr("/proc/no"));
    ASSERT_THAT(failed.out, testing::Not(IsEmpty()));
    EXPECT_EQ(failed.json().at("rows").size(), 1U);
    EXPECT_EQ(failed.json().at("report"), Json());
    EXPECT_EQ(failed.json().at("report_error").at("code"), failed.code);
}

TEST_F(StudyCommandTest, AQuestionThatIsChangedAfterItsValuesAreThereIsTold) {
    const std::string file = study();
    must({"study", file});
    const auto asked = findAsked(*query(), "study");
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->study.at("seeds"), Json({1, 2, 3}));
    EXPECT_EQ(asked->folder, std::filesystem::path(file).parent_path().string());
    EXPECT_EQ(asked->ended, 6U);
    EXPECT_THAT(must({"study", file, "--verdict"}).at("changes"), IsEmpty());
    must({"study", study({{"question", "In other words"}}), "--verdict"});
    EXPECT_THAT(findAsked(*query(), "study")->changes, IsEmpty()) << "words are not the question";

    const Json changed = must({"study", study({{"seeds", {1, 2, 3, 4}}, {"alpha", 0.1}})}).at("changes");
    ASSERT_THAT(changed, SizeIs(1));
    EXPECT_EQ(changed.at(0).at("ended"), 6);
    EXPECT_EQ(changed.at(0).at("keys"), Json({"alpha", "seeds"}));
    EXPECT_THAT(run({"study", file, "--verdict"}).out, HasSubstr("changed after 6 runs had ended (alpha, seeds)"));
}

}  // namespace
}  // namespace heddle::app
