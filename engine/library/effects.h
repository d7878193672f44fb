// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/buckets.h"
#include "engine/run/inspection.h"
#include "engine/train/loop/evaluation.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// An evaluation of a model on some examples.
struct MeasuredModel {
    const std::vector<EvaluationDone::Value>& values;
    const std::vector<SentenceLoss>& examples;
    const TaskMetrics& task;
};

/// Every metric that both evaluations have; both must be of the same examples. `ranked`: the number of changes that a ranking
/// tries, for MetricEffect::simultaneous; nothing: this is no ranking.
std::vector<MetricEffect> metricEffects(const MeasuredModel& trained, const MeasuredModel& intervened,
                                        std::optional<std::int64_t> ranked = {});

/// The outputs for the examples that both evaluations show.
std::vector<OutputEffect> outputEffects(const Evaluation& trained, const Evaluation& intervened);

/// A warning for each gate or attention weight in [0, 1] that is clamped to a value outside of that range.
std::vector<std::string> rangeWarnings(const std::vector<Intervention>& interventions, const InterventionTargets& targets);

/// A warning of the gates that a ranking leaves out because they have no mean and no value in another example.
std::vector<std::string> leftOutWarnings(const RankRequest& request, const InterventionTargets& targets);

/// The interventions that a ranking tries, in the order of the model. Throws Error(Usage) if there are none.
std::vector<Intervention> rankedInterventions(const RankRequest& request, const InterventionTargets& targets);

RankReport::Entry rankEntry(const Intervention& intervention, const std::vector<MetricEffect>& effects);

/// Gives the p of effects of one metric, each of which has an interval, their Holm correction for so many candidates.
void correctForCandidates(const std::vector<MetricEffect*>& effects, std::int64_t candidates);

/// Gives every interval's p its Holm correction for all candidates of the ranking, of loss and accuracy apart.
void correctForAll(RankReport& report);

/// Sorts by the increase of the loss, largest first; NaN counts as the largest. Equal entries keep their order.
void sortByCost(std::vector<RankReport::Entry>& entries);

}  // namespace heddle
