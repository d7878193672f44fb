// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// What a value of a metric was measured on and how.
struct Measured {
    std::int64_t n = 0;     ///< sentences, tokens, …
    std::string signature;  ///< the metric's rule
    std::string data;       ///< splitContent(); empty: not known
    bool operator==(const Measured&) const = default;
};

/// Why two values of one metric must not be put beside each other.
enum class Unlike { Count, Signature, Data };

/// "n differs", "signature differs", "data differ".
std::string reasonOf(Unlike unlike);

/// In what the measuring of two values differs; nothing where they can be compared.
std::vector<Unlike> unlike(const Measured& value, const Measured& reference);

}  // namespace heddle
