// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of all curves of a plot as one picture, and their markers above it.
#pragma once

#include <qcustomplot.h>

namespace heddle::ui {

class CurveLine;

/// Stands on a layer above that of the curves: they leave their lines to it when they are drawn.
class LineLayer : public QCPLayerable {
    Q_OBJECT

public:
    explicit LineLayer(QCustomPlot* plot);

    /// Paints the line and its markers when all curves were drawn. False where `painter` keeps vectors: it draws itself.
    bool takes(CurveLine& line, QCPPainter& painter);

protected:
    void applyDefaultAntialiasingHint(QCPPainter*) const override {}
    QRect clipRect() const override;
    void draw(QCPPainter* painter) override;

private:
    QList<CurveLine*> taken_;
};

}  // namespace heddle::ui
