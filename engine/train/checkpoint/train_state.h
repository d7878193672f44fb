// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

/// Sums over the steps of the current epoch, in double and in step order, so that they do not depend on when they are drained.
struct EpochSums {
    double objective = 0;  ///< Σ objective · labels
    double nll = 0;        ///< Σ of the task's loss, not smoothed; cross-entropy: nats
    double correct = 0;    ///< labels predicted right
    double labels = 0;     ///< how many
};

/// The state of training at a step border besides parameters and optimizer state; together they determine all that follows.
/// Randomness is stateless (seed and step) and a batch is a function of (epoch, batch), so nothing else must be saved.
struct TrainState {
    std::int64_t step = 0;       ///< updates done
    std::int64_t epoch = 0;      ///< of the next batch; equals the number of completed epochs
    std::int64_t batch = 0;      ///< next batch of that epoch
    bool evaluationDue = false;  ///< an evaluation at this border is still to do
    bool bleuDue = false;        ///< …with decoding
    EpochSums sums;
    std::optional<double> best;           ///< best value of the stop metric so far
    std::int64_t bestStep = 0;            ///< where it was reached
    std::int64_t withoutImprovement = 0;  ///< evaluations since then
    std::int64_t reductions = 0;          ///< schedule plateau: number of reductions of the learning rate
    std::int64_t sinceReduction = 0;      ///< …and evaluations without improvement since
    double seconds = 0;                   ///< of training and evaluation, where train.budget.seconds limits them
    double borderSeconds = 0;             ///< since the last step, as in an evaluation; they count with the next step
    bool operator==(const TrainState& other) const { return toJson() == other.toJson(); }

    Json toJson() const;
    /// Throws Error(InvalidInput) naming `where` and the member that is missing or of the wrong type.
    static TrainState fromJson(const Json& document, const std::string& where);
};

}  // namespace heddle
