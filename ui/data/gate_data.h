// SPDX-License-Identifier: GPL-3.0-or-later
// Which gate snapshots are drawn, and what is made of them. Pure.
#pragma once

#include "ui/data/subject.h"
#include "ui/plot/map_view.h"
#include "ui/plot/ridge_plot.h"

#include <map>

namespace heddle::ui {

/// One kind of gate of a run: exposure and slot; all its places.
struct GateKind {
    std::string name, slot;
    QString title;  ///< "GRC gate g"
    bool isSigned = false;
    std::vector<std::string> paths;  ///< encoder first, then by layer
};
std::vector<GateKind> gateKinds(const RunDetail& detail);

/// At most `most` of `steps`, every 2ᵏ-th and the last, so that a growing list is thinned by leaving out, never by moving.
std::vector<Step> nested(const std::vector<Step>& steps, std::size_t most);
/// Those at or before `step`.
std::vector<Step> upTo(const std::vector<Step>& steps, Step step);

using Histograms = std::map<std::pair<std::string, Step>, std::shared_ptr<const storage::HistogramRecord>>;  ///< by path, step

/// Site by step: the mean of every stored histogram; NaN where it is not read yet.
MapData meansBySite(const GateKind& kind, const std::map<std::string, std::vector<Step>>& steps, const Histograms& read);
Histogram asHistogram(const storage::HistogramRecord& record);
/// Share of the values in the outer twentieths of the range, both ends, with those beyond it.
double saturated(const storage::HistogramRecord& record);
std::uint64_t valuesOf(const storage::HistogramRecord& record);

}  // namespace heddle::ui
