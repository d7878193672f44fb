// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"
#include "engine/train/checkpoint/train_state.h"
#include "engine/train/loop/evaluation.h"

namespace heddle {

/// Split "train": means over the steps of an epoch, as they were trained (dropout on, weights moving). Metrics: "loss" (without
/// label smoothing, comparable with the other splits), "objective" (what was minimised), "accuracy" where the task has one.
EvaluationDone trainMeans(const EpochSums& sums, std::int64_t epoch, const Task& task, double smoothing);

/// Splits "valid" and "test": "loss", "accuracy" where the task has one, and the task's metrics with their signatures.
EvaluationDone evaluationDone(const std::string& split, std::int64_t epoch, const Task& task, const Evaluation& evaluation);

/// The value early stopping looks at ("loss" | "bleu" | "accuracy"), if the evaluation has it.
std::optional<double> metricValue(const EvaluationDone& evaluation, const std::string& metric);

/// Is `value` better than `best` in this metric, as metricInfo() says? Never when it is not a number.
bool isImprovement(const std::string& metric, double value, const std::optional<double>& best);

/// That positions are not captured as graphs when texts are decoded, and why.
std::string uncapturedDecodingWarning(const std::string& why);

/// The process's peak resident memory so far.
MemoryMeasured measureMemory();

}  // namespace heddle
