// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/study.h"

#include "engine/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json document() {
    return R"({"schema":"heddle.study/1","question":"Does the gate help?",
               "rows":[{"name":"base","spec":{"variant":{"preset":"eau-base"}}},
                       {"name":"gated","spec":{"variant":{"preset":"eau-full"}},"set":["train.lr=0.01"]},
                       {"name":"control","spec":{"variant":{"preset":"eau-base"}}}],
               "baseline":"base","metric":{"name":"loss","value":"last"},"seeds":[1,2,3,4,5]})"_json;
}

Study study(const std::string& changes = "{}") {
    Json all = document();
    all.merge_patch(Json::parse(changes));
    return Study::parse(all, "study.json");
}

std::string refusal(const std::string& changes) {
    try {
        study(changes);
        return "accepted";
    } catch (const Error& error) {
        return error.problem() + " | " + error.where() + " | " + error.next();
    }
}

StudyValues values(const std::vector<double>& all) {
    StudyValues result;
    for (std::size_t i = 0; i < all.size(); ++i) result.values[i + 1] = all[i];
    return result;
}

TEST(Study, IsWrittenAsItIsRead) {
    for (const char* changes : {"{}", R"({"seeds":{"first":4,"last":9},"margin":0.02,"test":"welch","family":"none"})",
                                R"({"claim":{"row":"gated","verdict":"better"},"alpha":0.01,"power":0.9,"outputs":"stored"})",
                                R"({"metric":{"split":"test","name":"bleu","value":"mean of last 3"}})",
                                R"({"metric":{"value":"average of last 5"},"tuning":{"path":"train.lr","around":0.001}})",
                                R"({"controls":[{"of":"gated"},{"of":"gated","match":"flops"},{"of":"gated","match":"time"}]})",
                                R"({"rows":[{"name":"base","spec":{}},{"name":"soap","runs":{"tag":"soap"}}]})",
                                R"({"seeds":null,"rows":[{"name":"base","runs":{"ids":["0123456789ab"]}},
                                                     {"name":"soap","runs":{"group":"track 3"}}]})"}) {
        const Study one = study(changes);
        EXPECT_EQ(Study::parse(one.toJson(), "again"), one) << one.toJson().dump();
    }
    EXPECT_FALSE(study(R"({"metric":{"name":"bleu"}})").metric.lowerIsBetter) << "by the table of metrics";
    EXPECT_EQ(study().baseline, "base");
}

TEST(Study, RefusesWhatCannotBeAnswered) {
    EXPECT_THAT(refusal(R"({"schema":"heddle.plan/1"})"), HasSubstr("unsupported study schema | study.json"));
    EXPECT_THAT(refusal(R"({"baseline":"nobody"})"), HasSubstr("the baseline \"nobody\" is not a row of the study"));
    EXPECT_THAT(refusal(R"({"rows":[{"name":"base","spec":{}}]})"), HasSubstr("at least two rows"));
    EXPECT_THAT(refusal(R"({"rows":[{"name":"base","spec":{}},{"name":"base","spec":{}}]})"), HasSubstr("must be unique"));
    EXPECT_THAT(refusal(R"({"seeds":[1]})"), HasSubstr("2 to 200 seeds"));
    EXPECT_THAT(refusal(R"({"seeds":[1,2,2]})"), HasSubstr("listed twice"));
    EXPECT_THAT(refusal(R"({"seeds":{"first":1,"last":5}})"), HasSubstr("2 ≤ first ≤ last"));
    EXPECT_THAT(refusal(R"({"seeds":"many"})"), HasSubstr("\"first\":3"));
    EXPECT_THAT(refusal(R"({"alpha":0})"), HasSubstr("\"alpha\" must be between 0 and 1"));
    EXPECT_THAT(refusal(R"({"alpha":"low"})"), HasSubstr("no usable \"alpha\""));
    EXPECT_THAT(refusal(R"({"test":"sign"})"), HasSubstr("it is one of: paired, welch"));
    EXPECT_THAT(refusal(R"({"metric":{"value":"luckiest"}})"),
                HasSubstr("it is one of: best, last, step 4000, mean of last 3, average of last 5"));
    EXPECT_THAT(refusal(R"({"margin":-1})"), HasSubstr("above 0"));
    EXPECT_THAT(refusal(R"({"margn":1})"), HasSubstr("unknown key \"margn\" in a study"));
    EXPECT_THAT(refusal(R"({"seeds":{"first":3,"lats":20}})"), HasSubstr("unknown key \"lats\" in \"seeds\""));
    EXPECT_THAT(refusal(R"({"seeds":{"first":3.7}})"), HasSubstr("whole numbers"));
    EXPECT_THAT(refusal(R"({"rows":[{"name":"base","spec":{},"seeds":[1]}]})"),
                HasSubstr("unknown key \"seeds\" in a row of a study"));
    EXPECT_THAT(refusal(R"({"rows":[{"name":"base","spec":{}},{"name":"fine","spec":{},"from":"base"}]})"),
                HasSubstr("cannot start from another row | study.json, row 2"));
    EXPECT_THAT(refusal(R"({"metric":{"name":"los"}})"), HasSubstr("unknown metric \"los\""));
    EXPECT_THAT(refusal(R"({"power":0.05})"), HasSubstr("\"power\" must be above \"alpha\""));
    EXPECT_THAT(refusal(R"({"claim":{"row":"base"}})"), HasSubstr("give the name of a row other than the baseline"));
    EXPECT_THAT(refusal(R"({"claim":{"row":"gated","verdict":"equivalent"}})"), HasSubstr("needs a margin"));
}

TEST(Study, ControlsAreRowsOfTheFamily) {
    const Study one = study(R"({"controls":[{"of":"gated"}],"claim":{"row":"base matched to gated","verdict":"worse"}})");
    ASSERT_EQ(one.rows.size(), 4U);
    EXPECT_EQ(one.rows.back().name, "base matched to gated");
    EXPECT_EQ(one.family(), 3);
    EXPECT_THAT(refusal(R"({"controls":[{"of":"base"}]})"), HasSubstr("\"base\" is not a variant of the study"));
    EXPECT_THAT(refusal(R"({"controls":[{"of":"gated","match":"hours"}]})"),
                HasSubstr("it is one of: parameters, flops, time"));
    EXPECT_THAT(refusal(R"({"controls":[{"of":"gated"},{"of":"gated"}]})"), HasSubstr("listed twice"));
    EXPECT_THAT(refusal(R"({"controls":[{"off":"gated"}]})"), HasSubstr("a control needs \"of\""));
    EXPECT_THAT(refusal(R"({"controls":[{"of":"soap"}],"rows":[{"name":"base","spec":{}},
                            {"name":"soap","runs":{"tag":"soap"}}]})"),
                HasSubstr("the size of \"soap\" is unknown"));
}

TEST(Study, AControlInTimeStandsBesideNothingThatAsksForEqualSteps) {
    const auto with = [](const std::string& more) { return R"({"controls":[{"of":"gated","match":"time"}],)" + more + "}"; };
    EXPECT_EQ(study(with(R"("alpha":0.01)")).rows.back().name, "base matched to gated in time");
    EXPECT_EQ(refusal(with(R"("tuning":{"path":"train.lr","around":0.001})")), "accepted");
    EXPECT_THAT(refusal(with(R"("metric":{"value":"step 40"})")), HasSubstr("a value at a fixed step"));
    EXPECT_THAT(refusal(with(R"("tuning":{"path":"train.steps","values":[100,200]})")), HasSubstr("train.steps is tuned"));
    for (const char* path : {"train.batch.sentences", "train.accumulate", "dims.f", "variant.dims.layers_enc", "train.ema"})
        EXPECT_THAT(refusal(with(R"("tuning":{"path":")" + std::string(path) + R"(","values":[1,2]})")),
                    HasSubstr(std::string(path) + ", which is tuned, may change what a step takes"));
    for (const char* path : {"train.clip", "train.label_smoothing", "train.optimizer.weight_decay", "train.schedule.warmup"})
        EXPECT_EQ(refusal(with(R"("tuning":{"path":")" + std::string(path) + R"(","values":[1,2]})")), "accepted") << path;
    EXPECT_THAT(refusal(with(R"("tuning":{"kind":"random","trials":4,
                                "ranges":{"train.lr":{"from":0.0001,"to":0.01},"dims.max_len":{"from":8,"to":64}}})")),
                HasSubstr("dims.max_len, which is tuned"));
    EXPECT_THAT(refusal(with(R"("tuning":{"kind":"halving","trials":9,"rungs":[3,9],
                                "ranges":{"train.lr":{"from":0.0001,"to":0.01}}})")),
                HasSubstr("halving trains all rows for the same"));
}

TEST(Study, RowsOfExistingRunsAreComparedWithoutPairsUnlessTheStudySaysSo) {
    const char* rows = R"({"seeds":null,"rows":[{"name":"base","runs":{"group":"a"}},{"name":"soap","runs":{"group":"b"}}]})";
    EXPECT_EQ(study(rows).test, SeedTest::Welch);
    Json paired = Json::parse(rows);
    paired["test"] = "paired";
    EXPECT_EQ(study(paired.dump()).test, SeedTest::Paired);
    EXPECT_TRUE(study(rows).allSeeds().empty()) << "the seeds of the runs are used";
    EXPECT_THAT(refusal(R"({"rows":[{"name":"base","runs":{"group":"a"}},{"name":"soap","runs":{"group":"b"}}]})"),
                HasSubstr("\"seeds\" cannot be given if every row uses existing runs"));
    EXPECT_THAT(refusal(R"({"seeds":{"first":3},"rows":[{"name":"base","spec":{}},{"name":"soap","runs":{"group":"b"}}]})"),
                HasSubstr("a sequential study cannot have rows of existing runs"));
    EXPECT_THAT(refusal(R"({"rows":[{"name":"base","spec":{}},{"name":"soap","spec":{},"runs":{"group":"b"}}]})"),
                HasSubstr("a row cannot have both \"runs\" and \"spec\" | study.json, row 2"));
    EXPECT_THAT(refusal(R"({"rows":[{"name":"base","spec":{}},{"name":"soap","runs":{"tags":"b"}}]})"),
                HasSubstr("unknown key \"tags\" in \"runs\""));
    EXPECT_THAT(refusal(R"({"tuning":{"path":"train.lr","around":1},"seeds":null,"rows":[{"name":"base","runs":{"group":"a"}},
                            {"name":"soap","runs":{"group":"b"}}]})"),
                HasSubstr("every row uses existing runs"));

    StudyValues base = values({3.0, 3.1, 3.2, 3.05}), soap;
    base.isWhole = soap.isWhole = true;
    soap.values = {{11, 2.5}, {12, 2.62}, {13, 2.69}};
    const auto verdict = verdictOf(study(rows), {{"base", base}, {"soap", soap}});
    EXPECT_EQ(verdict.rows[0].difference.n, 3U) << "seeds need not be the same";
    EXPECT_EQ(verdict.rows[0].difference.nBaseline, 4U);
    EXPECT_EQ(verdict.rows[0].verdict, Verdict::Better);
    EXPECT_THAT(verdict.nextSeeds, IsEmpty());
}

TEST(ValueRules, ChooseAmongTheEvaluationsOfARun) {
    const std::vector<Evaluated> all{{100, 3.0}, {200, 1.0}, {300, 2.0}, {400, 2.5}};
    const auto value = [&](const char* rule, bool lower = true) { return valueBy(ValueRule::parse(rule, "here"), all, lower); };
    EXPECT_EQ(value("last"), 2.5);
    EXPECT_EQ(value("best"), 1.0);
    EXPECT_EQ(value("best", false), 3.0);
    EXPECT_EQ(value("step 300"), 2.0);
    EXPECT_EQ(value("step 250"), std::nullopt) << "not a neighbour's";
    EXPECT_EQ(value("mean of last 2"), 2.25);
    EXPECT_EQ(value("mean of last 5"), std::nullopt);
    EXPECT_EQ(valueBy({}, {}, true), std::nullopt);
    EXPECT_EQ(StudyMetric({"test", "loss", ValueRule::parse("average of last 5", ""), true}).recordedSplit(), "test-average-5");
    EXPECT_EQ(StudyMetric().recordedSplit(), "valid");
    for (const char* rule : {"best", "last", "step 300", "mean of last 2", "average of last 5"})
        EXPECT_EQ(ValueRule::parse(rule, "").text(), rule);
    for (const char* wrong : {"step 0", "step", "step 3x", "mean of last -1", ""})
        EXPECT_THROW(ValueRule::parse(wrong, "here"), Error) << wrong;
}

TEST(StudyVerdict, SaysOfEachVariantWhatIsShown) {
    const auto verdict = verdictOf(study(R"({"margin":0.3})"), {{"base", values({3.0, 3.1, 3.2, 3.05, 3.15})},
                                                                {"gated", values({2.5, 2.62, 2.69, 2.56, 2.66})},
                                                                {"control", values({3.02, 3.07, 3.21, 3.08, 3.12})}});
    ASSERT_EQ(verdict.rows.size(), 2U);
    EXPECT_EQ(verdict.rows[0].verdict, Verdict::Better);
    EXPECT_EQ(verdict.rows[0].decision, Decision::Shown);
    EXPECT_EQ(verdict.rows[1].verdict, Verdict::Equivalent);
    EXPECT_EQ(verdict.comparisons, 2U);
    EXPECT_GE(*verdict.rows[0].correctedP, *verdict.rows[0].difference.p) << "two comparisons";
    EXPECT_THAT(verdict.nextSeeds, IsEmpty());
}

TEST(StudyVerdict, ClaimsAreShownOrTheirOppositeOrNeither) {
    const Study claim = study(R"({"claim":{"row":"gated","verdict":"better"}})");
    const auto base = values({3.0, 3.1, 3.2, 3.05, 3.15});
    const auto claimed = [&](const StudyValues& gated) {
        return claimIn(claim, verdictOf(claim, {{"base", base}, {"gated", gated}}));
    };
    EXPECT_EQ(claimed(values({2.5, 2.62, 2.69, 2.56, 2.66})), 1);
    EXPECT_EQ(claimed(values({3.5, 3.62, 3.69, 3.56, 3.66})), -1);
    EXPECT_EQ(claimed(values({3.1, 3.0, 3.3, 2.95, 3.2})), 0);
    EXPECT_EQ(claimed({}), 0);
    EXPECT_EQ(claimIn(study(), verdictOf(study(), {})), 0);
}

TEST(StudyVerdict, AClaimOfEquivalenceHasAnOppositeOfItsOwn) {
    const Study claim = study(R"({"claim":{"row":"gated","verdict":"equivalent"},"margin":0.3,"family":"none"})");
    const auto base = values({3.0, 3.1, 3.2, 3.05, 3.15});
    const auto claimed = [&](const StudyValues& gated) {
        return claimIn(claim, verdictOf(claim, {{"base", base}, {"gated", gated}}));
    };
    EXPECT_EQ(claimed(values({2.9, 3.01, 3.1, 2.95, 3.06})), 1) << "better, and within the margin";
    EXPECT_EQ(claimed(values({2.5, 2.61, 2.7, 2.55, 2.66})), -1) << "the interval lies beyond the margin";
    EXPECT_EQ(claimed(values({2.7, 2.81, 2.9, 2.75, 2.86})), 0) << "better, but perhaps within the margin";
    const Study better = study(R"({"claim":{"row":"gated","verdict":"better"},"margin":0.5})");
    EXPECT_EQ(claimIn(better, verdictOf(better, {{"base", base}, {"gated", values({3.01, 3.09, 3.21, 3.04, 3.15})}})), 0)
        << "equivalent is not the opposite of better";
}

TEST(StudyVerdict, NothingIsClaimedOfAVariantWhoseRunsFailed) {
    const Study claim = study(R"({"claim":{"row":"gated","verdict":"better"}})");
    StudyValues gated = values({2.5, 2.62, 0, 2.56, 2.66});
    gated.values.erase(3);
    gated.leftOut = {{3, "failed", true}};
    const auto verdict = verdictOf(claim, {{"base", values({3.0, 3.1, 3.2, 3.05, 3.15})}, {"gated", gated}});
    EXPECT_EQ(verdict.rows[0].verdict, Verdict::Better);
    EXPECT_EQ(claimIn(claim, verdict), 0) << "it may have failed where it would have been bad";
}

TEST(StudyVerdict, EqualRunsEndAStudyThatGrows) {
    const Study looks =
        study(R"({"seeds":{"first":3,"last":6},"rows":[{"name":"base","spec":{}},{"name":"gated","spec":{}}]})");
    const auto verdict = verdictOf(looks, {{"base", values({1.0, 1.2, 0.9})}, {"gated", values({1.0, 1.2, 0.9})}});
    EXPECT_EQ(verdict.rows[0].decision, Decision::Over);
    EXPECT_EQ(verdict.rows[0].difference.whyNone, "all pairs are equal");
    EXPECT_THAT(verdict.nextSeeds, IsEmpty());
}

TEST(StudyVerdict, AsksForTheSeedsThatAreMissing) {
    const Study fixed = study();
    EXPECT_THAT(verdictOf(fixed, {}).nextSeeds, ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(
        verdictOf(fixed, {{"base", values({1, 2, 3})}, {"gated", values({2, 3})}, {"control", values({1, 2, 3})}}).nextSeeds,
        ElementsAre(3, 4, 5));
    const Study looks = study(R"({"seeds":{"first":3,"last":6}})");
    EXPECT_THAT(verdictOf(looks, {}).nextSeeds, ElementsAre(1, 2, 3));
    const auto same = values({1.0, 1.2, 0.9}), near = values({1.1, 1.15, 0.8});
    EXPECT_THAT(verdictOf(looks, {{"base", same}, {"gated", near}, {"control", near}}).nextSeeds, ElementsAre(4));
}

TEST(StudyVerdict, FixedSeedsAreNotPeekedAt) {
    const auto early = verdictOf(study(), {{"base", values({3.0, 3.1, 3.2})}, {"gated", values({2.5, 2.62, 2.69})}});
    EXPECT_LT(*early.rows[0].correctedP, 0.05);
    EXPECT_FALSE(early.rows[0].isLookedAt);
    EXPECT_EQ(early.rows[0].verdict, Verdict::NotShown) << "two of five seeds are still to come";
    EXPECT_EQ(early.rows[0].decision, Decision::Open);
}

TEST(StudyVerdict, ARowThatIsNotLookedAtDecidesNothing) {
    const auto base = values({3.0, 3.1, 3.2, 3.05, 3.15}), gated = values({2.9, 3.05, 3.08, 2.97, 3.06});
    const auto alone = verdictOf(study(), {{"base", base}, {"gated", gated}});
    const auto beside = verdictOf(study(), {{"base", base}, {"gated", gated}, {"control", values({2.0, 2.1, 2.201})}});
    ASSERT_LT(*beside.rows[1].difference.p, *beside.rows[0].difference.p) << "it would have the first rank";
    EXPECT_FALSE(beside.rows[1].isLookedAt);
    EXPECT_EQ(beside.rows[0].correctedP, alone.rows[0].correctedP);
    EXPECT_DOUBLE_EQ(*beside.rows[0].correctedP, 2 * *beside.rows[0].difference.p);
    EXPECT_DOUBLE_EQ(*beside.rows[1].correctedP, 2 * *beside.rows[1].difference.p) << "of the family, without a rank";
}

TEST(StudyVerdict, ARunWithoutAValueIsNamedAndHidesNoOther) {
    StudyValues gated = values({2.5, 2.62, 0, 2.56, 2.66});
    gated.values.erase(3);
    gated.leftOut = {{3, "failed at step 40", true}};
    const auto verdict = verdictOf(study(), {{"base", values({3.0, 3.1, 3.2, 3.05, 3.15})}, {"gated", gated}});
    EXPECT_EQ(verdict.rows[0].difference.n, 4U);
    EXPECT_THAT(verdict.rows[0].leftOut, ElementsAre(LeftOutRun{3, "failed at step 40", true}));
    EXPECT_THAT(verdict.rows[0].difference.alone, ElementsAre(3));
    EXPECT_EQ(verdict.rows[0].decision, Decision::Shown) << "nobody waits for what has failed";
}

TEST(StudyVerdict, ASeedOutOfTurnIsNotLookedAt) {
    const Study looks =
        study(R"({"seeds":{"first":3,"last":6},"rows":[{"name":"base","spec":{}},{"name":"gated","spec":{}}]})");
    StudyValues lucky = values({1.0, 1.1, 0.9});
    lucky.values[6] = -50;
    const auto verdict = verdictOf(looks, {{"base", values({1.02, 1.08, 0.95})}, {"gated", lucky}});
    EXPECT_EQ(verdict.rows[0].difference.n, 3U) << "seeds are taken in their order";
    EXPECT_THAT(verdict.nextSeeds, ElementsAre(4));
}

TEST(StudyVerdict, AFamilyOfTwentyKeepsItsErrorRate) {
    Json rows = Json::array();
    for (int i = 0; i < 21; ++i) rows.push_back({{"name", "v" + std::to_string(i)}, {"spec", Json::object()}});
    const Study family =
        study(Json{{"rows", rows}, {"baseline", "v0"}, {"seeds", {1, 2, 3, 4, 5, 6}}, {"test", "welch"}}.dump());
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    int wrong = 0;
    constexpr int kStudies = 2'000;
    for (int i = 0; i < kStudies; ++i) {
        std::map<std::string, StudyValues> all;
        for (int row = 0; row < 21; ++row)
            for (std::uint64_t seed = 1; seed <= 6; ++seed) all["v" + std::to_string(row)].values[seed] = normal(random);
        const auto verdict = verdictOf(family, all);
        wrong += std::any_of(verdict.rows.begin(), verdict.rows.end(),
                             [](const RowVerdict& row) { return row.verdict != Verdict::NotShown; });
    }
    EXPECT_LT(double(wrong) / kStudies, 0.056) << "at most, since all are compared with one baseline";
}

/// Share of `studies` without a true difference that show one, or equivalence, of some row. Values are normal; `shift`: of the
/// variants, in the direction of worse.
template <class Wrong>
double wrongShare(const Study& study, int studies, double shift, Wrong isWrong) {
    std::mt19937_64 random(29);
    std::normal_distribution<double> normal;
    const std::vector<std::uint64_t> seeds = study.allSeeds();
    int wrong = 0;
    for (int i = 0; i < studies; ++i) {
        std::map<std::string, StudyValues> all;
        for (const PlanRow& row : study.rows)
            for (const std::uint64_t seed : seeds)
                all[row.name].values[seed] = normal(random) + (row.name == study.baseline ? 0 : shift);
        std::map<std::string, StudyValues> known;
        StudyVerdict verdict = verdictOf(study, known);
        while (!verdict.nextSeeds.empty()) {
            std::set<std::string> trained{study.baseline};
            for (const RowVerdict& row : verdict.rows)
                if (row.decision == Decision::Open) trained.insert(row.name);
            for (const std::string& name : trained)
                for (const std::uint64_t seed : verdict.nextSeeds) known[name].values[seed] = all[name].values.at(seed);
            verdict = verdictOf(study, known);
        }
        wrong += std::any_of(verdict.rows.begin(), verdict.rows.end(), isWrong);
    }
    return double(wrong) / studies;
}

Study familyOf(int variants, const std::string& changes) {
    Json rows = Json::array();
    for (int i = 0; i <= variants; ++i) rows.push_back({{"name", "v" + std::to_string(i)}, {"spec", Json::object()}});
    Json all = Json::parse(changes);
    all["rows"] = rows;
    all["baseline"] = "v0";
    return study(all.dump());
}

TEST(StudyVerdict, AFamilyThatIsLookedAtAgainAndAgainKeepsItsErrorRate) {
    const double share = wrongShare(familyOf(5, R"({"seeds":{"first":3,"last":8}})"), 1'500, 0,
                                    [](const RowVerdict& row) { return row.verdict != Verdict::NotShown; });
    EXPECT_LT(share, 0.057) << "at most 5 %: all are compared with one baseline";
    EXPECT_GT(share, 0.02);
}

TEST(StudyVerdict, EquivalenceOfAFamilyIsCorrected) {
    const double share = wrongShare(familyOf(5, R"({"seeds":[1,2,3,4,5,6],"margin":1.5})"), 3'000, 1.5,
                                    [](const RowVerdict& row) { return row.verdict == Verdict::Equivalent; });
    EXPECT_LT(share, 0.057) << "of variants that differ by the margin";
}

TEST(StudyVerdict, WhatIsHopelessEndsEarly) {
    const Study looks =
        study(R"({"seeds":{"first":3,"last":6},"margin":0.5,"rows":[{"name":"base","spec":{}},{"name":"gated","spec":{}}]})");
    const auto noisy = verdictOf(looks, {{"base", values({1.0, 5.0, -3.0, 2.0})}, {"gated", values({-4.0, 6.5, 1.0, -2.0})}});
    EXPECT_EQ(noisy.rows[0].decision, Decision::Hopeless);
    EXPECT_THAT(noisy.nextSeeds, IsEmpty());
}

}  // namespace
}  // namespace heddle
