// SPDX-License-Identifier: Apache-2.0
#include "app/study/asked_study.h"

#include "engine/spec/catalogue.h"
#include "tests/unit/app/study/recorded_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Json rowOf(const std::string& name, Json spec, const Json& set = Json::array()) {
    Json row{{"name", name}, {"spec", std::move(spec)}};
    if (!set.empty()) row["set"] = set;
    return row;
}

AskedStudy asked(const Json& rows, std::size_t ended, const std::string& folder = "/studies") {
    const Json study{{"schema", "heddle.study/1"}, {"rows", rows}, {"baseline", "base"}, {"seeds", {1, 2, 3}}};
    return {Study::parse(study, "study.json").toJson(), folder, 100, ended, {}};
}

Json specOf() {
    Json spec = smallSpec("", 40).toJson();
    spec["data"]["train"] = {{"source", "a.txt"}, {"target", "b.txt"}};
    return spec;
}

TEST(AskedStudy, AQuestionThatIsChangedAfterAnInterruptionIsAChange) {
    const Json rows{rowOf("base", specOf()), rowOf("gated", specOf(), {"train.lr=0.01"})};
    const AskedStudy first = asked(rows, 0);
    AskedStudy now = asked(rows, 2);
    now.study["seeds"] = {1, 2};
    now.asked = 200;
    const AskedStudy after = askedAgain(first, now);
    EXPECT_THAT(after.changes, ElementsAre(StudyChange{200, 2, {"seeds"}})) << "two runs had ended since it was asked";
    EXPECT_EQ(after.asked, 100);
    now.ended = 0;
    EXPECT_THAT(askedAgain(first, now).changes, IsEmpty()) << "nothing was known";
}

TEST(AskedStudy, RowsThatTrainTheSameAreNoChange) {
    const AskedStudy first = asked({rowOf("base", specOf()), rowOf("gated", specOf(), {"train.lr=0.01"})}, 6);
    Json moved = specOf();
    moved["train"]["lr"] = 0.01;
    EXPECT_THAT(askedAgain(first, asked({rowOf("base", specOf()), rowOf("gated", moved)}, 6)).changes, IsEmpty())
        << "the setting stands in the spec";

    const auto expanded = [](Json spec) { return RunSpec::parse(spec, builtinCatalogue(), "/studies").toJson(); };
    moved["name"] = "gated";
    moved["seed"] = 3;
    moved["train"]["device"] = "cpu";
    const Json report{rowOf("base", expanded(specOf())), rowOf("gated", expanded(moved))};
    EXPECT_THAT(askedAgain(first, asked(report, 6, "/report")).changes, IsEmpty()) << "as a report writes it";
    EXPECT_THAT(askedAgain(first, asked(first.study.at("rows"), 6, "/moved")).changes, IsEmpty()) << "with its files";

    moved["train"]["lr"] = 0.02;
    const auto changes = askedAgain(first, asked({rowOf("base", specOf()), rowOf("gated", moved)}, 6)).changes;
    EXPECT_THAT(changes, ElementsAre(StudyChange{100, 6, {"rows"}}));
    moved["train"]["lr"] = 0.01;
    EXPECT_THAT(askedAgain(first, asked({rowOf("base", specOf()), rowOf("gates", moved)}, 6)).changes,
                ElementsAre(StudyChange{100, 6, {"rows"}}))
        << "claims name rows";
    moved["data"]["train"]["source"] = "c.txt";
    EXPECT_THAT(askedAgain(first, asked({rowOf("base", specOf()), rowOf("gated", moved)}, 6)).changes,
                ElementsAre(StudyChange{100, 6, {"rows"}}));
}

TEST(AskedStudy, OtherRunsThatExistAreAChange) {
    const auto existing = [](const char* tag) {
        return Json{rowOf("base", specOf()), {{"name", "soap"}, {"runs", {{"tag", tag}}}}};
    };
    EXPECT_THAT(askedAgain(asked(existing("a"), 3), asked(existing("a"), 3)).changes, IsEmpty());
    EXPECT_THAT(askedAgain(asked(existing("a"), 3), asked(existing("b"), 3)).changes,
                ElementsAre(StudyChange{100, 3, {"rows"}}));
}

TEST(AskedStudy, RunsThatAreGoneAreToldOnce) {
    const Json rows{rowOf("base", specOf()), rowOf("gated", specOf(), {"train.lr=0.01"})};
    const AskedStudy fewer = askedAgain(asked(rows, 6), asked(rows, 4));
    EXPECT_THAT(fewer.changes, ElementsAre(StudyChange{100, 6, {}, -2}));
    EXPECT_THAT(askedAgain(fewer, asked(rows, 4)).changes, SizeIs(1)) << "the same two";
    EXPECT_THAT(askedAgain(fewer, asked(rows, 3)).changes, SizeIs(2)) << "another one";
    EXPECT_THAT(askedAgain(asked(rows, 4), asked(rows, 6)).changes, IsEmpty()) << "its plan says when to look";
    EXPECT_EQ(AskedStudy::parse(fewer.toJson()), fewer);
}

TEST(AskedStudy, RunsOfAnEarlierQuestionAreNotMissed) {
    const auto with = [](double lr) {
        return Json{rowOf("base", specOf()), rowOf("gated", specOf(), {fmt::format("train.lr={}", lr)})};
    };
    const AskedStudy changed = askedAgain(askedAgain(asked(with(0.01), 0), asked(with(0.01), 8)), asked(with(0.02), 4));
    EXPECT_THAT(changed.changes, ElementsAre(StudyChange{100, 8, {"rows"}})) << "what the eight gave may have been known";
    const AskedStudy again = askedAgain(changed, asked(with(0.02), 4));
    EXPECT_THAT(again.changes, SizeIs(1)) << "the four are all that it had";
    EXPECT_THAT(askedAgain(again, asked(with(0.02), 3)).changes,
                ElementsAre(StudyChange{100, 8, {"rows"}}, StudyChange{100, 4, {}, -1}));
    EXPECT_THAT(askedAgain(askedAgain(again, asked(with(0.03), 0)), asked(with(0.04), 0)).changes, SizeIs(3))
        << "the eight stay known";
    EXPECT_EQ(AskedStudy::parse(again.toJson()), again);
}

TEST(AskedStudy, RunsThatAreThereAgainAreNotTold) {
    const Json rows{rowOf("base", specOf()), rowOf("gated", specOf(), {"train.lr=0.01"})};
    const AskedStudy fewer = askedAgain(asked(rows, 6), asked(rows, 4));
    EXPECT_THAT(changesToTell(fewer, asked(rows, 5)), SizeIs(1));
    EXPECT_THAT(changesToTell(fewer, asked(rows, 6)), IsEmpty()) << "restored, or trained again";
    const Json others{rowOf("base", specOf()), rowOf("gated", specOf(), {"train.lr=0.02"})};
    const AskedStudy other = askedAgain(fewer, asked(others, 8));
    EXPECT_THAT(changesToTell(other, asked(others, 8)), SizeIs(2)) << "eight runs of another question are not those six";

    const auto existing = [](std::size_t ended) {
        const Json all{{{"name", "base"}, {"runs", {{"group", "base"}}}}, {{"name", "gated"}, {"runs", {{"group", "gated"}}}}};
        const Json study{{"schema", "heddle.study/1"}, {"rows", all}, {"baseline", "base"}};
        return AskedStudy{Study::parse(study, "study.json").toJson(), "/studies", 100, ended, {}};
    };
    EXPECT_THAT(changesToTell(askedAgain(existing(6), existing(4)), existing(6)), SizeIs(1))
        << "two better ones may have been imported";
}

TEST(AskedStudy, ALookAtMoreExistingRunsBesideTrainedOnesIsTold) {
    const auto mixed = [](std::size_t ended, std::size_t existing) {
        AskedStudy study = asked({rowOf("base", specOf()), {{"name", "soap"}, {"runs", {{"tag", "soap"}}}}}, ended);
        study.existing = existing;
        return study;
    };
    const AskedStudy first = askedAgain(askedAgain({}, mixed(4, 4)), mixed(7, 4));
    EXPECT_THAT(first.changes, IsEmpty()) << "its plan says how many are trained";
    const AskedStudy look = askedAgain(first, mixed(9, 6));
    EXPECT_THAT(look.changes, ElementsAre(StudyChange{100, 7, {}, 2}));
    EXPECT_EQ(look.existing, 6U);
    EXPECT_THAT(askedAgain(look, mixed(9, 6)).changes, SizeIs(1)) << "nothing is new";
    EXPECT_THAT(askedAgain(look, mixed(9, 7)).changes, ElementsAre(StudyChange{100, 7, {}, 2}, StudyChange{100, 9, {}, -1}))
        << "a trained one is gone, though the sum is the same";
    EXPECT_THAT(askedAgain(mixed(4, 4), mixed(9, 6)).changes, IsEmpty()) << "nothing was trained to be compared with";

    Json old = first.toJson();  // as an earlier version recorded it
    for (const char* key : {"most", "existing"}) old.erase(key);
    EXPECT_THAT(askedAgain(AskedStudy::parse(old), mixed(7, 4)).changes, IsEmpty());
}

TEST(AskedStudy, EachLookAtMoreRunsThatNoPlanAsksForIsTold) {
    const auto existing = [](std::size_t ended) {
        const Json rows{{{"name", "base"}, {"runs", {{"group", "base"}}}}, {{"name", "gated"}, {"runs", {{"group", "gated"}}}}};
        const Json study{{"schema", "heddle.study/1"}, {"rows", rows}, {"baseline", "base"}};
        return AskedStudy{Study::parse(study, "study.json").toJson(), "/studies", 100, ended, {}};
    };
    const AskedStudy second = askedAgain(existing(6), existing(8));
    EXPECT_THAT(second.changes, ElementsAre(StudyChange{100, 6, {}, 2}));
    EXPECT_THAT(askedAgain(second, existing(8)).changes, SizeIs(1)) << "nothing is new";
    EXPECT_THAT(askedAgain(second, existing(9)).changes, SizeIs(2));
    EXPECT_THAT(askedAgain(existing(0), existing(8)).changes, IsEmpty()) << "there was nothing to look at";
}

class AskedOfADatabase : public testing::Test, protected RecordedRuns {};

TEST_F(AskedOfADatabase, AStudyKeepsWhenItWasFirstAsked) {
    storage::RunStore::open(file_, {"test", 0});
    Json spec = specOf();
    spec.erase("name");
    spec.erase("seed");
    const Json rows = Json::array({rowOf("base", spec), rowOf("fast", spec, {"train.lr=0.01"})});
    const Json study{{"schema", "heddle.study/1"}, {"rows", rows}, {"baseline", "base"}, {"seeds", {1, 2}}};
    const auto ask = [&] { return askStudy(Study::parse(study, "rates.json"), folder_ / "rates.json", *query(), file_); };
    const PutItem item = ask();
    EXPECT_EQ(item.kind, kStudyItem);
    EXPECT_EQ(item.key, "rates");
    auto kept = AskedStudy::parse(item.body);
    ASSERT_TRUE(kept);
    kept->asked = 100;
    storage::RunStore::open(file_, {"test", 0})->putItem(item.kind, item.key, kept->toJson().dump());
    EXPECT_EQ(AskedStudy::parse(ask().body), kept);
}

}  // namespace
}  // namespace heddle::app
