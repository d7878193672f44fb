// SPDX-License-Identifier: Apache-2.0
// `heddle study` with the built program and the real engine.
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <filesystem>

namespace heddle::integration {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// A variant that learns, beside one whose learning rate is too low for so few steps.
std::string writeStudy(const Workshop& shop, const Json& changes = Json::object()) {
    const Json spec = Json::parse(shop.read("spec.json"));
    Json study{{"schema", "heddle.study/1"},
               {"question", "Does it learn?"},
               {"rows",
                {{{"name", "slow"}, {"spec", spec}, {"set", {"train.steps=30", "train.lr=0.00001"}}},
                 {{"name", "fast"}, {"spec", spec}, {"set", {"train.steps=30", "train.lr=0.01"}}}}},
               {"baseline", "slow"},
               {"seeds", {1, 2, 3}},
               {"claim", {{"row", "fast"}, {"verdict", "better"}}}};
    study.merge_patch(changes);
    return shop.write("study.json", study.dump());
}

TEST(StudyCommand, TrainsWhatIsMissingAndSaysWhatIsShown) {
    const Workshop shop;
    const std::string file = writeStudy(shop);
    EXPECT_THAT(shop.must({"study", file, "--plan"}).at("runs"), SizeIs(6));
    {
        const auto program = shop.start({"study", file});
        shop.waitForStep(5);
        program->signal(SIGINT);
        EXPECT_EQ(program->wait().code, 130);
    }
    EXPECT_EQ(shop.run({"study", file, "--check"}).code, 10) << "nothing is shown yet";
    const Json verdict = shop.must({"study", file});
    const Json& row = verdict.at("rows").at(0);
    EXPECT_EQ(row.at("verdict"), "better");
    EXPECT_EQ(row.at("n"), 3);
    EXPECT_LT(row.at("interval").at(1), 0);
    EXPECT_EQ(verdict.at("next_seeds"), Json::array());
    EXPECT_EQ(shop.run({"study", file, "--check"}).code, 0);
    EXPECT_EQ(shop.run({"runs", "list"}).json().at("runs").size(), 6U) << "the first one went on, nothing was trained twice";
    EXPECT_THAT(shop.must({"study", file, "--next"}).at("runs"), SizeIs(0));

    writeStudy(shop, {{"claim", {{"verdict", "worse"}}}});
    EXPECT_EQ(shop.run({"study", file, "--check"}).code, 11) << "the opposite is shown";
    writeStudy(shop, {{"seeds", {1, 2, 3, 4}}});
    EXPECT_THAT(shop.must({"study", file, "--next"}).at("runs"), SizeIs(2)) << "one seed more of both";
}

TEST(StudyCommand, ReportsWhatIsKnownAndHowToRepeatIt) {
    const Workshop shop;
    const std::string file = writeStudy(shop);
    const Json verdict = shop.must({"study", file, "--report", (shop / "report").string()});
    EXPECT_EQ(verdict.at("report"), std::filesystem::canonical(shop / "report" / "report.html").string());
    const std::string page = shop.read("report/report.html");
    for (const char* said : {"Does it learn?", "fast</strong>: better", "Every run trained 30 steps", "train.lr", "torch",
                             "one learning rate", "Not done: no hyperparameter"})
        EXPECT_THAT(page, HasSubstr(said));
    EXPECT_THAT(shop.read("report/table.md"), HasSubstr("| fast | better |"));
    EXPECT_THAT(shop.read("report/table.tex"), HasSubstr("\\toprule"));
    EXPECT_THAT(shop.read("report/runs.csv"), HasSubstr("SHA-256"));
    EXPECT_THAT(shop.read("report/figures/differences.svg"), HasSubstr("<svg"));

    const std::string again = (shop / "report" / "study.json").string();
    const Json runs = shop.must({"study", again, "--plan"}).at("runs");
    ASSERT_THAT(runs, SizeIs(6));
    for (const Json& run : runs) EXPECT_EQ(run.at("state"), "completed") << "the same runs";
    EXPECT_EQ(shop.must({"study", again, "--verdict"}).at("rows"), verdict.at("rows"));
    const Json spec = Json::parse(shop.read("report/specs/fast-2.json"));
    EXPECT_EQ(RunSpec::parse(spec, builtinCatalogue()).seed, 2U);

    EXPECT_EQ(shop.run({"study", file, "--verdict", "--report", (shop / "report").string()}).code, 0) << "an older report";
    shop.write("report/mine.txt", "kept");
    const Result refused = shop.run({"study", file, "--verdict", "--report", (shop / "report").string()});
    EXPECT_EQ(refused.code, 3);
    EXPECT_THAT(refused.err, HasSubstr("contains other files: mine.txt"));
    EXPECT_EQ(shop.read("report/mine.txt"), "kept");
    EXPECT_EQ(shop.run({"study", file, "--plan", "--report", (shop / "other").string()}).code, 2);
}

TEST(StudyCommand, TunesEachRowAlikeAndSizesItsControlByTheBaselinesFirstRun) {
    const Workshop shop;
    const Json spec = Json::parse(shop.read("spec.json"));
    const std::string file = writeStudy(shop, {{"rows",
                                                {{{"name", "base"}, {"spec", spec}, {"set", {"train.steps=30", "dims.f=24"}}},
                                                 {{"name", "wide"}, {"spec", spec}, {"set", {"train.steps=30", "dims.f=40"}}}}},
                                               {"baseline", "base"},
                                               {"seeds", {1, 2}},
                                               {"claim", nullptr},
                                               {"tuning", {{"path", "train.lr"}, {"values", {0.0003, 0.003, 0.03}}}}});
    {
        const auto program = shop.start({"study", file});
        shop.waitForStep(5);
        program->signal(SIGINT);
        EXPECT_EQ(program->wait().code, 130);
    }
    const Json verdict = shop.must({"study", file});
    EXPECT_EQ(verdict.at("tuned"), true);
    const Json& rows = verdict.at("tuning").at("rows");
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_EQ(rows.at(0).at("trials").size(), rows.at(1).at("trials").size());
    const std::size_t trials = 2 * rows.at(0).at("trials").size();
    EXPECT_GE(trials, 6U);
    EXPECT_EQ(shop.run({"runs", "list"}).json().at("runs").size(), trials + 4) << "nothing was trained twice";

    const Json shape{{"tuning", nullptr},
                     {"seeds", {1, 2}},
                     {"controls", {{{"of", "gated"}}}},
                     {"baseline", "base"},
                     {"rows",
                      {{{"name", "base"}, {"spec", spec}, {"set", {"train.steps=12", "preset=eau-base"}}},
                       {{"name", "gated"}, {"spec", spec}, {"set", {"train.steps=12", "preset=eau-full"}}}}},
                     {"claim", nullptr}};
    const Json controlled = shop.must({"study", writeStudy(shop, shape)});
    EXPECT_EQ(controlled.at("controls").at(0).at("assumed"), false);
    EXPECT_EQ(controlled.at("rows").at(1).at("name"), "base matched to gated");
    EXPECT_EQ(controlled.at("rows").at(1).at("n"), 2);
}

TEST(StudyCommand, RefusesWhatCannotBeAnswered) {
    const Workshop shop;
    const Result unknown = shop.run({"study", writeStudy(shop, {{"baseline", "nobody"}})});
    EXPECT_EQ(unknown.code, 3);
    EXPECT_THAT(unknown.err, HasSubstr("the baseline \"nobody\" is not a row of the study"));
    const Result noClaim = shop.run({"study", writeStudy(shop, {{"claim", nullptr}}), "--check"});
    EXPECT_EQ(noClaim.code, 3);
    EXPECT_THAT(noClaim.err, HasSubstr("no claim to check"));
    EXPECT_EQ(shop.run({"study", (shop / "spec.json").string()}).code, 3) << "a spec is no study";
}

}  // namespace
}  // namespace heddle::integration
