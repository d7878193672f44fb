// SPDX-License-Identifier: Apache-2.0
#include "app/reports/gradient_norms.h"

#include "engine/spec/module_path.h"

#include <algorithm>

namespace heddle::app {
namespace {

GradientNorm normOf(const std::string& path, const std::vector<storage::RunQuery::Point>& points) {
    GradientNorm norm;
    norm.path = path;
    norm.n = static_cast<std::int64_t>(points.size());
    norm.least = norm.largest = points.front().value;
    for (const auto& point : points) {
        const double value = point.value;
        norm.mean += value / static_cast<double>(points.size());
        norm.least = std::min(norm.least, value);
        norm.largest = std::max(norm.largest, value);
        norm.share += value * value;  // divided by the total when all places are known
    }
    return norm;
}

}  // namespace

GradientNorms gradientNormsOf(storage::RunQuery& query, const std::string& run, const StepRange& range) {
    GradientNorms norms;
    double whole = 0;
    for (const auto& series : query.series(run)) {
        if (series.name != "grad_norm" || series.path.empty()) continue;
        const auto points = query.points(run, series.name, series.path, range.first, range.last);
        if (points.empty()) continue;
        norms.places.push_back(normOf(series.path, points));
        const bool isOutermost = series.path.find('.') == std::string::npos;
        if (isOutermost) whole += norms.places.back().share;
        norms.firstStep = norms.places.size() == 1 ? points.front().step : std::min(norms.firstStep, points.front().step);
        norms.lastStep = std::max(norms.lastStep, points.back().step);
    }
    for (GradientNorm& norm : norms.places) norm.share = whole > 0 ? norm.share / whole : 0;
    std::sort(norms.places.begin(), norms.places.end(),
              [](const GradientNorm& a, const GradientNorm& b) { return comesBefore(a.path, b.path); });
    return norms;
}

}  // namespace heddle::app
