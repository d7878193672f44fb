// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/buckets.h"
#include "engine/run/inspection.h"
#include "engine/train/loop/evaluation.h"

#include <string>
#include <vector>

namespace heddle {

/// What was measured of a model on some examples.
struct MeasuredModel {
    const std::vector<EvaluationDone::Value>& values;
    const std::vector<SentenceLoss>& examples;
    const TaskMetrics& task;
};

/// Every metric that both have; both measured the same examples.
std::vector<MetricEffect> metricEffects(const MeasuredModel& trained, const MeasuredModel& intervened);

/// Outputs of the examples that both show.
std::vector<OutputEffect> outputEffects(const Evaluation& trained, const Evaluation& intervened);

/// Of gates and attention weights that are clamped at what they never are.
std::vector<std::string> rangeWarnings(const std::vector<Intervention>& interventions, const InterventionTargets& targets);

/// What a ranking tries, in the order of the model. Throws Error(Usage) where there is nothing.
std::vector<Intervention> rankedInterventions(const RankRequest& request, const InterventionTargets& targets);

RankReport::Entry rankEntry(const Intervention& intervention, const std::vector<MetricEffect>& effects);

/// What raises the loss most comes first, before everything what makes it no number; equal ones stay in their order.
void sortByCost(std::vector<RankReport::Entry>& entries);

}  // namespace heddle
