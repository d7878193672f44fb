// SPDX-License-Identifier: GPL-3.0-or-later
// Parallel coordinates: an upright axis for each quantity, a line across them for each run. A run without a value leaves a gap.
#pragma once

#include "ui/plot/plot_view.h"

#include <optional>

namespace heddle::ui {

struct ParallelLine {
    QList<std::optional<double>> values;  ///< one an axis; finite
    int order = -1;                       ///< look: Theme::runAt(order)
    QString label;
    bool isLit = true;  ///< else thin and faint
};

struct ParallelData {
    QStringList axes;
    QList<int> decimals;  ///< one an axis
    QList<ParallelLine> lines;
};

class ParallelPlot : public PlotView {
    Q_OBJECT

public:
    explicit ParallelPlot(QWidget* parent = nullptr);

    void setData(ParallelData data);
    const ParallelData& data() const { return data_; }

    PlotTable table() const override;
    void paintOn(QPaintDevice& device, QSize size) override;

private:
    ParallelData data_;
};

}  // namespace heddle::ui
