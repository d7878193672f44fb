// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/intervened_model.h"
#include "engine/run/events.h"
#include "engine/run/intervention_change.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace heddle {

/// The interventions in one attempt's training: the list in force, the model that it changes, and the journal of earlier
/// attempts, which a resumed attempt repeats after the same steps. A checkpoint holds the trained weights, never neutral ones,
/// and no list: the journal alone says what is in force. Engine thread only.
class TrainingInterventions {
public:
    /// `model` must outlive this. `journal`: see TrainRequest::interventions.
    TrainingInterventions(Model& model, std::vector<InterventionsAt> journal);

    /// The model to train, evaluate and watch. It stays the same object when interventions change.
    Model& model() { return changed_; }
    const std::vector<Intervention>& inForce() const { return inForce_; }

    /// Puts the journal's newest list up to `step` in force. True if there was a new one.
    bool repeat(std::int64_t step);

    /// Makes a change after `step`. Returns the event to record. Throws Error, see changedInterventions() and NeutralWeights;
    /// Error(Usage) while the journal has lists that are still to be repeated. Then nothing has changed.
    Intervened change(const InterventionChange& change, std::int64_t step);

    /// Calls `use` while every parameter has its trained value. Makes the neutral blocks neutral again afterwards, also when
    /// `use` throws.
    void withTrainedWeights(const std::function<void()>& use);

private:
    void set(std::vector<Intervention> interventions);

    Model& model_;
    IntervenedModel changed_;
    std::vector<InterventionsAt> journal_;
    std::size_t repeated_ = 0;  ///< entries of the journal
    std::vector<Intervention> inForce_;
    std::unique_ptr<NeutralWeights> neutral_;
};

}  // namespace heddle
