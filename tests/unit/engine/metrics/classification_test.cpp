// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/classification.h"
#include "engine/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Classes = std::vector<std::int64_t>;

MetricValue valueOf(const std::vector<MetricValue>& values, const std::string& name) {
    for (const MetricValue& value : values)
        if (value.name == name) return value;
    ADD_FAILURE() << name << " is missing";
    return {};
}

// tp 6, fn 2, fp 1, tn 3 for class 1.
ConfusionMatrix binary() {
    ConfusionMatrix matrix(2);
    for (int i = 0; i < 6; ++i) matrix.add(1, 1);
    for (int i = 0; i < 2; ++i) matrix.add(1, 0);
    matrix.add(0, 1);
    for (int i = 0; i < 3; ++i) matrix.add(0, 0);
    return matrix;
}

TEST(Classification, BinaryByHand) {
    const auto values = classificationValues(binary(), {{"no", "yes"}, 1});
    EXPECT_DOUBLE_EQ(valueOf(values, "accuracy").value, 9.0 / 12);
    EXPECT_DOUBLE_EQ(valueOf(values, "f1").value, 2 * 6.0 / (2 * 6 + 2 + 1));
    EXPECT_DOUBLE_EQ(valueOf(values, "macro_f1").value, (12.0 / 15 + 6.0 / 9) / 2);
    EXPECT_DOUBLE_EQ(valueOf(values, "micro_f1").value, 9.0 / 12);
    EXPECT_DOUBLE_EQ(valueOf(values, "matthews").value, (6.0 * 3 - 1 * 2) / std::sqrt(7.0 * 8 * 4 * 5));
    EXPECT_DOUBLE_EQ(valueOf(values, "majority_rate").value, 8.0 / 12);
    for (const MetricValue& value : values) EXPECT_THAT(value.warning, IsEmpty()) << value.name;
}

TEST(Classification, ThePositiveClassIsAnArgument) {
    EXPECT_DOUBLE_EQ(valueOf(classificationValues(binary(), {{}, 0}), "f1").value, 2 * 3.0 / (2 * 3 + 1 + 2));
    EXPECT_DOUBLE_EQ(valueOf(classificationValues(binary(), {}), "f1").value, macroF1(binary())) << "none: the macro average";
}

// Three classes; the R_K of Gorodkin from its definition as a correlation of indicator vectors:
// cov(x, y) / √(cov(x, x) cov(y, y)), cov the mean over classes of the covariances of "is k".
TEST(Classification, MatthewsOfManyClassesIsTheCorrelationOfIndicators) {
    const Classes truth{0, 0, 1, 1, 2, 2, 2, 1}, predicted{0, 1, 1, 1, 2, 0, 2, 2};
    const auto covariance = [&](const Classes& x, const Classes& y) {
        double sum = 0;
        for (std::int64_t k = 0; k < 3; ++k) {
            double xy = 0, xs = 0, ys = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                xy += x[i] == k && y[i] == k;
                xs += x[i] == k;
                ys += y[i] == k;
            }
            sum += xy / 8 - xs / 8 * ys / 8;
        }
        return sum;
    };
    const double expected =
        covariance(truth, predicted) / std::sqrt(covariance(truth, truth) * covariance(predicted, predicted));
    EXPECT_NEAR(matthews({3, truth, predicted}), expected, 1e-15);
    EXPECT_NEAR(matthews({3, predicted, truth}), expected, 1e-15) << "symmetric";
    EXPECT_NEAR(matthews({3, truth, truth}), 1, 1e-15);
    EXPECT_NEAR(matthews({2, Classes{0, 0, 1, 1}, Classes{1, 1, 0, 0}}), -1, 1e-15);
}

TEST(Classification, NamesOfClassesDoNotMatter) {
    const Classes truth{0, 0, 1, 2, 2, 2}, predicted{0, 1, 1, 2, 0, 2};
    const auto rotated = [](Classes classes) {
        for (auto& c : classes) c = (c + 1) % 3;
        return classes;
    };
    const ConfusionMatrix one(3, truth, predicted), other(3, rotated(truth), rotated(predicted));
    EXPECT_DOUBLE_EQ(macroF1(one), macroF1(other));
    EXPECT_DOUBLE_EQ(matthews(one), matthews(other));
    EXPECT_DOUBLE_EQ(classScore(one, 2).recall, classScore(other, 0).recall);
}

TEST(Classification, OneClassPredictedThroughoutIsSaid) {
    const ConfusionMatrix matrix(3, Classes{0, 1, 1, 2}, Classes{1, 1, 1, 1});
    const auto values = classificationValues(matrix, {{"sports", "culture", "stock"}, {}});
    EXPECT_THAT(valueOf(values, "accuracy").warning, HasSubstr("all 4 predictions are \"culture\", which 2 of the examples"));
    EXPECT_EQ(valueOf(values, "matthews").value, 0);
    EXPECT_THAT(valueOf(values, "matthews").warning, HasSubstr("0 by convention"));
    EXPECT_THAT(onePredictionWarning({3, Classes{1, 1}, Classes{1, 1}}, {}), IsEmpty()) << "all of them are";
    EXPECT_THAT(onePredictionWarning({3, Classes{1, 1, 0}, Classes{1, 1, 2}}, {}), IsEmpty());
}

TEST(Classification, NotAboveTheMajorityClassIsSaid) {
    const ConfusionMatrix matrix(2, Classes{1, 1, 1, 0}, Classes{1, 1, 0, 0});
    const auto values = classificationValues(matrix, {});
    EXPECT_DOUBLE_EQ(valueOf(values, "accuracy").value, valueOf(values, "majority_rate").value);
    EXPECT_THAT(valueOf(values, "accuracy").warning, HasSubstr("always predicting \"1\" is correct in 75.0 %"));
}

// scikit-learn's conventions: 0 where nothing can be divided; the macro average leaves out classes that nobody names.
TEST(Classification, DivisionsByZero) {
    const ConfusionMatrix matrix(4, Classes{0, 0, 1}, Classes{0, 2, 0});
    EXPECT_EQ(classScore(matrix, 1).precision, 0) << "never predicted";
    EXPECT_EQ(classScore(matrix, 2).recall, 0) << "does not occur";
    EXPECT_EQ(classScore(matrix, 3).f1, 0) << "neither";
    EXPECT_DOUBLE_EQ(macroF1(matrix), (0.5 + 0 + 0) / 3) << "of classes 0, 1, 2";
    const auto values = classificationValues(ConfusionMatrix(2, Classes{0, 0}, Classes{0, 0}), {{}, 1});
    EXPECT_EQ(valueOf(values, "f1").value, 0);
    EXPECT_THAT(valueOf(values, "f1").warning, HasSubstr("neither occurs nor is predicted"));
}

TEST(Classification, EveryClassHasItsOwnValues) {
    const auto values = classValues(binary(), {{"no", "yes"}, {}});
    EXPECT_DOUBLE_EQ(valueOf(values, "precision/yes").value, 6.0 / 7);
    EXPECT_DOUBLE_EQ(valueOf(values, "recall/yes").value, 6.0 / 8);
    EXPECT_EQ(valueOf(values, "recall/yes").n, 8);
    EXPECT_DOUBLE_EQ(valueOf(values, "predicted/yes").value, 7);
    EXPECT_DOUBLE_EQ(valueOf(values, "predicted/no").value, 5);
}

TEST(Classification, OneExample) {
    const auto right = classificationValues({2, Classes{1}, Classes{1}}, {{}, 1});
    EXPECT_EQ(valueOf(right, "accuracy").value, 1);
    EXPECT_EQ(valueOf(right, "f1").value, 1);
    EXPECT_EQ(valueOf(right, "matthews").value, 0) << "one class only";
    EXPECT_THAT(valueOf(right, "matthews").warning, HasSubstr("undefined"));
}

TEST(Classification, Signatures) {
    const auto values = classificationValues(binary(), {{"no", "yes"}, 1});
    EXPECT_EQ(valueOf(values, "accuracy").signature, "acc|n:12|version:heddle-" HEDDLE_VERSION);
    EXPECT_EQ(valueOf(values, "matthews").signature, "mcc|zero_division:0|n:12|version:heddle-" HEDDLE_VERSION);
    EXPECT_EQ(valueOf(values, "f1").signature,
              "f1|average:binary|positive:yes|zero_division:0|n:12|version:heddle-" HEDDLE_VERSION);
    EXPECT_EQ(valueOf(classificationValues(binary(), {}), "f1").signature,
              "f1|average:macro|zero_division:0|n:12|version:heddle-" HEDDLE_VERSION);
}

TEST(Classification, RefusesWhatCannotBeCounted) {
    EXPECT_THROW(ConfusionMatrix(0), Error);
    EXPECT_THROW(ConfusionMatrix(2, Classes{0, 1}, Classes{0}), Error);
    EXPECT_THROW(ConfusionMatrix(2, Classes{2}, Classes{0}), Error);
    EXPECT_THROW(ConfusionMatrix(2, Classes{0}, Classes{-1}), Error);
    EXPECT_THROW(classificationValues(ConfusionMatrix(2), {}), Error);
    EXPECT_THROW(classificationValues(binary(), {{"one"}, {}}), Error);
    EXPECT_THROW(classificationValues(binary(), {{}, 2}), Error);
    EXPECT_THROW(classificationValues({3, Classes{0}, Classes{0}}, {{}, 1}), Error);
}

}  // namespace
}  // namespace heddle
