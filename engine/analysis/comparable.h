// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Begins the part of a signature that says that the weights were a moving average over training ("ema:0.999", train.ema). It
/// is a setting of training as any other, and no part of the metric's rule.
inline constexpr std::string_view kMovingAverage = "ema:";

/// What a value of a metric was measured on and how.
struct Measured {
    std::int64_t n = 0;     ///< sentences, tokens, …
    std::string signature;  ///< the metric's rule, and perhaps kMovingAverage; parts are separated by '|'
    std::string data;       ///< splitContent(); empty: not known
    bool operator==(const Measured&) const = default;
};

/// Why two values of one metric must not be put beside each other.
enum class Unlike { Count, Signature, Data };

/// "n differs", "signature differs", "data differ".
std::string reasonOf(Unlike unlike);
/// Returns reasonOf() of each, separated by commas.
std::string reasonsOf(const std::vector<Unlike>& unlike);

/// In what the measuring of two values differs; nothing where they can be compared. Moving averages do not matter.
std::vector<Unlike> unlike(const Measured& value, const Measured& reference);

}  // namespace heddle
