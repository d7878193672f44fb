// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// One module of a model that was built.
struct BuiltModule {
    std::string path;   ///< "encoder.layers.0.self.residual"
    std::string block;  ///< id of the slot's block: "grc"; empty for parameters outside of all blocks
    std::int64_t parameters = 0;
    bool operator==(const BuiltModule&) const = default;
};

/// "encoder.layers.0.self.scorer" of "encoder.layers.0.self.scorer.q.weight", "head" of "head.weight": the module path of a
/// parameter, as in the count and the resolved tree.
std::string modulePath(const std::string& parameter);

/// The paths enclosing a parameter, outermost first: its stack, its layer, its module ("encoder", "encoder.layers.0",
/// "encoder.layers.0.self.scorer"); outside the stacks only its module.
std::vector<std::string> enclosingPaths(const std::string& parameter);

/// Orders paths by evaluation: stack, layer, sublayer; enclosing paths first.
bool comesBefore(const std::string& a, const std::string& b);

}  // namespace heddle
