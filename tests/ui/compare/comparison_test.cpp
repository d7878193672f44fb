// SPDX-License-Identifier: GPL-3.0-or-later
// Groups beside a baseline: the numbers are those of scipy (tests/oracle/groups_oracle.py).
#include "tests/ui/compare/facts.h"
#include "ui/data/study_comparison.h"
#include "ui/data/study_detail.h"
#include "ui/panels/table/arrangement.h"
#include "ui/panels/table/compared_cells.h"

#include <gtest/gtest.h>

#include <fstream>

namespace heddle::ui::test {
namespace {

const Json& cases() {
    static const Json all = [] {
        std::ifstream stream(HEDDLE_SOURCE_DIR "/tests/ui/compare/compare_cases.json");
        return Json::parse(stream);
    }();
    return all;
}

/// A run whose last valid loss is `value`.
RunPointer runOf(const std::string& group, std::uint64_t seed, double value, const std::string& state = "completed") {
    RunPointer run = factsOf({group + std::to_string(seed), group, group, state, seed, value});
    change(run, [&](RunFacts& facts) {
        facts.evaluations["valid.loss"] = {{100, value + 1}, {300, value}};
        if (state != "completed") facts.evaluations.clear();
    });
    return run;
}

RunTable pageOf(const Json& page) {
    RunTable table;
    for (const auto& [group, told] : page.at("groups").items())
        for (const auto& [seed, value] : told.at("values").items())
            table.runs.push_back(runOf(group, std::stoull(seed), value.get<double>()));
    table.metrics = {"valid.loss"};
    table.total = std::int64_t(table.runs.size());
    return table;
}

StudyQuestion question(const std::string& baseline = "base") {
    StudyQuestion asked;
    asked.baseline = baseline;
    return asked;
}

TEST(CompareGroups, ValuesDifferencesAndNoiseAreThoseOfScipy) {
    for (const Json& page : cases().at("pages")) {
        const StudyComparison comparison = compareGroups(pageOf(page), question());
        EXPECT_EQ(comparison.comparisons(), 3U) << "a single run makes no comparison";
        ASSERT_TRUE(comparison.noiseReach);
        EXPECT_NEAR(*comparison.noiseReach, page.at("noise").get<double>(), 1e-9);
        for (const auto& [key, told] : page.at("groups").items()) {
            const ComparedGroup* group = comparison.group(key);
            ASSERT_TRUE(group && group->spread) << key;
            EXPECT_NEAR(group->spread->mean, told.at("mean").get<double>(), 1e-12);
            if (told.contains("difference")) {
                ASSERT_TRUE(group->verdict && group->difference && group->verdict->correctedP) << key;
                EXPECT_EQ(group->test == SeedTest::Paired, told.at("test") == "paired") << key;
                EXPECT_NEAR(*group->difference, told.at("difference").get<double>(), 1e-12);
                EXPECT_NEAR(*group->verdict->correctedP, told.at("p").get<double>(), 1e-9) << key;
                EXPECT_NEAR(group->verdict->difference.interval->low, told.at("low").get<double>(), 1e-9) << key;
                EXPECT_NEAR(group->verdict->difference.interval->high, told.at("high").get<double>(), 1e-9) << key;
            } else {
                EXPECT_FALSE(group->verdict) << key;
            }
        }
        EXPECT_EQ(comparison.group("alone")->whyNone, "too few seeds (1)");
        EXPECT_FALSE(comparison.isAsked);
    }
}

TEST(CompareGroups, ARunDiffersFromTheBaselinesRunOfItsSeed) {
    const Json& page = cases().at("pages").at(0);
    const StudyComparison comparison = compareGroups(pageOf(page), question());
    const auto& values = page.at("groups");
    const auto at = [&](const char* group, const char* seed) { return values.at(group).at("values").at(seed).get<double>(); };
    const ComparedGroup& baseline = *comparison.baselineGroup();
    EXPECT_NEAR(*comparison.group("paired")->differenceOf(2, baseline), at("paired", "2") - at("base", "2"), 1e-12);
    EXPECT_NEAR(*comparison.group("apart")->differenceOf(12, baseline),
                at("apart", "12") - values.at("base").at("mean").get<double>(), 1e-12)
        << "without pairs from the baseline's mean";
    EXPECT_FALSE(comparison.group("paired")->differenceOf(99, baseline));
}

TEST(CompareGroups, TheRuleOfValueChoosesTheEvaluation) {
    const RunTable table = pageOf(cases().at("pages").at(0));
    const double last = compareGroups(table, question()).group("paired")->spread->mean;
    StudyQuestion asked = question();
    asked.metric.rule = ValueRule::parse("step 100", "");
    EXPECT_NEAR(compareGroups(table, asked).group("paired")->spread->mean, last + 1, 1e-12);
    asked.metric.rule = ValueRule::parse("mean of last 2", "");
    EXPECT_NEAR(compareGroups(table, asked).group("paired")->spread->mean, last + 0.5, 1e-12);
    asked.metric.rule = ValueRule::parse("step 200", "");
    const StudyComparison none = compareGroups(table, asked);
    EXPECT_TRUE(none.group("paired")->values.empty());
    EXPECT_EQ(none.group("paired")->leftOut.size(), 5U) << "each run, with the reason";
}

TEST(CompareGroups, WhatIsLeftOutIsNamedAndChangesNoNumber) {
    RunTable table = pageOf(cases().at("pages").at(0));
    const StudyComparison before = compareGroups(table, question());
    RunPointer changed = runOf("paired", 7, 0.1), other = runOf("paired", 8, 0.1);
    change(changed, [](RunFacts& facts) { facts.record.intervened = 40; });
    change(other, [](RunFacts& facts) { facts.metrics["valid.loss"].n = 3; });
    RunPointer older = runOf("paired", 1, 0.1);
    change(older, [](RunFacts& facts) {
        facts.record.id = facts.record.ref.id = "older";
        facts.record.created -= 100;
    });
    for (const RunPointer& run : {changed, other, older, runOf("paired", 9, 0, "running"), runOf("paired", 10, 0, "failed")})
        table.runs.push_back(run);
    const StudyComparison after = compareGroups(table, question());
    const ComparedGroup &group = *after.group("paired"), &was = *before.group("paired");
    EXPECT_EQ(group.values, was.values);
    EXPECT_EQ(group.verdict->correctedP, was.verdict->correctedP);
    EXPECT_EQ(group.available, 9U);
    std::map<std::string, const LeftOutOfGroup*> left;
    for (const LeftOutOfGroup& one : group.leftOut) left[one.run.id] = &one;
    ASSERT_EQ(left.size(), 5U);
    EXPECT_TRUE(left.at("paired7")->isUnlike);
    EXPECT_TRUE(left.at("paired8")->isUnlike);
    EXPECT_TRUE(left.contains("older"));
    EXPECT_FALSE(left.at("paired9")->hasFailed);
    EXPECT_TRUE(left.at("paired10")->hasFailed);
}

TEST(CompareGroups, AGroupOfAnotherTestSetIsNoneOfTheFamily) {
    RunTable table = pageOf(cases().at("pages").at(0));
    for (RunPointer& run : table.runs)
        if (run->record.groupKey == "fewer") change(run, [](RunFacts& facts) { facts.metrics["valid.loss"].n = 3; });
    const StudyComparison comparison = compareGroups(table, question());
    EXPECT_EQ(comparison.comparisons(), 2U);
    EXPECT_FALSE(comparison.group("fewer")->difference);
    EXPECT_EQ(comparison.group("fewer")->whyNone, "not comparable: n differs");
    EXPECT_TRUE(comparison.group("fewer")->spread) << "its own value stays";
}

TEST(CompareGroups, WithoutAPinTheOldestGroupWithValuesIsTheBaseline) {
    RunTable table;
    table.runs = {runOf("waits", 1, 0, "queued"), runOf("old", 2, 1.0), runOf("new", 3, 2.0)};
    EXPECT_EQ(compareGroups(table, question("")).baseline, "old");
    EXPECT_EQ(compareGroups(table, question("gone")).baseline, "old");
    EXPECT_EQ(compareGroups(table, question("new")).baseline, "new");
    EXPECT_EQ(compareGroups(RunTable{}, question("")).baseline, "");
}

TEST(CompareGroups, TheFilterHidesRowsAndChangesNoNumber) {
    const RunTable table = pageOf(cases().at("pages").at(0));
    ArrangeOptions options;
    options.columns = defaultColumns();
    options.comparison = std::make_shared<const StudyComparison>(compareGroups(table, question()));
    const Arrangement all = arrange(table, options);
    options.filter = text("seed<=2");
    const Arrangement some = arrange(table, options);
    EXPECT_LT(some.shown, all.shown);
    const auto groupIn = [](const Arrangement& arrangement, const std::string& key) -> const RunGroup& {
        return *std::find_if(arrangement.groups.begin(), arrangement.groups.end(), [&](const auto& g) { return g.key == key; });
    };
    const RunGroup &before = groupIn(all, "paired"), &after = groupIn(some, "paired");
    EXPECT_EQ(before.rows.size(), 5U);
    EXPECT_EQ(after.rows.size(), 2U);
    EXPECT_EQ(after.sums->completed, before.sums->completed);
    for (std::size_t i = 1; i < before.sums->cells.size(); ++i) {
        EXPECT_EQ(compareCells(before.sums->cells[i], after.sums->cells[i]), 0) << i;
        EXPECT_EQ(before.sums->spreads[i] ? before.sums->spreads[i]->mean : 0,
                  after.sums->spreads[i] ? after.sums->spreads[i]->mean : 0)
            << i;
    }
}

TEST(CompareGroups, WhatSoManySeedsWouldShowIsOfTheTestsOwnScatter) {
    const StudyComparison comparison = compareGroups(pageOf(cases().at("pages").at(0)), question());
    const ComparedGroup& group = *comparison.group("paired");
    const auto sizes = detectable(comparison, group);
    ASSERT_EQ(sizes.size(), 6U);
    EXPECT_EQ(sizes.front().first, 3U);
    const auto now = std::find_if(sizes.begin(), sizes.end(), [](const auto& one) { return one.first == 5; });
    EXPECT_NEAR(now->second, *smallestShown(group.verdict->difference, 0.05 / 3, 0.8), 1e-9) << "with the seeds that are there";
    EXPECT_GT(sizes.front().second, sizes.back().second);
    EXPECT_TRUE(detectable(comparison, *comparison.group("alone")).empty());
}

TEST(ComparedCells, IntervalsOfRunsAndGroupsHaveOneScale) {
    const RunTable table = pageOf(cases().at("pages").at(0));
    const StudyComparison comparison = compareGroups(table, question());
    const ComparedGroup& group = *comparison.group("paired");
    const IntervalGlyph ofGroup = glyphOf(comparison, group), ofBaseline = glyphOf(comparison, *comparison.baselineGroup());
    EXPECT_EQ(ofGroup.reach, ofBaseline.reach);
    EXPECT_FALSE(ofBaseline.difference);
    EXPECT_EQ(ofGroup.interval, group.verdict->difference.interval);
    const auto run =
        std::find_if(table.runs.begin(), table.runs.end(), [](const auto& one) { return one->record.id == "paired2"; });
    const IntervalGlyph ofRun = glyphOf(comparison, group, run->get());
    EXPECT_FALSE(ofRun.isGroup);
    EXPECT_EQ(ofRun.difference, group.differenceOf(2, *comparison.baselineGroup()));
}

}  // namespace
}  // namespace heddle::ui::test
