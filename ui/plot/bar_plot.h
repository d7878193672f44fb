// SPDX-License-Identifier: GPL-3.0-or-later
// Horizontal bars with their names; the value of the baseline is a tick.
#pragma once

#include "ui/plot/plot_view.h"
#include "ui/theme/theme_data.h"

#include <optional>

namespace heddle::ui {

struct Bar {
    QString label;
    double value = 0;
    std::optional<double> reference;  ///< of the baseline
};

struct BarData {
    QList<Bar> bars;
    int order = 0;  ///< colour: Theme::runAt(order)
    int decimals = 1;
    QString title;  ///< "weights with |w| < 1e-3, %"
    QString runName, referenceName;
};

class BarPlot : public PlotView {
    Q_OBJECT

public:
    explicit BarPlot(QWidget* parent = nullptr);

    void setData(BarData data);
    const BarData& data() const { return data_; }
    QSize sizeHint() const override;
    /// The height at which no row is cut off.
    int leastHeight() const;

    PlotTable table() const override;
    void paintOn(QPaintDevice& device, QSize size) override;

private:
    void paintLegend(QPainter& painter, QRect line) const;

    BarData data_;
};

}  // namespace heddle::ui
