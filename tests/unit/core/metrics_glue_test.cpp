// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/glue.h"
#include "engine/spec/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

MetricValue of(const std::string& name, double value, std::int64_t n = 100) { return {name, value, name, n, ""}; }

GlueValues all() {
    return {{"cola", {of("matthews", 0.5)}},
            {"sst-2", {of("accuracy", 0.9)}},
            {"mrpc", {of("accuracy", 0.8, 408), of("f1", 0.9, 408), of("macro_f1", 0.1)}},
            {"sts-b", {of("pearson", 0.8), of("spearman", 0.7)}},
            {"qqp", {of("f1", 0.6), of("accuracy", 0.8)}},
            {"mnli-m", {of("accuracy", 0.8, 9815)}},
            {"mnli-mm", {of("accuracy", 0.7, 9832)}},
            {"qnli", {of("accuracy", 0.85)}},
            {"rte", {of("accuracy", 0.6)}},
            {"wnli", {of("accuracy", 0.55)}}};
}

TEST(Glue, MeansMetricsThenTasks) {
    const GlueAverage glue = glueAverage(all());
    const double expected = (0.5 + 0.9 + 0.85 + 0.75 + 0.7 + 0.75 + 0.85 + 0.6 + 0.55) / 9;
    EXPECT_NEAR(glue.average.value, expected, 1e-15);
    EXPECT_EQ(glue.average.n, 9);
    EXPECT_THAT(glue.average.warning, IsEmpty());
    EXPECT_THAT(glue.missing, IsEmpty());
    EXPECT_EQ(glue.tasks.size(), 9U);
    EXPECT_EQ(glue.average.signature, "glue|tasks:9of9|n:9|version:heddle-" HEDDLE_VERSION);
}

TEST(Glue, ScoreOfOneTask) {
    const GlueTaskScore mrpc = glueScore("mrpc", all());
    EXPECT_NEAR(mrpc.score.value, 0.85, 1e-15);
    EXPECT_EQ(mrpc.score.n, 408) << "two metrics of the same examples";
    EXPECT_EQ(mrpc.score.signature, "glue/mrpc|metrics:f1+accuracy|sets:mrpc|n:408|version:heddle-" HEDDLE_VERSION);
    EXPECT_EQ(glueScore("mnli", all()).score.n, 9815 + 9832);
    EXPECT_NEAR(glueScore("mnli", all()).score.value, 0.75, 1e-15);
}

TEST(Glue, MissingTasksAreSaidNotAveragedAway) {
    GlueValues values{{"cola", {of("matthews", 0.4)}}, {"mrpc", {of("accuracy", 0.8)}}, {"mnli-m", {of("accuracy", 0.7)}}};
    values["sst-2"] = {of("accuracy", 0.8)};
    values["sts-b"] = {of("pearson", 0.9), undefinedMetric("spearman", "", "one side is constant")};
    const GlueAverage glue = glueAverage(values);
    EXPECT_NEAR(glue.average.value, 0.6, 1e-15);
    EXPECT_EQ(glue.average.n, 2);
    EXPECT_THAT(glue.missing, ElementsAre("mrpc", "sts-b", "qqp", "mnli", "qnli", "rte", "wnli"));
    EXPECT_THAT(glue.average.signature, HasSubstr("tasks:2of9|missing:mrpc+sts-b+qqp"));
    EXPECT_THAT(glue.average.warning, HasSubstr("over 2 of 9 tasks; not GLUE's average"));
    EXPECT_THAT(glue.average.warning, HasSubstr("MRPC (no f1 of mrpc)"));
    EXPECT_THAT(glue.average.warning, HasSubstr("STS-B (spearman of sts-b is undefined: one side is constant)"));
    EXPECT_THAT(glue.average.warning, HasSubstr("MNLI (no values of mnli-mm)"));
}

TEST(Glue, OfNothingIsUndefined) {
    const GlueAverage glue = glueAverage({});
    EXPECT_TRUE(std::isnan(glue.average.value));
    EXPECT_EQ(glue.average.n, 0);
    EXPECT_EQ(glue.missing.size(), 9U);
    EXPECT_TRUE(std::isnan(glueScore("rte", {}).score.value));
}

TEST(Glue, RefusesTasksThatAreNone) {
    EXPECT_THROW(glueAverage({{"mrcp", {of("accuracy", 1)}}}), Error);
    EXPECT_THROW(glueAverage({{"mnli", {of("accuracy", 1)}}}), Error) << "one half, or both?";
    EXPECT_THROW(glueScore("ax", {}), Error);
}

}  // namespace
}  // namespace heddle
