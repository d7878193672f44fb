// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/scaling_fit.h"

#include "engine/analysis/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace heddle {
namespace {

using Vector = std::array<double, 3>;
using Square = std::array<Vector, 3>;

constexpr std::size_t kFewestSizes = 3, kFewestSizesOfFloor = 4;

/// The runs in logarithms: x = log N − its mean, y = log L.
struct Points {
    std::vector<double> x, y;
};

/// exp(p − b x) + c, and its derivatives by p, b and c ÷ its value: those of log L.
std::pair<double, Vector> lawAt(const Vector& parameters, double x) {
    const double power = std::exp(parameters[0] - parameters[1] * x), value = power + parameters[2];
    return {value, {power / value, -x * power / value, 1 / value}};
}

double squaresOf(const Vector& parameters, const Points& points) {
    double squares = 0;
    for (std::size_t i = 0; i < points.x.size(); ++i) {
        const double value = lawAt(parameters, points.x[i]).first;
        if (!(value > 0)) return std::numeric_limits<double>::infinity();
        const double e = points.y[i] - std::log(value);
        squares += e * e;
    }
    return squares;
}

/// The inverse of the first `size` rows and columns of a symmetric positive matrix (Gauss and Jordan), the rest 0; nothing
/// where it has none.
std::optional<Square> inverse(Square matrix, std::size_t size) {
    Square result{};
    Vector scale{};
    for (std::size_t i = 0; i < size; ++i) {
        if (!(matrix[i][i] > 0)) return {};
        scale[i] = 1 / std::sqrt(matrix[i][i]);
    }
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) matrix[i][j] *= scale[i] * scale[j];
    for (std::size_t i = 0; i < size; ++i) result[i][i] = 1;
    for (std::size_t i = 0; i < size; ++i) {  // the pivots of a positive matrix are on its diagonal
        const double pivot = matrix[i][i];
        if (!(pivot > 1e-13)) return {};
        for (std::size_t k = 0; k < size; ++k) matrix[i][k] /= pivot, result[i][k] /= pivot;
        for (std::size_t j = 0; j < size; ++j) {
            if (j == i) continue;
            const double times = matrix[j][i];
            for (std::size_t k = 0; k < size; ++k) {
                matrix[j][k] -= times * matrix[i][k];
                result[j][k] -= times * result[i][k];
            }
        }
    }
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) result[i][j] *= scale[i] * scale[j];
    return result;
}

/// Jᵀ J and Jᵀ e of the residuals e.
std::pair<Square, Vector> normalEquations(const Vector& parameters, const Points& points) {
    Square curvature{};
    Vector slope{};
    for (std::size_t i = 0; i < points.x.size(); ++i) {
        const auto [value, derivative] = lawAt(parameters, points.x[i]);
        for (std::size_t j = 0; j < slope.size(); ++j) {
            slope[j] += derivative[j] * (points.y[i] - std::log(value));
            for (std::size_t k = 0; k < slope.size(); ++k) curvature[j][k] += derivative[j] * derivative[k];
        }
    }
    return {curvature, slope};
}

/// The line through log(L − c).
Vector lineBelow(const Points& points, double c) {
    double meanX = 0, meanY = 0, xx = 0, xy = 0;
    const auto n = static_cast<double>(points.x.size());
    const auto y = [&](std::size_t i) { return std::log(std::exp(points.y[i]) - c); };
    for (std::size_t i = 0; i < points.x.size(); ++i) meanX += points.x[i] / n, meanY += y(i) / n;
    for (std::size_t i = 0; i < points.x.size(); ++i) {
        xx += (points.x[i] - meanX) * (points.x[i] - meanX);
        xy += (points.x[i] - meanX) * (y(i) - meanY);
    }
    return {meanY - xy / xx * meanX, -xy / xx, c};
}

struct Found {
    Vector parameters{};
    bool isLeast = false;  ///< the sum of squares cannot be made smaller
};

/// The least squares of the law with c (Levenberg 1944, Marquardt 1963), from the best of a few lines.
Found lawWithFloor(const Points& points) {
    constexpr int kMostSteps = 2000, kSettled = 40;
    const double least = std::exp(*std::min_element(points.y.begin(), points.y.end()));
    Vector best = lineBelow(points, 0);
    for (const double share : {0.3, 0.6, 0.8, 0.9, 0.97})
        if (const Vector tried = lineBelow(points, share * least); squaresOf(tried, points) < squaresOf(best, points))
            best = tried;
    double squares = squaresOf(best, points), damping = 1e-3;
    for (int step = 0, settled = 0; step < kMostSteps; ++step) {
        auto [curvature, slope] = normalEquations(best, points);
        for (std::size_t i = 0; i < slope.size(); ++i) curvature[i][i] *= 1 + damping;
        const auto solved = inverse(curvature, 3);
        if (!solved) return {best, false};
        Vector next = best;
        for (std::size_t i = 0; i < next.size(); ++i)
            for (std::size_t k = 0; k < next.size(); ++k) next[i] += (*solved)[i][k] * slope[k];
        const double tried = squaresOf(next, points);
        settled = squares - tried > 1e-14 * squares ? 0 : settled + 1;
        damping = tried <= squares ? std::max(damping / 10, 1e-12) : damping * 10;
        if (tried <= squares) {
            best = next;
            squares = tried;
        }
        if (settled == kSettled) return {best, true};
    }
    return {best, false};
}

/// Whether the law with these parameters, the first `count` of which are free, has intervals; sets all that comes of them.
bool conclude(ScalingFit& fit, const Vector& parameters, const Points& points, std::size_t count, double alpha) {
    const auto covariance = inverse(normalEquations(parameters, points).first, count);
    if (!covariance) return false;
    fit.parameters = parameters;
    fit.freedom = static_cast<double>(points.x.size() - count);
    fit.scatter = std::sqrt(squaresOf(parameters, points) / fit.freedom);
    fit.quantile = studentQuantile(1 - alpha / 2, fit.freedom);
    fit.covariance = *covariance;
    for (auto& row : fit.covariance)
        for (double& value : row) value *= fit.scatter * fit.scatter;
    fit.factor = std::exp(parameters[0] + parameters[1] * fit.middle);
    const auto estimate = [&](std::size_t i) {
        const double reach = fit.quantile * std::sqrt(fit.covariance[i][i]);
        return Estimate{parameters[i], {parameters[i] - reach, parameters[i] + reach}};
    };
    fit.exponent = estimate(1);
    fit.floor.reset();
    if (count == 3) fit.floor = estimate(2);
    return true;
}

std::string whyNone(const std::vector<SizedRun>& runs, std::size_t sizes) {
    for (const SizedRun& run : runs)
        if (!(run.size > 0 && run.loss > 0 && std::isfinite(run.size) && std::isfinite(run.loss)))
            return "sizes and losses must be positive numbers";
    if (sizes < kFewestSizes) return "a scaling law needs runs of at least three sizes";
    return "";
}

}  // namespace

std::optional<Estimate> ScalingFit::at(double size) const {
    if (!exponent || !(size > 0)) return {};
    const auto [value, derivative] = lawAt(parameters, std::log(size) - middle);
    double variance = 0;  // of the logarithm
    for (std::size_t i = 0; i < derivative.size(); ++i)
        for (std::size_t k = 0; k < derivative.size(); ++k) variance += derivative[i] * covariance[i][k] * derivative[k];
    const double reach = std::exp(quantile * std::sqrt(std::max(0.0, variance)));
    return Estimate{value, {value / reach, value * reach}};
}

ScalingFit scalingFit(const std::vector<SizedRun>& runs, double alpha) {
    if (!(alpha > 0 && alpha < 1)) throw std::invalid_argument("alpha must be between 0 and 1");
    ScalingFit fit;
    fit.n = runs.size();
    std::set<double> sizes;
    for (const SizedRun& run : runs) sizes.insert(run.size);
    fit.sizes = sizes.size();
    fit.whyNone = whyNone(runs, fit.sizes);
    if (!fit.whyNone.empty()) return fit;
    Points points;
    for (const SizedRun& run : runs) fit.middle += std::log(run.size) / static_cast<double>(runs.size());
    for (const SizedRun& run : runs) {
        points.x.push_back(std::log(run.size) - fit.middle);
        points.y.push_back(std::log(run.loss));
    }
    if (!conclude(fit, lineBelow(points, 0), points, 2, alpha)) {
        fit.whyNone = "the sizes are too close to each other";
        return fit;
    }
    if (fit.sizes < kFewestSizesOfFloor || points.x.size() < 4) {
        fit.whyNoFloor = "an irreducible loss needs runs of at least four sizes";
        return fit;
    }
    ScalingFit withFloor = fit;
    const Found law = lawWithFloor(points);
    if (law.parameters[2] <= 0)
        fit.whyNoFloor = "the curve bends the other way: the irreducible loss would be 0 or less";
    else if (!law.isLeast || !conclude(withFloor, law.parameters, points, 3, alpha) || withFloor.exponent->interval.low <= 0)
        fit.whyNoFloor = "the data cannot distinguish an irreducible loss from a smaller exponent";
    else
        return withFloor;
    return fit;
}

}  // namespace heddle
