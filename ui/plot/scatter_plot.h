// SPDX-License-Identifier: GPL-3.0-or-later
// Points of two quantities, and perhaps a straight line through them. Left and right go from point to point.
#pragma once

#include "ui/plot/axis_fit.h"
#include "ui/plot/plot_view.h"

#include <optional>
#include <utility>

namespace heddle::ui {

struct ScatterPoint {
    double x = 0, y = 0;
    int order = -1;  ///< look: Theme::runAt(order)
    QString label;   ///< "eau-full s1"
};

struct ScatterData {
    QList<ScatterPoint> points;  ///< finite
    QString xTitle, yTitle;
    int xDecimals = 2, yDecimals = 2;                 ///< of the table
    std::optional<std::pair<double, double>> line{};  ///< slope and intercept
};

class ScatterPlot : public PlotView {
    Q_OBJECT

public:
    explicit ScatterPlot(QWidget* parent = nullptr);

    void setData(ScatterData data);
    const ScatterData& data() const { return data_; }

    PlotTable table() const override;
    void paintOn(QPaintDevice& device, QSize size) override;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool chartEvent(QEvent& event) override;

private:
    void choose(int place);
    QString wordsOf(int place) const;
    QPointF placeOf(const ScatterPoint& point, QSize size) const;
    QRectF areaOf(QSize size) const;

    ScatterData data_;
    Extent across_, up_;
    int chosen_ = -1;  ///< the place of the point that is chosen; -1: none
};

}  // namespace heddle::ui
