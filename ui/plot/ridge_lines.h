// SPDX-License-Identifier: GPL-3.0-or-later
// The painting half of RidgePlot: ridge i stands on value coordinate i, heights are in the same unit.
#pragma once

#include "ui/plot/ridge_plot.h"

#include <qcustomplot.h>

namespace heddle::ui {

class RidgeLines : public QCPAbstractPlottable {
    Q_OBJECT

public:
    RidgeLines(QCPAxis* keyAxis, QCPAxis* valueAxis) : QCPAbstractPlottable(keyAxis, valueAxis) {}

    std::vector<Histogram> ridges;  ///< those drawn, oldest first
    RidgeKind kind = RidgeKind::Unit;
    double overlap = 3.4;  ///< height of the highest ridge, in distances between ridges

    /// Share of the mass per bin over the largest share of all ridges.
    std::vector<double> heights(const Histogram& ridge) const;
    double peak() const;

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override { return found = false, QCPRange(); }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override { return found = false, QCPRange(); }

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}
};

}  // namespace heddle::ui
