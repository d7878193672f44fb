// SPDX-License-Identifier: GPL-3.0-or-later
// Invented data for pictures and tests; the same on every machine.
#pragma once

#include "ui/plot/bar_plot.h"
#include "ui/plot/curve.h"
#include "ui/plot/map_view.h"
#include "ui/plot/ridge_plot.h"

namespace heddle::ui::test {

/// Uniform in [0, 1): a small hash of (seed, index), no state.
double noise(std::uint64_t seed, std::uint64_t index);
/// Nearly normal, mean 0, sd 1.
double bell(std::uint64_t seed, std::uint64_t index);

struct LossShape {
    double start = 9, floor = 1.2, noise = 0.12;
    Step steps = 27240, every = 1;
    std::uint64_t seed = 1;
};
std::shared_ptr<const Series> lossSeries(const LossShape& shape);

/// Two runs as on the Watch page, train and valid.
QList<Curve> lossCurves();
QList<Curve> accuracyCurves();
MapData attention();
MapData causalScores();
MapData gatesBySite();
MapData difference();
std::vector<Histogram> gateHistograms();
std::vector<Histogram> signedHistograms();
BarData sparsity();

}  // namespace heddle::ui::test
