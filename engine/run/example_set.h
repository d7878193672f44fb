// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// The examples that something is measured on.
struct ExampleSet {
    std::string split = "valid";  ///< or "test"
    std::int64_t examples = 256;  ///< the first so many; 0: all
    bool operator==(const ExampleSet&) const = default;
};

}  // namespace heddle
