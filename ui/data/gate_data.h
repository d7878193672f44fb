// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the gate snapshots to draw and computes the drawn values. Pure functions.
#pragma once

#include "ui/data/run_detail.h"
#include "ui/plot/map_view.h"
#include "ui/plot/ridge_plot.h"

#include <map>

namespace heddle::ui {

/// The gates of a run that have one exposure and slot.
struct GateKind {
    std::string name, slot;
    QString title;  ///< "GRC gate g"
    bool isSigned = false;
    std::vector<std::string> paths;  ///< encoder first, then by layer
};
std::vector<GateKind> gateKinds(const RunDetail& detail);

/// Every 2ᵏ-th of `steps` and the last one, at most `most`. As the list grows, steps are left out but not exchanged.
std::vector<Step> nested(const std::vector<Step>& steps, std::size_t most);
/// Those of `steps` at or before `step`.
std::vector<Step> upTo(const std::vector<Step>& steps, Step step);

using Histograms = std::map<std::pair<std::string, Step>, std::shared_ptr<const storage::HistogramRecord>>;  ///< by path, step

/// The mean of every stored histogram, site by step; masked where it is not read yet.
MapData meansBySite(const GateKind& kind, const std::map<std::string, std::vector<Step>>& steps, const Histograms& read);
Histogram asHistogram(const storage::HistogramRecord& record);
/// Share of the values in the first and the last twentieth of the range or beyond it.
double saturated(const storage::HistogramRecord& record);
std::uint64_t valuesOf(const storage::HistogramRecord& record);

}  // namespace heddle::ui
