// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/line_fit.h"

#include "engine/analysis/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace heddle {

std::optional<LineFit> lineFit(const std::vector<double>& x, const std::vector<double>& y, double alpha) {
    if (x.size() != y.size()) throw std::invalid_argument("a line fit needs as many x values as y values");
    LineFit fit;
    double meanX = 0, meanY = 0;
    constexpr double kNone = std::numeric_limits<double>::infinity();
    double lowX = kNone, highX = -kNone, lowY = kNone, highY = -kNone;
    const auto isFinite = [&](std::size_t i) { return std::isfinite(x[i]) && std::isfinite(y[i]); };
    for (std::size_t i = 0; i < x.size(); ++i)
        if (isFinite(i)) {
            ++fit.n, meanX += x[i], meanY += y[i];
            lowX = std::min(lowX, x[i]), highX = std::max(highX, x[i]);
            lowY = std::min(lowY, y[i]), highY = std::max(highY, y[i]);
        }
    // The mean of equal values may differ from them by rounding, so that the sums below tell nothing.
    if (!(lowX < highX) || !(lowY < highY)) return {};
    const auto n = static_cast<double>(fit.n);
    meanX /= n;
    meanY /= n;
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!isFinite(i)) continue;
        const double dx = x[i] - meanX, dy = y[i] - meanY;
        xx += dx * dx, xy += dx * dy, yy += dy * dy;
    }
    if (!(xx > 0) || !(yy > 0)) return {};
    fit.slope = xy / xx;
    fit.intercept = meanY - fit.slope * meanX;
    fit.correlation = xy / std::sqrt(xx * yy);
    if (fit.n > 2) {
        const double rest = std::max(0.0, yy - fit.slope * xy);
        const double reach = studentQuantile(1 - alpha / 2, n - 2) * std::sqrt(rest / (n - 2) / xx);
        fit.interval = Interval{fit.slope - reach, fit.slope + reach};
    }
    return fit;
}

}  // namespace heddle
