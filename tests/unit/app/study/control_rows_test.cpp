// SPDX-License-Identifier: Apache-2.0
#include "app/study/control_rows.h"

#include "tests/unit/app/session/session_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle::app {
namespace {

/// A study with a control in time of each of so many variants, all of the same model.
Study timed(std::size_t variants) {
    Json document{{"schema", "heddle.study/1"}, {"baseline", "base"}, {"seeds", {1, 2}}};
    const auto add = [&](const std::string& name, double lr) {
        document["rows"].push_back(
            {{"name", name}, {"spec", smallSpec("", 100).toJson()}, {"set", {fmt::format("train.lr={}", lr)}}});
        if (name != "base") document["controls"].push_back({{"of", name}, {"match", "time"}});
    };
    add("base", 0.001);
    for (std::size_t i = 0; i < variants; ++i) add("v" + std::to_string(i), 0.01 * double(i + 1));
    return Study::parse(document, "study.json");
}

class ControlRowsTest : public testing::Test, protected SessionFixture {
protected:
    std::optional<AssumedVocabulary> foundBy(const Json& context) {
        storage::RunRecord run = killedRecord("0123456789ab");
        storage::AttemptRecord attempt;
        attempt.run = run.id;
        attempt.context = context.dump();
        const std::string file = folder_ / (std::to_string(++count_) + ".heddle");
        {
            const auto store = storage::RunStore::open(file, {"test", 0});
            store->addRun(run);
            store->addAttempt(attempt);
        }
        return sizesFoundBy(*storage::RunQuery::open(file), run.id);
    }
    /// The control of a variant, with sizes that nobody knows yet.
    static ControlSize sized(const Json& base, const Json& variant, bool isKnown = false) {
        const Json document{
            {"schema", "heddle.study/1"},
            {"rows",
             {{{"name", "base"}, {"spec", {{"variant", base}}}}, {{"name", "gated"}, {"spec", {{"variant", variant}}}}}},
            {"controls", {{{"of", "gated"}}}},
            {"baseline", "base"},
            {"seeds", {1, 2}}};
        Study study = Study::parse(document, "study.json");
        return sizeControls(study, {0, 0, 10}, isKnown, "study.json").at(0);
    }

private:
    int count_ = 0;
};

TEST_F(ControlRowsTest, SizesAreKnownOnceARunHasReadItsData) {
    EXPECT_EQ(foundBy({{"vocab_source", 50}, {"vocab_target", 60}}), (AssumedVocabulary{50, 60, 0}));
    EXPECT_EQ(foundBy({{"vocab_source", 50}, {"vocab_target", 0}, {"classes", 3}}), (AssumedVocabulary{50, 50, 3}));
    EXPECT_EQ(foundBy({{"vocab_source", 0}, {"vocab_target", 0}, {"classes", 10}}), (AssumedVocabulary{0, 0, 10}))
        << "images have no vocabulary";
    EXPECT_EQ(foundBy(Json::object()), std::nullopt) << "it has not read them";
}

TEST_F(ControlRowsTest, TheControlOfAModelOfImagesWaitsForTheBaselineAlone) {
    const Json base{{"preset", "vit-tiny"}}, gated{{"preset", "vit-tiny+grc"}};
    EXPECT_TRUE(sized(base, gated).isAssumed);
    EXPECT_FALSE(sized(base, gated, true).isAssumed);
}

TEST_F(ControlRowsTest, ClassesThatOnlyTheDataTellAreAssumed) {
    const auto variant = [](const char* preset, Json dims) {
        dims["vocab_src"] = 50;
        return Json{{"preset", preset}, {"dims", std::move(dims)}, {"head", {{"kind", "classify"}}}};
    };
    EXPECT_TRUE(sized(variant("bert-base", {}), variant("bert-base+grc", {})).isAssumed);
    const Json two{{"classes", 2}};
    EXPECT_FALSE(sized(variant("bert-base", two), variant("bert-base+grc", two)).isAssumed);
}

TEST_F(ControlRowsTest, AControlInTimeIsTheBaselineWithAsManyStepsAsTakeTheVariantsTime) {
    Study study = timed(1);
    auto controls = sizeControls(study, {}, true, "study.json");
    EXPECT_TRUE(study.rows.back().spec.is_null()) << "nobody has timed anything";
    EXPECT_EQ(controls.at(0).steps, 0);
    setTimes(study, controls, {{"base", {100, 0.01, "here", ""}}, {"v0", {80, 0.02, "here", ""}}});
    EXPECT_EQ(controls.at(0).steps, 160) << "80 steps of 20 ms are 160 of 10 ms";
    EXPECT_EQ(controls.at(0).problem, "");
    EXPECT_EQ(controls.at(0).measuredOn, "here");
    EXPECT_EQ(study.rows.back().spec, study.rows.front().spec);
    EXPECT_EQ(study.rows.back().set, (std::vector<std::string>{"train.lr=0.001", "train.epochs=0", "train.steps=160"}));
    setTimes(study, controls, {{"base", {100, 0.02, "here", ""}}, {"v0", {100, 0.01, "here", ""}}});
    EXPECT_EQ(controls.at(0).steps, 50) << "a faster variant";
}

TEST_F(ControlRowsTest, ControlsInTimeAreNeverTheSameRun) {
    Study study = timed(3);
    auto controls = sizeControls(study, {}, true, "study.json");
    const StepTimes equal{100, 0.01, "here", ""};
    setTimes(study, controls, {{"base", equal}, {"v0", equal}, {"v1", equal}, {"v2", {100, 0.02, "here", ""}}});
    EXPECT_EQ(controls.at(0).steps, 101) << "with 100 it would be the baseline";
    EXPECT_EQ(controls.at(1).steps, 102);
    EXPECT_EQ(controls.at(2).steps, 200);
}

TEST_F(ControlRowsTest, TimesOfDifferentPlacesAreNotCompared) {
    Study study = timed(2);
    auto controls = sizeControls(study, {}, true, "study.json");
    setTimes(study, controls,
             {{"base", {100, 0.01, "here", ""}}, {"v0", {100, 0.02, "there", ""}}, {"v1", {100, 0.02, "here", ""}}});
    EXPECT_EQ(controls.at(0).problem, "the first run of base was trained on here, that of v0 on there");
    EXPECT_EQ(controls.at(0).steps, 0);
    EXPECT_EQ(controls.at(1).steps, 200) << "of the other one it is known";
    setTimes(study, controls,
             {{"base", {100, 0.01, "here", ""}}, {"v0", {0, 0, "", "has no times"}}, {"v1", {100, 0.02, "here", ""}}});
    EXPECT_EQ(controls.at(0).problem, "the first run of v0 has no times");
}

TEST_F(ControlRowsTest, ARunThatMayStopEarlyHasNoTime) {
    Study study = timed(1);
    study.rows[1].set.emplace_back("train.early_stopping.patience=3");
    EXPECT_THAT(whyRefused([&] { sizeControls(study, {}, true, "study.json"); }),
                testing::HasSubstr("a run of \"v0\" may stop early"));
}

TEST_F(ControlRowsTest, TheTimeOfAStepIsTheMeanWithoutTheFirst) {
    storage::RunRecord run = killedRecord("0123456789ab");
    run.step = 4;
    const auto with = [&](const std::vector<float>& seconds, const std::vector<storage::AttemptRecord>& attempts) {
        const std::string file = folder_ / fmt::format("{}-{}.heddle", seconds.size(), attempts.size());
        const auto store = storage::RunStore::open(file, {"test", 0});
        store->addRun(run);
        for (const auto& attempt : attempts) store->addAttempt(attempt);
        if (!seconds.empty()) store->append({run.id, 1, "step_seconds", "", 1, 1, seconds, false});
        return stepTimesOf(*storage::RunQuery::open(file), run);
    };
    const char* const kTwoAtOnce =
        R"({"device_name":"Xeon","jobs":2,"runs_at_once":{"least":1,"most":2,"runs":2,"share":0.97}})";
    storage::AttemptRecord one{run.id, 1, 0, 1, 0, "cpu", "a", "0", "fake", 2, kTwoAtOnce, 0, "", 0};
    const StepTimes times = with({9, 0.25, 0.5, 0.75}, {one});
    EXPECT_EQ(times.seconds, 0.5);
    EXPECT_EQ(times.steps, 4);
    EXPECT_EQ(times.place, "cpu (Xeon) of host a, 2 threads, 2 runs at once");
    EXPECT_EQ(times.problem, "");
    EXPECT_EQ(with({}, {one}).problem, "has no recorded times of steps");
    storage::AttemptRecord other = one;
    other.attempt = 2;
    other.host = "b";
    EXPECT_THAT(with({9, 0.25, 0.5, 0.75}, {one, other}).problem, testing::HasSubstr("was trained in parts, on cpu"));
}

}  // namespace
}  // namespace heddle::app
