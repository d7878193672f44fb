// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/curve_difference.h"

#include "engine/analysis/distributions.h"
#include "engine/analysis/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace heddle {
namespace {

using Curve = std::map<double, double>;  ///< value by place
using Curves = std::map<std::uint64_t, Curve>;

Curves finiteCurves(const SeedCurves& curves, const SeedCurves& other, SeedTest test) {
    Curves all;
    for (const auto& [seed, curve] : curves) {
        if (test == SeedTest::Paired && !other.contains(seed)) continue;
        Curve& own = all[seed];
        for (const auto& [x, y] : curve) own[x] = y;
        std::erase_if(own, [](const auto& point) { return !std::isfinite(point.second); });
    }
    return all;
}

SeedValues valuesAt(const Curves& curves, double x) {
    SeedValues values;
    for (const auto& [seed, curve] : curves)
        if (const auto found = curve.find(x); found != curve.end()) values[seed] = found->second;
    return values;
}

/// Deviations from the means, scaled so that their length is the standard error of the difference.
std::vector<double> residuals(const SeedValues& variant, const SeedValues& baseline, SeedTest test) {
    std::vector<double> all;
    const auto add = [&all](const std::vector<double>& values) {
        const auto n = static_cast<double>(values.size());
        const double mean = spreadOf(values).mean;
        for (const double value : values) all.push_back((value - mean) / std::sqrt(n * (n - 1)));
    };
    std::vector<double> first, second;
    for (const auto& [seed, value] : variant) first.push_back(value);
    for (const auto& [seed, value] : baseline) second.push_back(value);
    if (test == SeedTest::Paired) {
        for (std::size_t i = 0; i < first.size(); ++i) first[i] -= second[i];
        add(first);
    } else {
        add(first);
        add(second);
    }
    return all;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(squares);
}

/// What the level of a place is made of, from place to place.
struct Path {
    double length = 0, freedoms = 0;
    std::size_t places = 0;
    std::vector<double> last;

    void add(std::vector<double> residual, double freedom) {
        const double norm = distance(residual, std::vector<double>(residual.size()));
        for (double& value : residual) value /= norm;
        if (!last.empty()) length += distance(residual, last);
        last = std::move(residual);
        freedoms += freedom;
        ++places;
    }

    /// The larger of the levels of Bonferroni and Worsley.
    double level(double alpha) const {
        const double freedom = freedoms / double(places), bonferroni = alpha / double(places);
        const auto chance = [&](double c) {
            const double crossings = length / (2 * std::numbers::pi) * std::pow(1 + c * c / freedom, -(freedom - 1) / 2);
            return 2 * (studentUpperTail(c, freedom) + crossings);
        };
        double low = studentQuantile(1 - alpha / 2, freedom), high = studentQuantile(1 - bonferroni / 2, freedom);
        if (chance(high) >= alpha) return bonferroni;
        for (int i = 0; i < 100; ++i) {
            const double middle = (low + high) / 2;
            (chance(middle) > alpha ? low : high) = middle;
        }
        return studentBothTails(high, freedom);
    }
};

/// The mean height of the curve over the places of `points` (trapezoids).
double meanHeight(const Curve& curve, const std::vector<CurvePoint>& points) {
    if (points.size() == 1) return curve.at(points[0].x);
    double area = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
        area += (points[i].x - points[i - 1].x) * (curve.at(points[i].x) + curve.at(points[i - 1].x)) / 2;
    return area / (points.back().x - points.front().x);
}

SeedDifference areaBetween(const Curves& variant, const Curves& baseline, const std::vector<CurvePoint>& points, SeedTest test,
                           double alpha) {
    const auto heights = [&points](const Curves& curves) {
        SeedValues values;
        for (const auto& [seed, curve] : curves)
            if (!points.empty()) values[seed] = meanHeight(curve, points);
        return values;
    };
    return seedDifference(heights(variant), heights(baseline), test, alpha);
}

std::string whyNone(const CurveDifference& result, const Path& path) {
    const std::size_t least = std::min(result.n, result.nBaseline);
    if (least < kFewestBandRuns)
        return fmt::format("a confidence band needs at least {} runs of each variant; one of them has {}", kFewestBandRuns,
                           least);
    if (result.points.empty()) return "there is no point at which all curves have a value";
    if (path.places == 0) return "the differences have no variance at any point";
    return "";
}

}  // namespace

CurveDifference curveDifference(const SeedCurves& variant, const SeedCurves& baseline, SeedTest test, double alpha) {
    const Curves first = finiteCurves(variant, baseline, test), second = finiteCurves(baseline, variant, test);
    CurveDifference result;
    result.n = first.size();
    result.nBaseline = second.size();
    for (const auto& [own, other] : {std::pair{&variant, &baseline}, std::pair{&baseline, &variant}})
        for (const auto& [seed, curve] : *own)
            if (test == SeedTest::Paired && !other->contains(seed)) result.alone.push_back(seed);
    std::sort(result.alone.begin(), result.alone.end());
    std::map<double, std::size_t> places;
    for (const Curves* curves : {&first, &second})
        for (const auto& [seed, curve] : *curves)
            for (const auto& [x, y] : curve) ++places[x];
    std::vector<SeedDifference> tests;
    Path path;
    for (const auto& [x, curves] : places) {
        if (curves < result.n + result.nBaseline || result.n == 0 || result.nBaseline == 0) {
            ++result.leftOut;
            continue;
        }
        const SeedValues own = valuesAt(first, x), other = valuesAt(second, x);
        tests.push_back(seedDifference(own, other, test, alpha));
        result.points.push_back({x, tests.back().difference, std::nullopt});
        if (tests.back().p) path.add(residuals(own, other, test), tests.back().freedom);
    }
    result.area = areaBetween(first, second, result.points, test, alpha);
    result.whyNone = whyNone(result, path);
    if (!result.whyNone.empty()) return result;
    result.level = path.level(alpha);
    for (std::size_t i = 0; i < tests.size(); ++i) {
        CurvePoint& point = result.points[i];
        const double reach = tests[i].p ? studentQuantile(1 - *result.level / 2, tests[i].freedom) * tests[i].error : 0;
        point.band = Interval{point.difference - reach, point.difference + reach};
    }
    return result;
}

std::string TargetReached::text() const {
    if (x.size() == 1) return reached == 1 ? "the run reaches the target" : "the run does not reach the target";
    return fmt::format("{} of {} runs reach the target", reached, x.size());
}

TargetReached targetReached(const SeedCurves& curves, double target, bool lowerIsBetter) {
    TargetReached result;
    std::vector<double> places;
    double shortest = std::numeric_limits<double>::infinity();  // of the runs that do not reach it
    for (const auto& [seed, curve] : curves) {
        Curve own;
        for (const auto& [x, y] : curve) own[x] = y;
        const auto found = std::find_if(own.begin(), own.end(), [&](const auto& point) {
            return lowerIsBetter ? point.second <= target : point.second >= target;
        });
        result.x[seed] = found == own.end() ? std::nullopt : std::optional(found->first);
        places.push_back(result.x[seed].value_or(std::numeric_limits<double>::infinity()));
        if (found != own.end())
            ++result.reached;
        else
            shortest = std::min(shortest, own.empty() ? 0 : own.rbegin()->first);
    }
    if (places.empty()) return result;
    const double middle = median(places);
    if (std::isfinite(middle) && middle <= shortest) result.median = middle;
    return result;
}

}  // namespace heddle
