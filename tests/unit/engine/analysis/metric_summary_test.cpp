// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/metric_summary.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace heddle {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Evaluation {
    std::string metric;
    std::int64_t step;
    double value;
    std::int64_t n = 1014;
    std::string signature = "s";
};

TEST(MetricSummary, TheBestOfALossIsTheLeastAndTheFirstOfEqualOnes) {
    const std::vector<Evaluation> loss{{"loss", 10, 3}, {"loss", 20, 1}, {"loss", 30, 1}, {"loss", 40, 2, 500, "t"}};
    EXPECT_EQ(summariseMetric(loss), (MetricSummary{1, 2, 20, 40, 500, "t"}));
}

TEST(MetricSummary, TheBestOfAnythingElseIsTheGreatest) {
    const std::vector<Evaluation> bleu{{"bleu", 10, 3}, {"bleu", 20, 5}, {"bleu", 30, 4}};
    EXPECT_EQ(summariseMetric(bleu), (MetricSummary{5, 4, 20, 30, 1014, "s"}));
}

TEST(MetricSummary, NanIsTheBestOnlyWhereThereIsNothingElse) {
    EXPECT_EQ(summariseMetric(std::vector<Evaluation>{{"loss", 10, kNan}, {"loss", 20, 7}, {"loss", 30, kNan}}).bestStep, 20);
    EXPECT_EQ(summariseMetric(std::vector<Evaluation>{{"bleu", 10, kNan}, {"bleu", 20, 7}}).best, 7);
    EXPECT_TRUE(std::isnan(summariseMetric(std::vector<Evaluation>{{"loss", 10, kNan}}).best));
}

TEST(MetricSummary, NothingCannotBeSummarised) {
    EXPECT_THROW(summariseMetric(std::vector<Evaluation>{}), std::invalid_argument);
}

TEST(MetricSummary, SplitsAndMetricsHaveAnOrder) {
    EXPECT_LT(metricRank("valid"), metricRank("test"));
    EXPECT_LT(metricRank("loss"), metricRank("bleu"));
    EXPECT_LT(metricRank("bleu"), metricRank("chrf"));
    EXPECT_LT(metricRank("bleu"), metricRank("valid loss")) << "unknown ones come last";
    EXPECT_EQ(metricRank("f1/PER"), metricRank("f1"));
    EXPECT_EQ(metricRank("one"), metricRank("other"));
}

}  // namespace
}  // namespace heddle
