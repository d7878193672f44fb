// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/example_set.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Reads the residual stream after each layer as if the model ended there, with the model's own final norm and head (logit
/// lens, nostalgebraist 2020). Nothing is trained for it, unlike the tuned lens (Belrose et al. 2023, arXiv 2303.08112).
struct LensRequest {
    ExampleSet on = {};
};

/// What the head says of the state after a layer; means over all positions that the loss counts.
struct LensLayer {
    std::int64_t layer = 0;  ///< layers passed; 0: none
    std::string path;        ///< "decoder.layers.3"; "decoder.h0" before the first layer
    double loss = 0;         ///< of the reference, nats
    double accuracy = 0;     ///< share of positions whose likeliest token is the reference
    double sameAsFinal = 0;  ///< share of positions whose likeliest token is that of the whole model
    double divergence = 0;   ///< KL(p of the whole model ‖ p of this layer), nats
};

struct LensReport {
    std::string split;
    std::int64_t examples = 0, positions = 0;
    std::vector<LensLayer> layers;      ///< in the order of the pass; the last is the whole model
    std::vector<std::string> warnings;  ///< to be shown beside the numbers
    double seconds = 0;
};

}  // namespace heddle
