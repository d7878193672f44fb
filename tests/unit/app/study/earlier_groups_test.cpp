// SPDX-License-Identifier: Apache-2.0
// The differences that a number of seeds can show, as `heddle study --plan` tells them before and after the baseline has runs.
#include "app/study/earlier_groups.h"

#include "app/study/study_runs.h"
#include "engine/analysis/seed_difference.h"
#include "engine/analysis/spread.h"
#include "engine/data/readers/file_content.h"
#include "tests/unit/app/study/study_command_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class EarlierGroupsTest : public StudyCommandTest {
protected:
    EarlierGroupsTest() {
        engine_->dataHashes = [](const RunSpec& spec) {
            return std::vector<std::string>{contentOf(FieldSchema::Role::DataFile, spec.data.train.source),
                                            contentOf(FieldSchema::Role::DataFile, spec.data.train.target)};
        };
    }
    /// A study of the same two variants with another learning rate, so that its runs are others.
    std::string later(const Json& changes = Json::object()) {
        Json document = {{"rows",
                          {{{"name", "base"}, {"spec", spec("eau-base")}, {"set", {"train.lr=0.003"}}},
                           {{"name", "gated"}, {"spec", spec("eau-full")}, {"set", {"train.lr=0.003"}}}}}};
        document.merge_patch(changes);
        return study(document);
    }
    Json detectable(const std::string& file) { return must({"study", file, "--plan"}).at("detectable"); }
};

TEST_F(EarlierGroupsTest, TellWhatSeedsCanShowBeforeTheBaselineHasItsOwn) {
    EXPECT_EQ(detectable(study()), Json()) << "nothing was trained yet";
    must({"study", study()});
    const Json found = detectable(later());
    // The fake engine's loss scatters by 0.01 sin(7 seed); both rows have seeds 1, 2, 3.
    std::vector<double> values;
    for (const int seed : {1, 2, 3}) values.push_back(0.01 * std::sin(7.0 * seed));
    EXPECT_NEAR(found.at("deviation"), *spreadOf(values).deviation, 1e-12);
    EXPECT_EQ(found.at("runs"), 6);
    EXPECT_EQ(found.at("earlier_groups"), 2);
    const Json& six = found.at("sizes").at(3);
    EXPECT_EQ(six.at("seeds"), 6);
    EXPECT_NEAR(six.at("welch"), *smallestDetectable(SeedTest::Welch, found.at("deviation"), 6, 0.05, 0.8), 1e-12);
    EXPECT_NEAR(six.at("paired"), *smallestDetectable(SeedTest::Paired, found.at("deviation"), 6, 0.05, 0.8), 1e-12);
    EXPECT_THAT(run({"study", later(), "--plan"}).out,
                AllOf(HasSubstr("The baseline has fewer than 3 seeds. 6 earlier runs of this task in 2 groups scatter by"),
                      HasSubstr("without pairs"), HasSubstr("in pairs, seeds correlated by 0.5")));

    must({"study", later()});
    const Json own = detectable(later());
    EXPECT_EQ(own.at("earlier_groups"), 0);
    EXPECT_EQ(own.at("runs"), 3);
    EXPECT_THAT(run({"study", later(), "--plan"}).out,
                AllOf(HasSubstr("The baseline's 3 seeds scatter by"), Not(HasSubstr("earlier"))));
}

TEST_F(EarlierGroupsTest, AreOfTheSameTaskMetricAndData) {
    must({"study", study()});
    EXPECT_EQ(detectable(later({{"metric", {{"name", "bleu"}}}})), Json()) << "no run has this metric";
    EXPECT_NE(detectable(later()), Json());
    write("a.txt", "a b\nc d\n");
    EXPECT_EQ(detectable(later()), Json()) << "the file holds something else now";
    std::filesystem::remove(folder_ / "a.txt");
    EXPECT_EQ(detectable(later()), Json()) << "nobody knows what it held";
}

TEST_F(EarlierGroupsTest, OfGeneratedDataHaveTheSameSettings) {
    const auto generated = [this](int words, const char* rate) {
        const auto row = [&](const char* name, const char* preset) {
            Json document = spec(preset);
            document["data"].erase("train");
            document["data"]["format"] = "generated/copy";
            document["data"]["generated"]["words"] = words;
            return Json{{"name", name}, {"spec", document}, {"set", {rate}}};
        };
        return study({{"rows", {row("base", "eau-base"), row("gated", "eau-full")}}});
    };
    must({"study", generated(20, "train.lr=0.001")});
    EXPECT_EQ(detectable(generated(20, "train.lr=0.003")).at("earlier_groups"), 2);
    EXPECT_EQ(detectable(generated(21, "train.lr=0.003")), Json()) << "other examples";
}

TEST_F(EarlierGroupsTest, WithoutRunsInTheTrashAndTrials) {
    must({"study", study({{"tuning", {{"path", "train.lr"}, {"values", {0.0005, 0.001, 0.002}}}}, {"seeds", {1, 2}}})});
    const Json before = detectable(later());
    EXPECT_EQ(before.at("runs"), 4) << "not the trials";
    for (const auto& one : query()->runs())
        if (one.name == "gated") must({"runs", "delete", one.id});
    EXPECT_EQ(detectable(later()).at("runs"), 2);
}

TEST_F(EarlierGroupsTest, WithoutRunsThatWereIntervenedInAndRunsOfOtherPrograms) {
    must({"study", study()});
    ASSERT_EQ(detectable(later()).at("runs"), 6);
    write("results.csv", "group,seed,step,valid/loss\nbase,1,40,9\nbase,2,40,1\nbase,3,40,5\n");
    must({"runs", "import", folder_ / "results.csv"});
    EXPECT_EQ(query()->runs().size(), 9U);
    EXPECT_EQ(detectable(later()).at("runs"), 6) << "which data they were measured on is not known";
    for (storage::RunRecord one : query()->runs())
        if (one.name == "gated" && one.seed == 2) {
            one.intervened = 10;
            storage::RunStore::open(file_, {"test", 0})->updateRun(one);
        }
    EXPECT_EQ(detectable(later()).at("runs"), 5);
}

}  // namespace
}  // namespace heddle::app
