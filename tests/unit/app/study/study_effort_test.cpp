// SPDX-License-Identifier: Apache-2.0
#include "engine/base/files.h"
#include "tests/unit/app/study/study_command_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle::app {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class StudyEffortTest : public StudyCommandTest {};

TEST_F(StudyEffortTest, TheReportTellsTimeAndFlopsToTheTarget) {
    engine_->stepSeconds = [](const RunSpec&) { return 0.5F; };
    engine_->evaluationsAfter = [](std::int64_t step) {
        if (step > 1) return std::vector<EvaluationDone>();
        return std::vector<EvaluationDone>{{0, "valid", {{"loss", 5, "", 100}}, 0}};
    };
    engine_->evaluations = [plain = RunSpec::parse(spec("eau-base"), builtinCatalogue()).variant.hash()](const RunSpec& spec) {
        const double end = (spec.variant.hash() == plain ? 3 : 2) + 0.01 * std::sin(7.0 * double(spec.seed));
        return std::vector<EvaluationDone>{{0, "valid", {{"loss", end, "", 100}}, 0}};
    };
    const std::string folder = folder_ / "report";
    must({"study", study(), "--report", folder});
    const std::string table = readWholeFile(folder + "/along.csv");
    EXPECT_THAT(table, HasSubstr("median step,median seconds,median FLOPs"));
    EXPECT_THAT(table, ContainsRegex("gated,3 of 3 runs reach the target,3,1.5,[0-9.e+]+,"))
        << "three steps of half a second, and the tokens of these steps";
}

}  // namespace
}  // namespace heddle::app
