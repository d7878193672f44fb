// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of all curves of a plot as one picture, and their markers above it.
#pragma once

#include <qcustomplot.h>

namespace heddle::ui {

class CurveLine;

/// Lies on a layer above the curves, which leave their lines to it when they are drawn.
class LineLayer : public QCPLayerable {
    Q_OBJECT

public:
    explicit LineLayer(QCustomPlot* plot);

    /// Takes the line: it is painted with its markers after all curves were drawn. False where `painter` keeps vectors: the
    /// line draws itself.
    bool takes(CurveLine& line, QCPPainter& painter);

protected:
    void applyDefaultAntialiasingHint(QCPPainter*) const override {}
    QRect clipRect() const override;
    void draw(QCPPainter* painter) override;

private:
    QList<CurveLine*> taken_;
};

}  // namespace heddle::ui
