// SPDX-License-Identifier: Apache-2.0
#include "engine/library/mass.h"

#include "engine/device/torch_pch.h"
#include "engine/metrics/correlation.h"

#include <vector>

namespace heddle {

void addMass(RankReport& report, const OutputSums& sums, const ResolvedVariant& variant) {
    const OutputMeans means = sums.means(), lengths = sums.lengths();
    std::vector<double> masses, costs;
    for (RankReport::Entry& entry : report.entries) {
        const auto* const mean = std::get_if<MeanOutput>(&entry.intervention);
        if (!mean) continue;
        const std::string tap = outputTap(mean->path, mean->head, variant);
        if (mean->head == kNoHead)
            entry.mass = means.at(tap).mean().item<double>();
        else
            entry.mass = (lengths.at(tap).select(0, mean->head) / lengths.at(tap).sum()).item<double>();
        masses.push_back(*entry.mass);
        costs.push_back(entry.loss.difference());
    }
    const double correlation = spearman(masses, costs).value;
    if (std::isfinite(correlation)) report.massCorrelation = correlation;
}

}  // namespace heddle
