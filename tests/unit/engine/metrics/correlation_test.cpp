// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/correlation.h"
#include "engine/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<double>;

// Deviations (-2, 0, 2) and (-1, -2, 3): 8 / √(8 · 14); ranks (1, 2, 3) and (2, 1, 3): 1 / 2.
TEST(Correlation, ByHand) {
    EXPECT_NEAR(pearson(Numbers{1, 3, 5}, Numbers{2, 1, 6}).value, 8 / std::sqrt(8.0 * 14), 1e-15);
    EXPECT_NEAR(spearman(Numbers{1, 3, 5}, Numbers{2, 1, 6}).value, 0.5, 1e-15);
    EXPECT_NEAR(pearsonSpearman(Numbers{1, 3, 5}, Numbers{2, 1, 6}).value, (8 / std::sqrt(8.0 * 14) + 0.5) / 2, 1e-15);
}

TEST(Correlation, EqualValuesShareTheirRank) {
    EXPECT_THAT(averageRanks(Numbers{3, 1, 3, 2, 3}), ElementsAre(4, 1, 4, 2, 4));
    EXPECT_THAT(averageRanks(Numbers{}), ElementsAre());
    // Ranks (1.5, 1.5, 3) and (1, 2, 3): deviations (-.5, -.5, 1) and (-1, 0, 1).
    EXPECT_NEAR(spearman(Numbers{0, 0, 1}, Numbers{1, 2, 3}).value, 1.5 / std::sqrt(1.5 * 2), 1e-15);
}

TEST(Correlation, SymmetricBoundedAndBlindToScaleAndOrder) {
    const Numbers a{2.5, 0, 4.75, 1, 3}, b{1, 0.5, 5, 2, 1.5};
    const double r = pearson(a, b).value;
    EXPECT_NEAR(pearson(b, a).value, r, 1e-15);
    Numbers scaled = a;
    for (double& x : scaled) x = 1e200 * x - 1e199;
    EXPECT_NEAR(pearson(scaled, b).value, r, 1e-12) << "squares that overflow";
    for (double& x : scaled) x = -x;
    EXPECT_NEAR(pearson(scaled, b).value, -r, 1e-12);
    EXPECT_NEAR(pearson(Numbers{1.7e308, 1.2e308, 1.6e308}, Numbers{17, 12, 16}).value, 1, 1e-12) << "a sum that overflows";
    Numbers tiny = a;
    for (double& x : tiny) x *= 1e-200;
    EXPECT_NEAR(pearson(tiny, b).value, r, 1e-12) << "squares that vanish";
    EXPECT_NEAR(pearson(Numbers{3, 1, 4.75, 0, 2.5}, Numbers{1.5, 2, 5, 0.5, 1}).value, r, 1e-15);
    EXPECT_DOUBLE_EQ(pearson(a, a).value, 1);
    Numbers cubed = a;
    for (double& x : cubed) x = x * x * x;
    EXPECT_NEAR(spearman(cubed, b).value, spearman(a, b).value, 1e-15) << "only ranks count";
    EXPECT_NE(pearson(cubed, b).value, r);
}

TEST(Correlation, UndefinedIsNotANumberAndSaysWhy) {
    for (const auto& correlation : {pearson, spearman, pearsonSpearman}) {
        const MetricValue constant = correlation(Numbers{1, 2, 3}, Numbers{0.1, 0.1, 0.1});
        EXPECT_TRUE(std::isnan(constant.value));
        EXPECT_THAT(constant.warning, HasSubstr("constant: all values are 0.1"));
        EXPECT_EQ(constant.n, 0);
        EXPECT_THAT(correlation(Numbers{1}, Numbers{2}).warning, HasSubstr("two pairs; there are 1"));
        EXPECT_TRUE(std::isnan(correlation(Numbers{}, Numbers{}).value));
        const double infinity = std::numeric_limits<double>::infinity();
        EXPECT_THAT(correlation(Numbers{1, infinity}, Numbers{1, 2}).warning, HasSubstr("not a finite number"));
        EXPECT_THROW(correlation(Numbers{1, 2}, Numbers{1}), Error);
    }
}

TEST(Correlation, Signatures) {
    const Numbers a{1, 2, 4}, b{1, 3, 2};
    EXPECT_EQ(pearson(a, b).signature, "pearson|n:3|version:heddle-" HEDDLE_VERSION);
    EXPECT_EQ(spearman(a, b).signature, "spearman|ties:average|n:3|version:heddle-" HEDDLE_VERSION);
    EXPECT_EQ(pearsonSpearman(a, b).n, 3);
    EXPECT_EQ(pearsonSpearman(a, b).name, "pearson_spearman");
}

}  // namespace
}  // namespace heddle
