// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

/// Sums over the steps of the running epoch, in double and in step order, so that they do not depend on when they were drained.
struct EpochSums {
    double objective = 0;  ///< Σ objective · tokens
    double nll = 0;        ///< Σ of the task's loss, not smoothed; cross-entropy: nats
    double correct = 0;    ///< answers that were right
    double tokens = 0;     ///< answers that were asked for
};

/// Where training stands at a step border, beside parameters and optimizer: with those two it decides everything that follows.
/// Randomness is stateless (seed and step) and a batch is a function of (epoch, batch), so that nothing else needs saving.
struct TrainState {
    std::int64_t step = 0;       ///< updates done
    std::int64_t epoch = 0;      ///< of the next batch; equals the number of completed epochs
    std::int64_t batch = 0;      ///< next batch of that epoch
    bool evaluationDue = false;  ///< this border has an evaluation that is not done yet
    bool bleuDue = false;        ///< …and it is one that decodes
    EpochSums sums;
    std::optional<double> best;           ///< best value of the stop metric so far
    std::int64_t bestStep = 0;            ///< where it was reached
    std::int64_t withoutImprovement = 0;  ///< evaluations since
    std::int64_t reductions = 0;          ///< schedule plateau: how often the rate was lowered
    std::int64_t sinceReduction = 0;      ///< …and evaluations without improvement since
    bool operator==(const TrainState& other) const { return toJson() == other.toJson(); }

    Json toJson() const;
    /// Throws Error(InvalidInput) naming `where` and the member that is missing or of the wrong type.
    static TrainState fromJson(const Json& document, const std::string& where);
};

}  // namespace heddle
