// SPDX-License-Identifier: Apache-2.0
#include "app/study/verdict_words.h"

#include "app/cli/study_report.h"
#include "app/study/verdict_notes.h"
#include "tests/unit/app/study/small_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(VerdictWords, TellARowWithItsNumbers) {
    const StudyReport report = smallReport();
    EXPECT_EQ(rowSentence(report.study, report.verdict, report.verdict.rows[0]),
              "better: −0.4933 [−0.5220, −0.4646], p 0.0002, 3 pairs, ρ 1.00");
    EXPECT_THAT(pairWords(report.verdict.rows[0]), AllOf(HasSubstr("by 1.00"), HasSubstr("at least 0.25")));
    EXPECT_THAT(leftOutWords(report.study, report.verdict), IsEmpty());
}

TEST(VerdictWords, SayHowManyFailedAndWhatIsLeftOut) {
    StudyReport report = smallReport();
    report.verdict.baselineLeftOut = {{4, "failed", true}};
    report.verdict.rows[0].leftOut = {{4, "was trained on other data", false}};
    EXPECT_EQ(rowWords(report.study, report.verdict, report.verdict.rows[0]), "better, of the runs that ended (1 failed)");
    EXPECT_EQ(leftOutWords(report.study, report.verdict),
              (std::vector<std::string>{"base, seed 4: failed", "gated, seed 4: was trained on other data"}));
}

TEST(VerdictWords, NotShownNamesWhatSoManySeedsWouldHaveShown) {
    const StudyReport report = smallReport("base", "gated", 2.0);  // one seed of three is far off
    EXPECT_THAT(rowWords(report.study, report.verdict, report.verdict.rows[0]),
                AllOf(StartsWith("no difference shown (3 seeds would show "), HasSubstr("in 80 % of such studies)")));
}

TEST(VerdictWords, NoNumberIsNotedBeforeTheStudyMayLook) {
    StudyReport report = smallReport();
    std::map<std::string, StudyValues> values;
    for (const char* row : {"base", "gated"}) values[row].values = {{1, 2.0}, {2, 1.0}};
    report.verdict = verdictOf(report.study, values);
    const NumberNotes notes = numberNotes(report.study, report.verdict, report.verdict.rows[0]);
    EXPECT_EQ(notes.difference + notes.interval + notes.p + notes.correlation + notes.signFlip + notes.smallest, "");
    EXPECT_EQ(rowSentence(report.study, report.verdict, report.verdict.rows[0]), "open until seed 3 is there");
}

TEST(VerdictWords, TellTheExactRankTestBesideTheOneThatDecides) {
    // scipy 1.17: wilcoxon([1.5, 1.7, 1.92], [2.0, 2.2, 2.4], method="exact"), mannwhitneyu of the same
    StudyReport report = smallReport();
    Json ranks = verdictDocument(report.study, report.verdict).at("rows").at(0).at("ranks");
    EXPECT_NEAR(ranks.at("median").get<double>(), -0.5, 1e-12);
    EXPECT_NEAR(ranks.at("p").get<double>(), 0.25, 1e-12);
    EXPECT_EQ(ranks.at("least"), 0.25);
    EXPECT_EQ(ranks.at("test"), "signed_rank");
    EXPECT_THAT(numberNotes(report.study, report.verdict, report.verdict.rows[0]).ranks,
                AllOf(HasSubstr("Wilcoxon"), HasSubstr("−0.5000"), HasSubstr("p 0.25"), HasSubstr("does not decide")));
    report.study.test = SeedTest::Welch;
    std::map<std::string, StudyValues> values;
    values["base"].values = {{1, 2.0}, {2, 2.2}, {3, 2.4}};
    values["gated"].values = {{1, 1.5}, {2, 1.7}};
    report.verdict = verdictOf(report.study, values);
    EXPECT_FALSE(verdictDocument(report.study, report.verdict).at("rows").at(0).contains("ranks")) << "before the look";
    values["gated"].values[3] = 1.92;
    report.verdict = verdictOf(report.study, values);
    ranks = verdictDocument(report.study, report.verdict).at("rows").at(0).at("ranks");
    EXPECT_NEAR(ranks.at("p").get<double>(), 0.1, 1e-12);
    EXPECT_EQ(ranks.at("test"), "rank_sum");
}

TEST(VerdictText, IsFiveLinesForTwoVariantsAndATableForMany) {
    StudyReport report = smallReport();
    report.study.rows.push_back({"control", report.study.rows[0].spec});
    std::map<std::string, StudyValues> values;
    values["base"].values = {{1, 2.0}, {2, 2.2}, {3, 2.4}};
    values["gated"].values = {{1, 1.5}, {2, 1.7}, {3, 1.9}};
    values["control"].values = {{1, 2.1}, {2, 2.1}, {3, 2.5}};
    const std::string text = verdictText(report.study, verdictOf(report.study, values));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5) << text;
    EXPECT_THAT(text, AllOf(StartsWith("Do gates help? (valid loss, last; lower is better)\nbase: 2.2000 ± 0.2000 (3)"),
                            HasSubstr("\ncontrol: no difference shown"), HasSubstr("p of 2 comparisons by Holm"),
                            HasSubstr("not other test items"), Not(HasSubstr("left out"))));
    for (const char* row : {"x", "y"}) report.study.rows.push_back({row, report.study.rows[0].spec});
    EXPECT_THAT(verdictText(report.study, verdictOf(report.study, values)), HasSubstr("difference"));
    report.study.question = "\x1b[2J\nx";
    EXPECT_THAT(verdictText(report.study, verdictOf(report.study, values)), StartsWith("\\x1B[2J\\x0Ax ("));
}

}  // namespace
}  // namespace heddle::app
