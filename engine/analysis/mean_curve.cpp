// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/mean_curve.h"

#include "engine/analysis/spread.h"

#include <map>

namespace heddle {

std::vector<MeanPoint> meanCurve(const std::vector<std::vector<std::pair<double, double>>>& curves) {
    std::map<double, std::vector<double>> values;
    for (const auto& curve : curves) {
        std::map<double, double> own;
        for (const auto& [x, y] : curve) own[x] = y;
        for (const auto& [x, y] : own) values[x].push_back(y);
    }
    std::vector<MeanPoint> mean;
    for (const auto& [x, at] : values) {
        if (at.size() != curves.size()) continue;
        const Spread spread = spreadOf(at);
        mean.push_back({x, spread.mean, spread.low, spread.high});
    }
    return mean;
}

}  // namespace heddle
