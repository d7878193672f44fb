// SPDX-License-Identifier: Apache-2.0
// The mean of the weights of a run's last checkpoints, often a better model than any of them (Polyak and Juditsky 1992; Vaswani
// et al. 2017, section 6.1, average 5 to 20).
#pragma once

#include "engine/run/engine.h"
#include "engine/train/checkpoint/named_tensors.h"

#include <cstdint>
#include <string>

namespace heddle {

/// The mean of weights, tensor by tensor: θ̄ = Σ θ_i ÷ n, summed in float64 in the order in which they are added.
class WeightMean {
public:
    /// Throws Error(InvalidInput) naming `where` unless names, shapes and types are those of the weights added before, and
    /// Error(Diverged) for NaN or infinity.
    void add(NamedTensors weights, const std::string& where);

    /// In the types of the weights that were added; tensors that are not floating are those of the last ones.
    NamedTensors mean() const;

private:
    NamedTensors sums_;  ///< float64
    NamedTensors last_;
    std::int64_t count_ = 0;
};

/// See Engine::averageCheckpoints.
CheckpointWritten averageCheckpoints(const AverageRequest& request);

}  // namespace heddle
