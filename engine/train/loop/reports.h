// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"
#include "engine/spec/run_spec.h"
#include "engine/train/checkpoint/train_state.h"
#include "engine/train/loop/evaluation.h"

namespace heddle {

/// Split "train": means over the training steps of an epoch (with dropout, while weights change). Metrics: "loss" (without
/// label smoothing, comparable with the other splits), "objective" (the minimised loss), "accuracy" if the task has one.
EvaluationDone trainMeans(const EpochSums& sums, std::int64_t epoch, const Task& task, const TrainSpec& train);

/// Splits "valid" and "test": "loss", "accuracy" if the task has one, and the task's metrics with their signatures.
EvaluationDone evaluationDone(const std::string& split, std::int64_t epoch, const Task& task, const Evaluation& evaluation);

/// Says in every signature that the weights were a moving average, if they were (train.ema).
void markAveraged(EvaluationDone& evaluation, const TrainSpec& train);

/// The value of a metric ("loss" | "bleu" | "accuracy"), if the evaluation has it.
std::optional<double> metricValue(const EvaluationDone& evaluation, const std::string& metric);

/// Whether `value` is better than `best` in this metric (see metricInfo()). False for NaN.
bool isImprovement(const std::string& metric, double value, const std::optional<double>& best);

/// The warning that decoding steps are not captured as graphs, with the reason.
std::string uncapturedDecodingWarning(const std::string& why);

}  // namespace heddle
