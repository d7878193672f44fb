// SPDX-License-Identifier: Apache-2.0
#include "app/study/report_checks.h"

#include "tests/unit/app/study/small_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace heddle::app {
namespace {

using State = FairnessCheck::State;
using testing::AllOf;
using testing::HasSubstr;

/// The check of that name after `change` was made to the last run, which is the variant's.
FairnessCheck checkAfter(const std::string& about, const std::function<void(ReportedRun&)>& change) {
    StudyReport report = smallReport();
    change(report.runs.back());
    const auto checks = fairnessChecks(report.study, report.verdict, report.runs);
    const auto found = std::find_if(checks.begin(), checks.end(), [&](const auto& one) { return one.about == about; });
    return found == checks.end() ? FairnessCheck{about, State::NotKnown, "there is no such check"} : *found;
}

void nothing(ReportedRun&) {}

TEST(FairnessChecks, AreOkWhereTheRowsHaveAllInCommon) {
    for (const char* about : {"size", "FLOPs", "budget", "settings", "versions", "devices", "threads", "interventions", "data",
                              "validation set", "repetitions", "chosen seeds", "left out"}) {
        const FairnessCheck check = checkAfter(about, nothing);
        EXPECT_EQ(check.state, State::Ok) << about << ": " << check.sentence;
    }
    EXPECT_EQ(checkAfter("tuning", nothing).state, State::Warning) << "one learning rate each";
}

TEST(FairnessChecks, WarnOfWhatDiffersAndNameIt) {
    const auto warns = [](const std::string& about, const std::string& words, const std::function<void(ReportedRun&)>& change) {
        const FairnessCheck check = checkAfter(about, change);
        EXPECT_EQ(check.state, State::Warning) << about << ": " << check.sentence;
        EXPECT_THAT(check.sentence, HasSubstr(words)) << about;
    };
    warns("size", "gated has +2.0 %", [](ReportedRun& run) { run.parameters = 1020; });
    warns("size", "gated has −15.0 %", [](ReportedRun& run) { run.parameters = 850; });
    warns("FLOPs", "gated has +50.0 %", [](ReportedRun& run) { run.flops = 9000; });
    warns("budget", "gated: 39 steps", [](ReportedRun& run) { run.steps = 39; });
    warns("versions", "gated: Heddle 0.2.0, torch 2.11.0", [](ReportedRun& run) { run.attempts[0].program = "0.2.0"; });
    warns("devices", "gated: cuda:0, H100 on vm, fp32", [](ReportedRun& run) { run.attempts[0].device = "cuda:0, H100"; });
    warns("threads", "gated: 8", [](ReportedRun& run) { run.attempts[0].threads = 8; });
    warns("interventions", "gated, seed 3, was intervened in", [](ReportedRun& run) { run.isIntervened = true; });
    warns("interventions", "gated, seed 3, was extended after step 20", [](ReportedRun& run) { run.extended = {20}; });
    warns("data", "gated: SHA-256 begins with cccccccccccc",
          [](ReportedRun& run) { run.contents["data.train.source"] = std::string(64, 'c'); });
    warns("validation set", "different contents",
          [](ReportedRun& run) { run.contents["data.valid.source"] = std::string(64, 'c'); });
    warns("repetitions", "gated, seed 3, was trained 2 times", [](ReportedRun& run) { run.times = 2; });
}

TEST(FairnessChecks, AControlInTimeMayHaveOtherSteps) {
    StudyReport report = smallReport();
    report.study.controls = {{"gated", ControlMatch::Time}};
    const std::string row = report.study.rowOf(report.study.controls[0]);
    report.study.rows.push_back({row, Json()});
    ReportedRun control = report.runs.front();
    control.row = row;
    control.steps = 57;
    control.spec.train.steps = 57;
    control.spec.train.epochs = 0;
    report.runs.push_back(control);
    const auto sentenceOf = [&report](const std::string& about) {
        const auto checks = fairnessChecks(report.study, report.verdict, report.runs);
        const auto found = std::find_if(checks.begin(), checks.end(), [&](const auto& one) { return one.about == about; });
        return found->state == State::Ok ? "" : found->sentence;
    };
    EXPECT_EQ(sentenceOf("budget"), "");
    EXPECT_EQ(sentenceOf("settings"), "");
    report.runs[0].steps = 39;
    EXPECT_THAT(sentenceOf("budget"), HasSubstr("Runs trained unequally")) << "the other rows may not";
    report.study.controls[0].match = ControlMatch::Parameters;
    report.study.rows.back().name = report.study.rowOf(report.study.controls[0]);
    report.runs.back().row = report.study.rows.back().name;
    EXPECT_THAT(sentenceOf("settings"), HasSubstr("train.steps")) << "a control of another kind may not";
}

TEST(FairnessChecks, SayWhatIsNotKnown) {
    const auto isNotKnown = [](const std::string& about, const std::function<void(ReportedRun&)>& change) {
        return checkAfter(about, change).state == State::NotKnown;
    };
    EXPECT_TRUE(isNotKnown("size", [](ReportedRun& run) { run.parameters = 0; }));
    EXPECT_TRUE(isNotKnown("FLOPs", [](ReportedRun& run) { run.flops = std::nullopt; }));
    EXPECT_TRUE(isNotKnown("data", [](ReportedRun& run) { run.contents.clear(); }));
    EXPECT_TRUE(isNotKnown("versions", [](ReportedRun& run) { run.attempts.clear(); }));
    EXPECT_TRUE(isNotKnown("threads", [](ReportedRun& run) { run.attempts[0].threads = 0; }));
}

TEST(FairnessChecks, FindSettingsThatDifferBesideTheVariants) {
    StudyReport report = smallReport();
    for (ReportedRun& run : report.runs)
        if (run.row == "gated") run.spec.train.lr = 0.25;
    for (const FairnessCheck& check : fairnessChecks(report.study, report.verdict, report.runs))
        if (check.about == "settings") {
            EXPECT_EQ(check.state, State::Warning);
            EXPECT_THAT(check.sentence, AllOf(HasSubstr("train.lr"), HasSubstr("0.25")));
        }
}

TEST(FairnessChecks, CountWhatIsLeftOut) {
    StudyReport report = smallReport();
    report.verdict.rows[0].leftOut = {{3, "failed", true}, {4, "has no value", false}};
    const auto checks = fairnessChecks(report.study, report.verdict, report.runs);
    EXPECT_EQ(checks.back().state, State::Warning);
    EXPECT_THAT(checks.back().sentence, HasSubstr("2 runs are left out, 1 of them because they failed"));
}

}  // namespace
}  // namespace heddle::app
