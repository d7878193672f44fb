// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace heddle {

/// λ₀ of differential attention in layer 0, 1, … (Ye et al. 2025, section 2.1).
inline double differentialStart(std::int64_t layer) { return 0.8 - 0.6 * std::exp(-0.3 * static_cast<double>(layer)); }

}  // namespace heddle
