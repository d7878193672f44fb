// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// One module of a model that was built.
struct BuiltModule {
    std::string path;   ///< "encoder.layers.0.self.residual"
    std::string block;  ///< id of the slot's block: "grc"; empty for parameters outside of all blocks
    std::int64_t parameters = 0;
    bool operator==(const BuiltModule&) const = default;
};

}  // namespace heddle
