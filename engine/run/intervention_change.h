// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/interventions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A change to the interventions in a run's training, in force from the next step on.
struct InterventionChange {
    std::vector<Intervention> add, remove;
    bool operator==(const InterventionChange&) const = default;
};

/// The kind of the events that record what is in force (wordsOf(const Intervened&)).
inline constexpr const char* kInterventionEvent = "intervention";

/// The interventions in force after `step`, as such an event records them.
struct InterventionsAt {
    std::int64_t step = 0;
    std::vector<Intervention> inForce;
    bool operator==(const InterventionsAt&) const = default;
};

/// `data`: of the event, JSON text. Throws Error(InvalidInput) when it names no interventions.
InterventionsAt readInterventionsAt(std::int64_t step, const std::string& data);

Json interventionsDocument(const std::vector<Intervention>& interventions);
/// Throws Error(InvalidInput) unless `document` is a list of interventions.
std::vector<Intervention> readInterventions(const Json& document);

/// Builds the question that makes the change when RunControl::ask() sends it: {"ask":"intervene","add":[…],"remove":[…]}. The
/// answer, {"step":N,"interventions":[…]}, lists the interventions in force after step N.
Json interventionQuestion(const InterventionChange& change);
bool isInterventionQuestion(const Json& question);
/// Throws Error(InvalidInput) for any other question.
InterventionChange readInterventionChange(const Json& question);

/// What is in force after the change. Throws Error(Usage) when it changes nothing, removes an intervention that is not in
/// force, or adds one that the model does not allow (checkInterventions) or that a training has no examples for (mean,
/// resample).
std::vector<Intervention> changedInterventions(const std::vector<Intervention>& inForce, const InterventionChange& change,
                                               const InterventionTargets& targets);

/// "mute encoder.layers.0.self:3, clamp decoder.layers.1.ffn.residual.gate=0"; "none" for an empty list.
std::string sentenceOf(const std::vector<Intervention>& interventions);

}  // namespace heddle
