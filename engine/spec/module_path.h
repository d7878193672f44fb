// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// "encoder.layers.0.self.scorer" of "encoder.layers.0.self.scorer.q.weight", "head" of "head.weight": the path that the count
/// and the resolved tree give the module of a parameter.
std::string modulePath(const std::string& parameter);

/// All that encloses a parameter, the largest first: its stack, its layer, its module ("encoder", "encoder.layers.0",
/// "encoder.layers.0.self.scorer"); for one outside the stacks its module alone.
std::vector<std::string> enclosingPaths(const std::string& parameter);

/// Sorts paths as the model is evaluated: stack, layer, sublayer; what encloses others before them.
bool comesBefore(const std::string& a, const std::string& b);

}  // namespace heddle
