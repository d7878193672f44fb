// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Measures one sentence's attention, a module after the other, as series of one value: of every head (path
/// "<module>/head N") "attention_distance" in tokens and "attention_entropy" in bits; over pairs of different heads (path
/// "<module>") "head_divergence" in bits and "head_cosine", the cosine of their scores with each row's mean taken off.
class MapMeasures {
public:
    /// `scores` [heads, rows, columns] are those of the same module, or empty. Weights that are no shares, such as the negative
    /// ones of talking heads, and weights that are not finite are left out.
    void add(const MapTaken& weights, const std::vector<float>& scores, std::int64_t step);
    /// All of them, and for every name the mean over heads or modules under the empty path.
    StepBlock take(std::int64_t step);

private:
    void put(const char* name, const std::string& path, std::int64_t step, double value);

    StepBlock block_;
};

}  // namespace heddle
