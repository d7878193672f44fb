// SPDX-License-Identifier: Apache-2.0
// Definitions are scikit-learn's (sklearn.metrics: accuracy_score, precision_recall_fscore_support, matthews_corrcoef), its
// zero-division conventions included. Matthews: Gorodkin 2004, "Comparing two K-category assignments by a K-category
// correlation coefficient": R_K = (c s − Σ p_k t_k) / √((s² − Σ p_k²)(s² − Σ t_k²)), c correct of s, p_k predicted and t_k true
// examples of k.
#include "engine/metrics/classification.h"

#include "engine/base/error.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle {
namespace {

constexpr const char* kWhere = "classification metrics";

double ratio(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string nameOf(std::int64_t c, const ClassificationOptions& options) {
    return options.names.empty() ? std::to_string(c) : options.names[static_cast<std::size_t>(c)];
}

void check(const ConfusionMatrix& matrix, const ClassificationOptions& options) {
    if (matrix.total() == 0) throwInvalid("no predictions", kWhere, "evaluate at least one example");
    if (!options.names.empty() && static_cast<std::int64_t>(options.names.size()) != matrix.classes())
        throwInvalid(fmt::format("{} names for {} classes", options.names.size(), matrix.classes()), kWhere,
                     "give one name for every class, or none");
    if (options.positive && (matrix.classes() != 2 || *options.positive < 0 || *options.positive > 1))
        throwInvalid(fmt::format("positive class {} of {} classes", *options.positive, matrix.classes()), kWhere,
                     "use class 0 or 1 of a two-class task, or leave it out for the macro average");
}

std::string accuracyWarning(const ConfusionMatrix& matrix, const ClassificationOptions& options) {
    if (std::string same = onePredictionWarning(matrix, options); !same.empty()) return same;
    const std::int64_t majority = matrix.majorityClass(), share = matrix.truthCount(majority);
    if (matrix.correct() > share || share == matrix.total()) return {};
    return fmt::format("not above the majority class: always predicting \"{}\" is correct in {:.1f} % of examples",
                       nameOf(majority, options), 100 * ratio(share, matrix.total()));
}

/// Why Matthews is 0 by convention, or nothing.
std::string matthewsWarning(const ConfusionMatrix& matrix) {
    for (std::int64_t c = 0; c < matrix.classes(); ++c) {
        if (matrix.predictedCount(c) == matrix.total()) return "undefined where all predictions are one class; 0 by convention";
        if (matrix.truthCount(c) == matrix.total()) return "undefined where all examples are one class; 0 by convention";
    }
    return {};
}

std::string f1Warning(const ClassScore& score) {
    return score.truth + score.predicted == 0 ? "the class neither occurs nor is predicted; 0 by convention" : "";
}

/// "f1": of the positive class, or the macro average.
MetricValue headlineF1(const ConfusionMatrix& matrix, const ClassificationOptions& options) {
    const std::int64_t n = matrix.total();
    if (!options.positive)
        return {"f1", macroF1(matrix), metricSignature("f1", {{"average", "macro"}, {"zero_division", "0"}}, n), n, ""};
    const ClassScore score = classScore(matrix, *options.positive);
    const std::string positive = nameOf(*options.positive, options);
    return {"f1", score.f1, metricSignature("f1", {{"average", "binary"}, {"positive", positive}, {"zero_division", "0"}}, n),
            n, f1Warning(score)};
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::int64_t classes) : classes_(classes) {
    if (classes < 1) throwInvalid(fmt::format("{} classes", classes), kWhere, "use at least one class");
    counts_.resize(static_cast<std::size_t>(classes * classes));
}

ConfusionMatrix::ConfusionMatrix(std::int64_t classes, std::span<const std::int64_t> truth,
                                 std::span<const std::int64_t> predicted)
    : ConfusionMatrix(classes) {
    if (truth.size() != predicted.size())
        throwInvalid(fmt::format("{} predictions for {} examples", predicted.size(), truth.size()), kWhere,
                     "give one prediction per example");
    for (std::size_t i = 0; i < truth.size(); ++i) add(truth[i], predicted[i]);
}

void ConfusionMatrix::add(std::int64_t truth, std::int64_t predicted) {
    for (const std::int64_t c : {truth, predicted})
        if (c < 0 || c >= classes_)
            throwInvalid(fmt::format("class {} of {}", c, classes_), kWhere, fmt::format("use classes 0 to {}", classes_ - 1));
    ++counts_[static_cast<std::size_t>(truth * classes_ + predicted)];
}

std::int64_t ConfusionMatrix::at(std::int64_t truth, std::int64_t predicted) const {
    return counts_.at(static_cast<std::size_t>(truth * classes_ + predicted));
}

std::int64_t ConfusionMatrix::truthCount(std::int64_t c) const {
    std::int64_t sum = 0;
    for (std::int64_t other = 0; other < classes_; ++other) sum += at(c, other);
    return sum;
}

std::int64_t ConfusionMatrix::predictedCount(std::int64_t c) const {
    std::int64_t sum = 0;
    for (std::int64_t other = 0; other < classes_; ++other) sum += at(other, c);
    return sum;
}

std::int64_t ConfusionMatrix::correct() const {
    std::int64_t sum = 0;
    for (std::int64_t c = 0; c < classes_; ++c) sum += at(c, c);
    return sum;
}

std::int64_t ConfusionMatrix::total() const {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts_) sum += count;
    return sum;
}

std::int64_t ConfusionMatrix::majorityClass() const {
    std::int64_t best = 0;
    for (std::int64_t c = 1; c < classes_; ++c)
        if (truthCount(c) > truthCount(best)) best = c;
    return best;
}

ClassScore classScore(std::int64_t correct, std::int64_t predicted, std::int64_t truth) {
    return {ratio(correct, predicted), ratio(correct, truth), ratio(2 * correct, predicted + truth), truth, predicted};
}

ClassScore classScore(const ConfusionMatrix& matrix, std::int64_t c) {
    return classScore(matrix.at(c, c), matrix.predictedCount(c), matrix.truthCount(c));
}

double macroF1(const std::vector<ClassScore>& classes) {
    double sum = 0;
    std::int64_t present = 0;
    for (const ClassScore& score : classes) {
        if (score.truth + score.predicted == 0) continue;
        sum += score.f1;
        ++present;
    }
    return present == 0 ? 0 : sum / static_cast<double>(present);
}

double macroF1(const ConfusionMatrix& matrix) {
    std::vector<ClassScore> classes;
    for (std::int64_t c = 0; c < matrix.classes(); ++c) classes.push_back(classScore(matrix, c));
    return macroF1(classes);
}

double matthews(const ConfusionMatrix& matrix) {
    const auto s = static_cast<double>(matrix.total()), c = static_cast<double>(matrix.correct());
    double both = 0, predicted = 0, truth = 0;
    for (std::int64_t k = 0; k < matrix.classes(); ++k) {
        const auto p = static_cast<double>(matrix.predictedCount(k)), t = static_cast<double>(matrix.truthCount(k));
        both += p * t;
        predicted += p * p;
        truth += t * t;
    }
    const double square = (s * s - predicted) * (s * s - truth);
    return square == 0 ? 0 : (c * s - both) / std::sqrt(square);
}

std::vector<MetricValue> classificationValues(const ConfusionMatrix& matrix, const ClassificationOptions& options) {
    check(matrix, options);
    const std::int64_t n = matrix.total();
    const double accuracy = ratio(matrix.correct(), n);
    const double majority = ratio(matrix.truthCount(matrix.majorityClass()), n);
    const auto f1Signature = [n](const char* average) {
        return metricSignature("f1", {{"average", average}, {"zero_division", "0"}}, n);
    };
    return {{"accuracy", accuracy, metricSignature("acc", {}, n), n, accuracyWarning(matrix, options)},
            headlineF1(matrix, options),
            {"macro_f1", macroF1(matrix), f1Signature("macro"), n, ""},
            {"micro_f1", accuracy, f1Signature("micro"), n, ""},  // one label an example: precision = recall = accuracy
            {"matthews", matthews(matrix), metricSignature("mcc", {{"zero_division", "0"}}, n), n, matthewsWarning(matrix)},
            {"majority_rate", majority, metricSignature("majority", {}, n), n, ""}};
}

std::vector<MetricValue> classValues(const ConfusionMatrix& matrix, const ClassificationOptions& options) {
    check(matrix, options);
    const std::int64_t n = matrix.total();
    std::vector<MetricValue> values;
    for (std::int64_t c = 0; c < matrix.classes(); ++c) {
        const ClassScore score = classScore(matrix, c);
        const std::string name = nameOf(c, options);
        const auto add = [&](const char* metric, double value, std::int64_t over, std::string warning) {
            values.push_back({std::string(metric) + "/" + name, value,
                              metricSignature(metric, {{"class", name}, {"zero_division", "0"}}, over), over,
                              std::move(warning)});
        };
        add("precision", score.precision, n, score.predicted == 0 ? "the class is never predicted; 0 by convention" : "");
        add("recall", score.recall, score.truth, score.truth == 0 ? "the class does not occur; 0 by convention" : "");
        add("f1", score.f1, score.truth, f1Warning(score));
        values.push_back({"predicted/" + name, static_cast<double>(score.predicted),
                          metricSignature("predicted", {{"class", name}}, n), n, ""});
    }
    return values;
}

std::string onePredictionWarning(const ConfusionMatrix& matrix, const ClassificationOptions& options) {
    const std::int64_t n = matrix.total();
    for (std::int64_t c = 0; c < matrix.classes() && n > 0; ++c)
        if (matrix.predictedCount(c) == n && matrix.truthCount(c) < n)
            return fmt::format(
                "all {} predictions are \"{}\", which {} of the examples are: the model does not distinguish the classes", n,
                nameOf(c, options), matrix.truthCount(c));
    return {};
}

}  // namespace heddle
