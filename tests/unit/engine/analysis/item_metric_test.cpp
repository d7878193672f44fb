// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/item_metric.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle {
namespace {

/// The rule of an evaluation, whose numbers are scikit-learn's (tests/oracle/metrics_oracle.py).
double evaluated(const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& predicted,
                 const ClassificationOptions& options) {
    return classificationValues(ConfusionMatrix(std::ssize(options.names), truth, predicted), options).at(1).value;
}

TEST(ItemMetric, F1IsThatOfAnEvaluation) {
    std::mt19937_64 random(3);
    for (const std::size_t classes : {std::size_t{2}, std::size_t{4}}) {
        ClassificationOptions options;
        for (std::size_t c = 0; c < classes; ++c) options.names.push_back("c" + std::to_string(c));
        if (classes == 2) options.positive = 1;
        std::vector<std::int64_t> truth, predicted;
        for (int item = 0; item < 90; ++item) {  // the last of four classes never occurs
            truth.push_back(std::int64_t(random() % (classes == 2 ? 2 : 3)));
            predicted.push_back(random() % 3 == 0 ? std::int64_t(random() % (classes == 2 ? 2 : 3)) : truth.back());
        }
        const ItemMetric metric = f1Metric(options);
        const ItemTerms terms = f1Terms(truth, predicted, options);
        EXPECT_EQ(metric.itemsOf(terms), 90U);
        EXPECT_NEAR(metric.score(metric.sumsOf(terms)), evaluated(truth, predicted, options), 1e-12) << classes;
        EXPECT_EQ(metric.whyRough(metric.sumsOf(terms)), "");
    }
}

TEST(ItemMetric, F1OfAClassThatIsOnlyPredictedIsRough) {
    ClassificationOptions options;
    options.names = {"a", "b", "c"};
    std::vector<std::int64_t> truth(40), predicted(40);
    for (std::size_t i = 0; i < 20; ++i) truth[i] = predicted[i] = 1;
    const ItemMetric metric = f1Metric(options);
    EXPECT_EQ(metric.whyRough(metric.sumsOf(f1Terms(truth, predicted, options))), "") << "c does not count";
    predicted.back() = 2;
    EXPECT_EQ(metric.whyRough(metric.sumsOf(f1Terms(truth, predicted, options))),
              "0 items belong to class c; an interval needs at least 10");
}

}  // namespace
}  // namespace heddle
