// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/metric.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle {

/// Counts of (true class, predicted class). Classes are numbers from 0.
class ConfusionMatrix {
public:
    /// Throws Error(InvalidInput) below one class.
    explicit ConfusionMatrix(std::int64_t classes);
    /// Of two lists in the same order. Throws Error(InvalidInput) for unequal lengths or a number that is no class.
    ConfusionMatrix(std::int64_t classes, std::span<const std::int64_t> truth, std::span<const std::int64_t> predicted);

    /// Counts one example. Throws Error(InvalidInput) for a number that is no class.
    void add(std::int64_t truth, std::int64_t predicted);

    std::int64_t classes() const { return classes_; }
    std::int64_t at(std::int64_t truth, std::int64_t predicted) const;
    std::int64_t truthCount(std::int64_t c) const;      ///< examples of class c
    std::int64_t predictedCount(std::int64_t c) const;  ///< examples predicted as c
    std::int64_t correct() const;
    std::int64_t total() const;
    std::int64_t majorityClass() const;  ///< the most frequent true class; the first of equal ones

private:
    std::int64_t classes_;
    std::vector<std::int64_t> counts_;  ///< [truth, predicted]
};

struct ClassScore {
    double precision = 0, recall = 0, f1 = 0;
    std::int64_t truth = 0, predicted = 0;
};

/// F1 = 2 PR / (P + R) from counts, as scikit-learn's precision_recall_fscore_support with zero_division=0: 0 wherever a
/// denominator is 0.
ClassScore classScore(std::int64_t correct, std::int64_t predicted, std::int64_t truth);

/// One class against all others.
ClassScore classScore(const ConfusionMatrix& matrix, std::int64_t c);

/// Mean F1 of the classes that occur in truth or prediction (scikit-learn's average="macro" with its own labels).
double macroF1(const std::vector<ClassScore>& classes);
double macroF1(const ConfusionMatrix& matrix);

/// Matthews correlation; of more than two classes R_K (Gorodkin 2004). 0 where it is undefined, as scikit-learn has it: all
/// predictions, or all examples, of one class.
double matthews(const ConfusionMatrix& matrix);

struct ClassificationOptions {
    std::vector<std::string> names;        ///< of the classes, for warnings and parts; empty: their numbers
    std::optional<std::int64_t> positive;  ///< the positive class of "f1", with two classes; none: "f1" is the macro average
};

/// "accuracy", "f1", "macro_f1", "micro_f1", "matthews", "majority_rate", in this order. accuracy carries a warning when all
/// predictions are one class or the majority class would be as accurate. Throws Error(InvalidInput) without examples, when
/// there is not one name per class, or when `positive` is not one of two classes.
std::vector<MetricValue> classificationValues(const ConfusionMatrix& matrix, const ClassificationOptions& options);

/// "precision/NAME", "recall/NAME", "f1/NAME" and "predicted/NAME" (number of predictions) of every class; n: its examples (of
/// "precision" and "predicted": all).
std::vector<MetricValue> classValues(const ConfusionMatrix& matrix, const ClassificationOptions& options);

/// The warning for a model that predicts one class for all examples although the truth has several; empty otherwise.
std::string onePredictionWarning(const ConfusionMatrix& matrix, const ClassificationOptions& options);

}  // namespace heddle
