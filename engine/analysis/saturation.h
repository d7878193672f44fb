// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

/// Share of the values of a gate's histogram in the first and the last twentieth of the gate's range, or beyond it: a sigmoid
/// below 0.05 or above 0.95, a tanh beyond ± 0.9. 0 of no values. `bins` divide the range evenly.
double saturatedShare(const std::vector<std::uint32_t>& bins, std::uint64_t below, std::uint64_t above);

}  // namespace heddle
