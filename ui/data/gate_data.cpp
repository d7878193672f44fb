// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/gate_data.h"

#include "engine/analysis/saturation.h"
#include "engine/spec/module_path.h"
#include "ui/data/exposures.h"
#include "ui/text/number.h"

#include <algorithm>
#include <numeric>

namespace heddle::ui {
std::vector<GateKind> gateKinds(const RunDetail& detail) {
    std::vector<GateKind> kinds;
    for (const auto& histograms : detail.histograms) {
        const auto& site = histograms.first;
        const Exposure* exposure = exposureOf(site);
        const std::string slot = slotOf(site.path);
        auto kind =
            std::find_if(kinds.begin(), kinds.end(), [&](const GateKind& k) { return k.name == site.name && k.slot == slot; });
        if (kind == kinds.end()) {
            kinds.push_back({site.name,
                             slot,
                             exposure ? QString::fromStdString(exposure->title) : QString(),
                             exposure && exposure->quantity != Exposure::Quantity::UnitGate,
                             {}});
            kind = kinds.end() - 1;
        }
        kind->paths.push_back(site.path);
    }
    for (GateKind& kind : kinds) std::sort(kind.paths.begin(), kind.paths.end(), comesBefore);
    // Gates between 0 and 1 first, and of these the residual's first: the papers mean these by "gate".
    std::stable_sort(kinds.begin(), kinds.end(), [](const GateKind& a, const GateKind& b) {
        return std::pair(a.isSigned, a.slot != "residual") < std::pair(b.isSigned, b.slot != "residual");
    });
    return kinds;
}

std::vector<Step> nested(const std::vector<Step>& steps, std::size_t most) {
    std::vector<Step> chosen;
    if (steps.empty() || most < 2) return chosen;
    std::size_t stride = 1;
    while ((steps.size() + stride - 1) / stride + 1 > most) stride *= 2;
    for (std::size_t i = 0; i < steps.size(); i += stride) chosen.push_back(steps[i]);
    if (chosen.back() != steps.back()) chosen.push_back(steps.back());
    return chosen;
}

std::vector<Step> upTo(const std::vector<Step>& steps, Step step) {
    return {steps.begin(), std::upper_bound(steps.begin(), steps.end(), step)};
}

MapData meansBySite(const GateKind& kind, const std::map<std::string, std::vector<Step>>& steps, const Histograms& read) {
    MapData map;
    std::vector<Step> columns;
    for (const auto& [path, own] : steps) columns.insert(columns.end(), own.begin(), own.end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    map.rows = int(kind.paths.size());
    map.columns = int(columns.size());
    for (const std::string& path : kind.paths) {
        std::optional<double> last;
        for (const Step step : columns) {
            const auto found = read.find({path, step});
            if (found == read.end() || !found->second) {
                map.values.push_back(0);
                map.masked.push_back(1);
                continue;
            }
            last = found->second->mean;
            map.values.push_back(float(*last));
            map.masked.push_back(0);
        }
        map.rowLabels << shortSite(path);
        map.rowValues << number(last, 2);
    }
    if (!columns.empty()) map.columnLabels << count(columns.front()) << count(columns.back());
    return map;
}

Histogram asHistogram(const storage::HistogramRecord& record) {
    return {record.step, record.low, record.high, {record.bins.begin(), record.bins.end()}};
}

std::uint64_t valuesOf(const storage::HistogramRecord& record) {
    return std::accumulate(record.bins.begin(), record.bins.end(), record.below + record.above);
}

double saturated(const storage::HistogramRecord& record) { return saturatedShare(record.bins, record.below, record.above); }

}  // namespace heddle::ui
