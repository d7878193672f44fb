// SPDX-License-Identifier: Apache-2.0
// A study whose runs have outputs in files: what its verdict and report say over seeds and test items together.
#include "app/study/item_differences.h"

#include "app/cli/study_report.h"
#include "app/study/report_folder.h"
#include "app/study/report_referees.h"
#include "app/study/verdict_notes.h"
#include "app/study/verdict_words.h"
#include "tests/unit/app/study/recorded_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kItems = 40;

/// Whether a run of the gated or of the other row answers an item correctly.
bool isRight(bool isGated, std::size_t seed, std::size_t item) {
    const bool isEasy = (item * item * 3 + item * 7) % 11 < (isGated ? 7U : 4U);
    return isEasy != ((item + seed * 13 + (isGated ? 0 : 5)) % (7 + seed) == 0);
}

class ItemDifferences : public testing::Test, protected RecordedRuns {
protected:
    ItemDifferences() {
        std::filesystem::create_directories(folder_ / "outputs");
        for (const std::uint64_t seed : {1, 2, 3}) addRun("base", 0.001, seed);
        for (const std::uint64_t seed : {1, 2, 3}) addRun("gated", 0.002, seed);
    }
    std::string outputsOf(const std::string& row, std::uint64_t seed) const {
        return folder_ / fmt::format("outputs/{}-{}.tsv", row, seed);
    }
    void addRun(const std::string& row, double rate, std::uint64_t seed) {
        RunSpec spec = smallSpec("run", 40);
        spec.train.lr = rate;
        const bool isGated = row != "base";
        const std::string id = record(seeded(spec, seed), {"completed", {}, "hash " + row, "", 1.0});
        std::ofstream table(outputsOf(row, seed));
        table << "example\ttext\tlabel\tprediction\tp:no\tp:yes\n";
        std::size_t right = 0;
        for (std::size_t i = 0; i < kItems; ++i) {
            right += isRight(isGated, seed, i) ? 1 : 0;
            table << i + 1 << "\ta\tyes\t" << (isRight(isGated, seed, i) ? "yes" : "no") << "\t0.5\t0.5\n";
        }
        const auto store = storage::RunStore::open(file_, {"test", 0});
        store->add(storage::EvaluationRecord{id, 1, 40, 0, "valid", "accuracy", "", double(right) / kItems, kItems, 0});
    }
    static Json row(const char* name, double rate) {
        return {{"name", name}, {"spec", smallSpec("", 40).toJson()}, {"set", {fmt::format("train.lr={}", rate)}}};
    }
    StudyRuns refreshed(const Json& changes = {{"outputs", "outputs"}}) {
        Json study{{"schema", "heddle.study/1"},
                   {"rows", {row("base", 0.001), row("gated", 0.002)}},
                   {"metric", {{"split", "valid"}, {"name", "accuracy"}, {"value", "last"}, {"better", "higher"}}},
                   {"seeds", {1, 2, 3}}};
        study.merge_patch(changes);
        StudyRuns runs(Study::parse(study, "study.json"), folder_ / "study.json", "");
        runs.refresh(*query(), file_);
        return runs;
    }
    StudyReport reportOf(const StudyRuns& runs) { return studyReport(runs, runs.toldVerdict(*query()), *query()); }
    std::string whyNone(const Json& changes = {{"outputs", "outputs"}}) {
        return refreshed(changes).toldVerdict(*query()).items.at("gated").whyNone;
    }
};

// The formulas in tests/oracle/comparisons_oracle.py (two_levels, paired) give these numbers for isRight().
TEST_F(ItemDifferences, AreThoseOfTheAnalysisOfVariance) {
    const StudyRuns runs = refreshed();
    const StudyVerdict told = runs.toldVerdict(*query());
    const TwoLevelDifference& items = told.items.at("gated");
    ASSERT_TRUE(items.interval) << items.whyNone;
    EXPECT_NEAR(items.difference, 0.23333333333333334, 1e-9);
    EXPECT_NEAR(items.seedError, 0.05464532103585001, 1e-9);
    EXPECT_NEAR(items.itemError, 0.06979824404521126, 1e-9);
    EXPECT_NEAR(items.interval->low, 0.0531048139, 1e-6);
    EXPECT_NEAR(items.interval->high, 0.4135618527, 1e-6);
    EXPECT_NEAR(*items.p, 0.0167370011, 1e-6);
    EXPECT_EQ(items.n, 3U);
    EXPECT_EQ(items.items, kItems);
    EXPECT_THAT(itemsWords(told, told.rows[0]), HasSubstr("3 pairs, 40 items"));
}

TEST_F(ItemDifferences, StandInEveryFormOfTheReport) {
    const StudyRuns runs = refreshed();
    const StudyReport report = reportOf(runs);
    const std::string words = itemsWords(report.verdict, report.verdict.rows[0]);
    const std::string interval = intervalText(*report.verdict.items.at("gated").interval);
    const auto files = reportFiles(report);
    EXPECT_THAT(files.at("report.html"), AllOf(HasSubstr(words), HasSubstr("Hillis 2007")));
    EXPECT_THAT(files.at("table.md"), AllOf(HasSubstr(interval + " (3, 40)"), HasSubstr("other test items of the same kind")));
    EXPECT_THAT(files.at("table.csv"), HasSubstr("(3, 40)"));
    EXPECT_THAT(files.at("table.tex"), HasSubstr("(3, 40)"));
    EXPECT_THAT(verdictText(report.study, report.verdict), HasSubstr("gated, seeds and test items together: " + words));
    const Json row = verdictDocument(report.study, report.verdict).at("rows").at(0).at("items");
    EXPECT_EQ(row.at("items"), kItems);
    EXPECT_EQ(row.at("interval").size(), 2U);
    std::string answers;
    for (const RefereeList& list : refereeAnswers(report))
        for (const RefereeAnswer& one : list.answers) answers += one.answer + "\n";
    EXPECT_THAT(answers, AllOf(HasSubstr("capture other test items"), HasSubstr("Hillis 2007")));
    EXPECT_THAT(report.notDone, Not(Contains(HasSubstr("test items together was not computed"))));
}

TEST_F(ItemDifferences, TellWhyTheyAreNotComputed) {
    EXPECT_THAT(whyNone({{"outputs", "outputs"}, {"metric", {{"name", "loss"}, {"better", "lower"}}}}),
                HasSubstr("loss cannot be computed from outputs"));
    std::filesystem::rename(outputsOf("gated", 1), outputsOf("gated", 3));  // the file of another seed, and one is missing
    EXPECT_THAT(whyNone(), AllOf(HasSubstr("gated-1.tsv"), HasSubstr("the file is missing")));
    std::filesystem::copy(outputsOf("gated", 3), outputsOf("gated", 1));
    EXPECT_THAT(whyNone(), AllOf(HasSubstr("gated-3.tsv"), HasSubstr("but the run has")));
    const StudyReport report = reportOf(refreshed());
    EXPECT_THAT(report.notDone, Contains(HasSubstr("gated-3.tsv")));
    EXPECT_THAT(reportFiles(report).at("table.md"), HasSubstr("not computed"));
    EXPECT_TRUE(verdictDocument(report.study, report.verdict).at("rows").at(0).at("items").at("interval").is_null());
}

TEST_F(ItemDifferences, AStudyWithoutOutputsHasNone) {
    const StudyRuns runs = refreshed(Json::object());
    const StudyVerdict told = runs.toldVerdict(*query());
    EXPECT_TRUE(told.items.empty());
    EXPECT_FALSE(verdictDocument(runs.study(), told).at("rows").at(0).contains("items"));
    EXPECT_THAT(itemsTestWords(runs.study(), told), HasSubstr("names no folder with the outputs"));
    EXPECT_THAT(reportOf(refreshed(Json::object())).notDone, Contains(HasSubstr("names no folder with the outputs")));
}

TEST_F(ItemDifferences, ABaselineWithoutItsOutputsIsToldToEveryVariant) {
    for (const std::uint64_t seed : {1, 2, 3}) addRun("other", 0.003, seed);
    std::filesystem::remove(outputsOf("base", 1));
    const Json rows{row("base", 0.001), row("gated", 0.002), row("other", 0.003)};
    const StudyVerdict told = refreshed({{"outputs", "outputs"}, {"rows", rows}}).toldVerdict(*query());
    for (const char* variant : {"gated", "other"}) {
        ASSERT_TRUE(told.items.contains(variant));
        EXPECT_THAT(told.items.at(variant).whyNone, AllOf(HasSubstr("base-1.tsv"), HasSubstr("the file is missing")))
            << variant;
    }
}

TEST_F(ItemDifferences, WhereTheOutputsAreIsNoPartOfTheQuestion) {
    const AskedStudy before = refreshed(Json::object()).askedAt(1000), now = refreshed().askedAt(2000);
    EXPECT_TRUE(askedAgain(before, now).changes.empty());
}

}  // namespace
}  // namespace heddle::app
