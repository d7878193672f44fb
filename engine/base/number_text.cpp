// SPDX-License-Identifier: Apache-2.0
#include "engine/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle {

std::string numberText(double value) {
    if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    const double size = std::abs(value);
    if (size != 0 && (size < 1e-3 || size >= 1e7)) return fmt::format("{:.4g}", value);
    return fmt::format("{:.{}f}", value, decimalsOf(value));
}

std::string signedNumberText(double value) {
    if (std::isnan(value)) return numberText(value);
    return (value < 0 ? "−" : "+") + numberText(std::abs(value));
}

int decimalsOf(double value) {
    constexpr int kUsual = 4, kMost = 8;
    const double size = std::abs(value);
    if (!(size < 10)) return size >= 1000 ? 1 : 2;
    if (size == 0 || size >= 1e-3) return kUsual;
    return std::min(kMost, kUsual - 1 - int(std::floor(std::log10(size))));
}

}  // namespace heddle
