// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/training_interventions.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"

#include <utility>

namespace heddle {

TrainingInterventions::TrainingInterventions(Model& model, std::vector<InterventionsAt> journal)
    : model_(model), changed_(model), journal_(std::move(journal)) {}

void TrainingInterventions::set(std::vector<Intervention> interventions) {
    neutral_.reset();
    neutral_ = std::make_unique<NeutralWeights>(model_, interventions);
    changed_.set(interventions);
    inForce_ = std::move(interventions);
}

bool TrainingInterventions::repeat(std::int64_t step) {
    const std::size_t before = repeated_;
    while (repeated_ < journal_.size() && journal_[repeated_].step <= step) ++repeated_;
    if (repeated_ == before) return false;
    set(journal_[repeated_ - 1].inForce);
    return true;
}

Intervened TrainingInterventions::change(const InterventionChange& change, std::int64_t step) {
    if (repeated_ < journal_.size())
        throw Error(ErrorCode::Usage,
                    "the run replays steps that were trained with other interventions, up to step " +
                        std::to_string(journal_.back().step),
                    "step " + std::to_string(step), "ask again after that step");
    const std::vector<Intervention> before = inForce_;
    try {
        set(changedInterventions(before, change, interventionTargets(model_.variant())));
    } catch (const Error&) {  // of a block without neutral parameters
        set(before);
        throw;
    }
    return {inForce_, change.add, change.remove};
}

void TrainingInterventions::withTrainedWeights(const std::function<void()>& use) {
    neutral_.reset();
    try {
        use();
    } catch (...) {  // training goes on without a checkpoint when the disk is full
        neutral_ = std::make_unique<NeutralWeights>(model_, inForce_);
        throw;
    }
    neutral_ = std::make_unique<NeutralWeights>(model_, inForce_);
}

}  // namespace heddle
