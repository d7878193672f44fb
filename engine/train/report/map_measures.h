// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Measures of one sentence's attention as series of one value: for every head (path "<module>/head N") "attention_distance" in
/// tokens, "attention_entropy" in bits and "attention_sink", the share of the first key; over all heads (path "<module>")
/// "attention_logit", the highest score of a key that is not hidden; over pairs of different heads (path "<module>")
/// "head_divergence" in bits and "head_cosine", the cosine of their scores after subtracting row means.
class MapMeasures {
public:
    /// `scores` [heads, rows, columns] of the same module as the softmax reads them, after a cap, or empty. Of weights that may
    /// be negative (talking heads, differences) only the highest logit is measured, of weights that are not finite nothing.
    void add(const MapTaken& weights, const std::vector<float>& scores, std::int64_t step);
    /// Returns all series, and for every name one with an empty path: the mean over heads or modules, or the highest logit.
    StepBlock take(std::int64_t step);

private:
    void put(const char* name, const std::string& path, std::int64_t step, double value);

    StepBlock block_;
};

}  // namespace heddle
