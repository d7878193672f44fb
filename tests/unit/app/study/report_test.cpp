// SPDX-License-Identifier: Apache-2.0
// What the writers make of a report, and what a folder of it holds.
#include "app/study/report.h"

#include "app/study/report_figures.h"
#include "app/study/report_folder.h"
#include "app/study/report_referees.h"
#include "app/study/report_tables.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/temporary_folder.h"
#include "tests/unit/app/study/small_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostileMarkup = "<script>alert(1)</script>\"'&";
constexpr const char* kFormula = "=HYPERLINK(\"x\")_{50%}$\\input{x}";

TEST(ReportHtml, StandsAloneAndTellsEveryNumber) {
    const std::string html = reportHtml(smallReport());
    EXPECT_THAT(html,
                AllOf(HasSubstr("<title>Do gates help?</title>"), HasSubstr("gated</strong>: better"),
                      HasSubstr("prefers-color-scheme: dark"), HasSubstr("@media print"), HasSubstr("<svg"),
                      HasSubstr("role=\"img\""), HasSubstr("<desc>"), HasSubstr("scope=\"col\""), HasSubstr("scope=\"row\"")));
    EXPECT_THAT(html,
                AllOf(HasSubstr("title=\"By Student&#39;s t of the differences of pairs"), HasSubstr("title=\"Two-sided p"),
                      HasSubstr("about normally distributed"), HasSubstr("not other test items")));
    EXPECT_THAT(html, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<link")), Not(HasSubstr("<img")),
                            Not(HasSubstr("@import")), Not(HasSubstr("url("))));
    const std::regex address("https?://[^\"]*");
    std::set<std::string> addresses;
    for (std::sregex_iterator found(html.begin(), html.end(), address), end; found != end; ++found)
        addresses.insert(found->str());
    EXPECT_EQ(addresses, std::set<std::string>{"http://www.w3.org/2000/svg"}) << "the name of SVG, which nothing fetches";
}

TEST(ReportHtml, SaysThatRowsOfExistingRunsNeedThoseRuns) {
    StudyReport report = smallReport();
    EXPECT_THAT(reportHtml(report), Not(HasSubstr("runs import")));
    report.study.existing["gated"] = {ExistingRuns::By::Group, {"soap"}};
    EXPECT_THAT(reportHtml(report), HasSubstr("<p>Rows of existing runs need those runs: import them into again.heddle first "
                                              "(heddle runs import).</p>\n</main>"));
}

TEST(ReportHtml, EscapesWhatAStrangerWrote) {
    StudyReport report = smallReport("base", kHostileMarkup);
    report.study.question = kHostileMarkup;
    report.runs.back().attempts[0].host = kHostileMarkup;
    report.verdict.rows[0].leftOut = {{9, kHostileMarkup, true}};
    report.notDone = {kHostileMarkup};
    const std::string html = reportHtml(report);
    EXPECT_THAT(html, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("</script")), HasSubstr("&lt;script&gt;alert(1)")));
    for (const ReportFigure& figure : reportFigures(report)) EXPECT_THAT(figure.svg, Not(HasSubstr("<script"))) << figure.file;
}

TEST(ReportTables, EscapeForEveryFormat) {
    const ExportedTable table = verdictTable(smallReport("base", kFormula));
    EXPECT_THAT(tableText(table, TableFormat::Csv), HasSubstr("\n\"'=HYPERLINK(\"\"x\"\")"));
    EXPECT_THAT(tableText(table, TableFormat::Latex), AllOf(HasSubstr("\\_\\{50\\%\\}\\$\\textbackslash{}input\\{x\\}"),
                                                            HasSubstr("\\toprule"), HasSubstr("$\\pm$")));
    EXPECT_THAT(tableText(verdictTable(smallReport("base", kHostileMarkup)), TableFormat::Markdown), Not(HasSubstr("<script")));
}

TEST(ReportTables, HaveTheNumbersOfTheStudy) {
    const ExportedTable table = verdictTable(smallReport());
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0][1], "baseline");
    EXPECT_EQ(table.rows[0][2], "2.2000 ± 0.2000 (3)");
    EXPECT_EQ(table.rows[1][1], "better");
    EXPECT_EQ(table.rows[1][3], "−0.4933");
    // scipy 1.17: ttest_rel([1.5, 1.7, 1.92], [2.0, 2.2, 2.4]), its confidence_interval() and pvalue
    EXPECT_EQ(table.rows[1][4], "[−0.5220, −0.4646]");
    EXPECT_EQ(table.rows[1][5], "0.0002");
    EXPECT_THAT(table.note, AllOf(HasSubstr("Paired t test"), HasSubstr("not other test items")));
    EXPECT_EQ(runsTable(smallReport()).rows.size(), 6U);
}

TEST(ReportTables, TellNoNumberBeforeTheStudyMayLook) {
    StudyReport report = smallReport();
    std::map<std::string, StudyValues> values;
    for (const char* row : {"base", "gated"}) values[row].values = {{1, 2.0}, {2, 1.0}};
    report.verdict = verdictOf(report.study, values);
    const auto cells = verdictTable(report).rows[1];
    EXPECT_EQ(cells[1], "open");
    for (std::size_t i = 3; i < cells.size(); ++i) EXPECT_EQ(cells[i], "–") << i;
    EXPECT_THAT(reportHtml(report), Not(HasSubstr("Two-sided p")));
}

TEST(ReportFigures, DrawIntervalsSeedsAndCurves) {
    StudyReport report = smallReport();
    report.study.margin = 0.1;
    report.curves = {{"base", 3, {{10, 3, 2.9, 3.1}, {20, 2, 1.9, 2.1}}}, {"gated", 3, {{10, 3, 2.8, 3.2}, {20, 1, 0.9, 1.1}}}};
    const auto figures = reportFigures(report);
    ASSERT_EQ(figures.size(), 3U);
    EXPECT_THAT(figures[0].caption, AllOf(HasSubstr("95 % intervals"), HasSubstr("± 0.1000")));
    const auto countOf = [](const std::string& text, const std::string& what) {
        std::size_t n = 0;
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
        return n;
    };
    EXPECT_EQ(countOf(figures[1].svg, "<circle"), 6U) << "a dot for each run";
    EXPECT_EQ(countOf(figures[1].svg, "stroke=\"#999999\""), 3U) << "a line for each pair";
    EXPECT_EQ(countOf(figures[2].svg, "<polygon"), 2U) << "a band for each row";
    for (const ReportFigure& figure : figures)
        EXPECT_THAT(figure.svg,
                    AllOf(HasSubstr("<title>"), HasSubstr("</desc>"), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
    report.study.test = SeedTest::Welch;
    EXPECT_EQ(countOf(reportFigures(report)[1].svg, "stroke=\"#999999\""), 0U) << "no pairs, no lines";
}

TEST(ReportFigures, TellTheNoiseFloorOfARowThatIsDrawn) {
    StudyReport report = smallReport();
    report.floor = NoiseFloor{0.2, 4, 2, 6, 0};
    RowVerdict first;  // no run of it counts yet
    first.name = "later";
    report.verdict.rows.insert(report.verdict.rows.begin(), first);
    EXPECT_THAT(reportFigures(report)[0].caption, HasSubstr("two means of 3 seeds"));
    report.verdict.rows.pop_back();
    for (const ReportFigure& figure : reportFigures(report)) EXPECT_THAT(figure.caption, Not(HasSubstr("noise floor")));
}

/// The report of a study that tuned both rows over three learning rates, of which each chose the middle one.
StudyReport tunedReport() {
    StudyReport report = smallReport();
    Tuning tuning;
    tuning.path = "train.lr";
    tuning.values = {0.001, 0.003, 0.01};
    report.study.tuning = tuning;
    report.verdict.tuning = TuningOutcome{{}, true};
    for (const char* row : {"base", "gated"}) {
        RowTuning one;
        one.row = row;
        for (const double lr : tuning.values)
            one.trials.push_back({Trial{{{"train.lr", lr}}, 0}, true, 2 + std::abs(lr - 0.003)});
        one.chosen = Trial{{{"train.lr", 0.003}}, 0};
        report.verdict.tuning->rows.push_back(one);
    }
    report.checks = fairnessChecks(report.study, report.verdict, report.runs);
    return report;
}

TEST(TunedReport, DrawsTheTrialsAndSaysWhatWasSearched) {
    StudyReport report = tunedReport();
    const auto figures = reportFigures(report);
    ASSERT_EQ(figures.back().file, "tuning.svg");
    EXPECT_THAT(figures.back().svg,
                AllOf(HasSubstr(">0.001</text>"), HasSubstr(">0.01</text>"), HasSubstr("chosen: lr 0.003")));
    const RefereeAnswer search = refereeAnswers(report).at(1).answers.at(1);
    EXPECT_THAT(search.answer, AllOf(HasSubstr("train.lr: 0.001, 0.003, 0.01"), Not(HasSubstr("Not done"))));
    const auto tuningCheck = [](const StudyReport& of) {
        for (const FairnessCheck& check : fairnessChecks(of.study, of.verdict, of.runs))
            if (check.about == "tuning") return check.state;
        return FairnessCheck::State::NotKnown;
    };
    EXPECT_EQ(tuningCheck(report), FairnessCheck::State::Ok);
    EXPECT_THAT(reportHtml(report), Not(HasSubstr("one learning rate each")));
    report.verdict.tuning->rows[1].atEdge = true;
    EXPECT_EQ(tuningCheck(report), FairnessCheck::State::Warning);
    report.verdict.tuning->isDone = false;
    EXPECT_EQ(tuningCheck(report), FairnessCheck::State::NotKnown);
}

TEST(TunedReport, RepeatsFromTheSettingsBeforeTheTrials) {
    StudyReport report = tunedReport();
    const double before = report.runs[0].spec.train.lr;
    for (ReportedRun& run : report.runs) run.spec.train.lr = 0.003;
    const Json study = Json::parse(reportFiles(report).at("study.json"));
    const RunSpec row = RunSpec::parse(study.at("rows").at(0).at("spec"), builtinCatalogue());
    EXPECT_EQ(row.train.lr, before);
    EXPECT_TRUE(study.contains("tuning"));
}

TEST(RefereeAnswers, ComeFromTheStudyAndSayWhatWasNotDone) {
    StudyReport report = smallReport();
    std::string all;
    for (const RefereeList& list : refereeAnswers(report))
        for (const RefereeAnswer& one : list.answers) all += one.question + " " + one.answer + "\n";
    EXPECT_THAT(all, AllOf(HasSubstr("3 seeds, fixed beforehand"), HasSubstr("base 3, gated 3"), HasSubstr("base 1,000"),
                           HasSubstr("AMD EPYC on vm, 2 threads"), HasSubstr("All runs: 3.0 min"),
                           HasSubstr("Not done: no hyperparameter"), HasSubstr("Not done: no run was evaluated on")));
    report.other = {"test", {{"base", {{1, 2.5}, {2, 2.7}}}}};
    const auto acl = refereeAnswers(report).at(1).answers;
    const auto beside = std::find_if(acl.begin(), acl.end(), [](const RefereeAnswer& one) {
        return one.question == "What is the validation value beside each test value?";
    });
    ASSERT_NE(beside, acl.end());
    EXPECT_THAT(beside->answer,
                AllOf(HasSubstr("valid 2.2000 ± 0.2000 (3), test 2.6000 ± 0.1414 (2)"), HasSubstr("not tested")));
}

class ReportFolder : public testing::Test {
protected:
    std::string why(const std::string& folder) {
        try {
            writeReport(smallReport(), folder);
        } catch (const Error& error) {
            return error.what();
        }
        return "not refused";
    }
    TemporaryFolder home_;
    std::string folder_ = home_ / "report";
};

TEST_F(ReportFolder, HoldsAllThatIsNeededToReadAndRepeatIt) {
    const std::string page = writeReport(smallReport("base", "a/b <c>"), folder_);
    EXPECT_EQ(page, std::filesystem::canonical(folder_ + "/report.html").string());
    for (const char* file : {"table.md", "table.tex", "table.csv", "runs.csv", "figures/differences.svg", "figures/seeds.svg",
                             "study.json", "specs/base-1.json", "specs/a_b__c_-3.json"})
        EXPECT_TRUE(std::filesystem::exists(folder_ + "/" + file)) << file;
    const Study again = Study::parse(readJsonFile(folder_ + "/study.json"), "study.json");
    EXPECT_EQ(again.baseline, "base");
    EXPECT_EQ(again.rows.size(), 2U);
    const RunSpec spec = RunSpec::parse(readJsonFile(folder_ + "/specs/base-2.json"), builtinCatalogue());
    EXPECT_EQ(spec.seed, 2U);
    EXPECT_EQ(spec.train.steps, 40);
}

TEST_F(ReportFolder, ReplacesAnOlderReportWhole) {
    writeReport(smallReport("base", "gated"), folder_);
    writeReport(smallReport("base", "other"), folder_);
    EXPECT_TRUE(std::filesystem::exists(folder_ + "/specs/other-1.json"));
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/specs/gated-1.json"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(home_.path()), {}), 1) << "nothing temporary stays";
}

TEST_F(ReportFolder, RefusesWhatHoldsOtherThings) {
    std::filesystem::create_directory(folder_);
    EXPECT_EQ(why(folder_), "not refused") << "an empty folder";
    std::ofstream(folder_ + "/thesis.tex") << "years of work";
    EXPECT_THAT(why(folder_), HasSubstr("contains other files: thesis.tex"));
    EXPECT_EQ(readWholeFile(folder_ + "/thesis.tex"), "years of work");
    const std::string foreign = home_ / "foreign";
    std::filesystem::create_directories(foreign + "/figures");
    EXPECT_THAT(why(foreign), HasSubstr("contains other files: figures")) << "no report";
    EXPECT_THAT(why(folder_ + "/thesis.tex"), HasSubstr("is a file"));
}

}  // namespace
}  // namespace heddle::app
