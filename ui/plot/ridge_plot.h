// SPDX-License-Identifier: GPL-3.0-or-later
// The distribution of a gate over training: a filled 64-bin step line for each snapshot, oldest at the back, newest in front.
#pragma once

#include "ui/plot/plot_view.h"
#include "ui/plot/series.h"
#include "ui/theme/tokens.h"

class QCustomPlot;

namespace heddle::ui {

struct Histogram {
    Step step = 0;
    double low = 0, high = 1;
    std::vector<float> counts;  ///< bins of equal width from low to high
};

/// Unit: gates 0 … 1, filled from the gate map. Signed: tanh gates, y − x; neutral fill and a zero line.
enum class RidgeKind { Unit, Signed };

/// At most `most` of `all` entries, evenly, always with the first and the last; ascending indices.
std::vector<std::size_t> spread(std::size_t all, std::size_t most);

class RidgeLines;

class RidgePlot : public PlotView {
    Q_OBJECT

public:
    explicit RidgePlot(QWidget* parent = nullptr);

    /// Oldest first. All have the same density scale.
    void setHistograms(std::vector<Histogram> histograms, RidgeKind kind);
    /// The quantity ("gate value g") and the unit of the snapshots ("epoch", "step").
    void setTitles(const QString& values, const QString& time);
    /// Labels of the first and the last snapshot; empty: their steps.
    void setTimeLabels(const QString& first, const QString& last);

    PlotTable table() const override;
    void paintOn(QPaintDevice& device, QSize size) override;

protected:
    void recolour() override;
    void redraw() override;

private:
    void arrange();

    QCustomPlot* plot_;
    RidgeLines* ridges_;
    std::vector<Histogram> histograms_;
    QString firstLabel_, lastLabel_;
};

}  // namespace heddle::ui
