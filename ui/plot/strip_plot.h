// SPDX-License-Identifier: GPL-3.0-or-later
// Values as markers, one row for each seed or group, on one scale: the two values of a pair joined by a line, the seeds of a
// group with their mean.
#pragma once

#include "ui/plot/plot_view.h"

#include <optional>
#include <utility>

namespace heddle::ui {

struct StripPoint {
    double value = 0;
    int order = 0;  ///< style: Theme::runAt(order)
    QString label;  ///< of the table: "seed 3"
};

struct StripRow {
    QString label;
    QList<StripPoint> points;
    std::optional<double> mean;                       ///< a tick
    std::optional<std::pair<double, double>> span{};  ///< a line behind the points
};

struct StripData {
    QList<StripRow> rows;
    int decimals = 2;
    QString title;                          ///< of the axis: "BLEU, test, last"
    QList<std::pair<int, QString>> legend;  ///< style and name; empty: no legend
};

class StripPlot : public PlotView {
    Q_OBJECT

public:
    explicit StripPlot(QWidget* parent = nullptr);

    void setData(StripData data);
    const StripData& data() const { return data_; }
    QSize sizeHint() const override;
    /// The height at which no row is cut off.
    int leastHeight() const;

    PlotTable table() const override;
    void paintOn(QPaintDevice& device, QSize size) override;

private:
    StripData data_;
};

}  // namespace heddle::ui
