// SPDX-License-Identifier: Apache-2.0
#include "app/study/asked_study.h"
#include "tests/unit/app/study/study_command_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StudyChangesTest : public StudyCommandTest {};

TEST_F(StudyChangesTest, OtherSettingsForEveryRowMakeAnotherStudy) {
    const std::string file = study({{"tuning", {{"path", "train.lr"}, {"around", 0.001}}}});
    const auto keys = [this] {
        std::set<std::string> all;
        for (const auto& item : query()->items(kStudyItem)) all.insert(item.key);
        return all;
    };
    const Json brief = must({"study", file, "--set", "train.steps=2", "--set", "dims.f=16", "--drop-tuning"});
    EXPECT_EQ(brief.at("asked_with"), "train.steps=2 dims.f=16, without tuning");
    EXPECT_EQ(brief.at("tuned"), false);
    EXPECT_THAT(query()->runs(), SizeIs(6)) << "no trials";
    for (const auto& run : query()->runs()) {
        EXPECT_EQ(run.step, 2);
        EXPECT_EQ(parseJson(run.spec, "spec").at("variant").at("dims").at("f"), 16);
    }
    EXPECT_THAT(keys(), ElementsAre("study with train.steps=2 dims.f=16, without tuning"));

    const auto told = run({"study", file, "--set", "train.steps=2", "--drop-tuning", "--plan"});
    EXPECT_THAT(told.err, HasSubstr("but with train.steps=2, without tuning"));
    EXPECT_THAT(must({"study", file, "--set", "train.steps=2", "--set", "dims.f=16", "--drop-tuning", "--next"}).at("runs"),
                IsEmpty())
        << "the same changes, the same study";
    const Json whole = must({"study", file});
    EXPECT_EQ(whole.at("asked_with"), "");
    EXPECT_EQ(keys().size(), 2U);
    for (const auto& item : query()->items(kStudyItem))
        EXPECT_THAT(AskedStudy::parse(Json::parse(item.body))->changes, IsEmpty()) << item.key << ": no question was changed";
}

TEST_F(StudyChangesTest, SettingsThatCannotBeGivenForEveryRowAreRefused) {
    const std::string file = study({{"tuning", {{"path", "train.lr"}, {"around", 0.001}}}});
    const auto tuned = run({"study", file, "--set", "train.lr=0.01"});
    EXPECT_EQ(tuned.code, 2);
    EXPECT_THAT(tuned.err, HasSubstr("the study tunes train.lr"));
    EXPECT_EQ(run({"study", file, "--set", "train.stepz=2"}).code, 3);
    const auto existing =
        run({"study",
             study({{"rows", {{{"name", "base"}, {"runs", {{"tag", "a"}}}}, {{"name", "gated"}, {"spec", spec("eau-full")}}}}}),
             "--set", "train.steps=2"});
    EXPECT_EQ(existing.code, 2);
    EXPECT_THAT(existing.err, HasSubstr("runs that exist"));
}

}  // namespace
}  // namespace heddle::app
