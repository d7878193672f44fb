// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/reports.h"

#include "engine/analysis/comparable.h"
#include "engine/base/json.h"
#include "engine/metrics/metric.h"
#include "engine/spec/task_kinds.h"

#include <algorithm>
#include <cmath>

namespace heddle {
EvaluationDone trainMeans(const EpochSums& sums, std::int64_t epoch, const Task& task, const TrainSpec& train) {
    const auto labels = static_cast<std::int64_t>(sums.labels);
    EvaluationDone done;
    done.epoch = epoch;
    done.split = "train";
    const std::string& caveat = task.caveat();
    const std::string zLoss = train.zLoss > 0 ? "|z:" + Json(train.zLoss).dump() : "";
    done.values = {
        {"loss", sums.nll / sums.labels, task.lossSignature(0) + caveat, labels},
        {"objective", sums.objective / sums.labels, task.lossSignature(train.labelSmoothing) + zLoss + caveat, labels}};
    if (const std::string signature = task.accuracySignature(); !signature.empty())
        done.values.push_back({"accuracy", sums.correct / sums.labels, signature + caveat, labels});
    return done;
}

EvaluationDone evaluationDone(const std::string& split, std::int64_t epoch, const Task& task, const Evaluation& evaluation) {
    EvaluationDone done;
    done.epoch = epoch;
    done.split = split;
    const std::string drawn = task.drawSignature() + task.caveat();
    done.values = {{"loss", evaluation.loss, task.lossSignature(0) + drawn, evaluation.labels}};
    const auto& scored = evaluation.metrics.values;
    const bool hasOwn = std::any_of(scored.begin(), scored.end(), [](const auto& value) { return value.metric == "accuracy"; });
    if (const std::string signature = task.accuracySignature(); !signature.empty() && !hasOwn)
        done.values.push_back({"accuracy", evaluation.accuracy, signature + drawn, evaluation.labels});
    for (EvaluationDone::Value value : scored) {
        if (!isDecodedMetric(value.metric)) value.signature += task.caveat();  // decoding is given no answers
        done.values.push_back(std::move(value));
    }
    return done;
}

void markAveraged(EvaluationDone& evaluation, const TrainSpec& train) {
    if (train.ema == 0) return;
    for (auto& value : evaluation.values) {
        if (!value.signature.empty()) value.signature += '|';
        value.signature += kMovingAverage;
        value.signature += Json(train.ema).dump();
    }
}

std::optional<double> metricValue(const EvaluationDone& evaluation, const std::string& metric) {
    for (const auto& value : evaluation.values)
        if (value.metric == metric) return value.value;
    return std::nullopt;
}

bool isImprovement(const std::string& metric, double value, const std::optional<double>& best) {
    if (std::isnan(value)) return false;
    if (!best) return true;
    return metricInfo(metric).higherIsBetter ? value > *best : value < *best;
}

std::string uncapturedDecodingWarning(const std::string& why) {
    return "decoding is not captured as graphs and takes longer: " + why;
}

}  // namespace heddle
