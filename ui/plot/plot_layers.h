// SPDX-License-Identifier: GPL-3.0-or-later
// Layers above the curves: event flags, the steps after a failure, the cross-hair with its read-out.
#pragma once

#include "ui/plot/curve_line.h"
#include "ui/plot/plot_table.h"

#include <functional>

namespace heddle::ui {

/// Dotted vertical lines with a small flag at the top; the steps after a failure in `strip_bad`.
class EventLayer : public QCPLayerable {
public:
    EventLayer(QCustomPlot* plot, const StepAxis* steps);

    QList<CurveEvent> events;

    /// The event whose flag or line is within 6 px of `place`, or null.
    const CurveEvent* at(QPointF place) const;

protected:
    void applyDefaultAntialiasingHint(QCPPainter*) const override {}
    void draw(QCPPainter* painter) override;

private:
    const StepAxis* steps_;
};

/// Vertical line, open circles on the lines, read-out box in the freest corner, and the rubber band of a zoom. It has its own
/// buffered layer, so that moving it redraws no curve.
class CursorLayer : public QCPLayerable {
    Q_OBJECT

public:
    CursorLayer(QCustomPlot* plot, const StepAxis* steps);

    std::optional<double> step;      ///< of the cross-hair
    std::optional<double> pointerY;  ///< pixels; if set, the nearest curve comes first
    QRectF rubberBand;               ///< pixels; empty for none
    QList<CurveLine*> lines;
    int decimals = 3;
    std::function<QString(Step)> describe;  ///< head of the box, one or more lines

    struct Reading {
        const CurveLine* line = nullptr;
        std::optional<Row> shown;   ///< of the line; nothing if it has none at this step
        std::optional<double> row;  ///< the stored value if the line is smoothed
        QPointF place;              ///< of `shown`
    };
    /// At most 6, nearest to the pointer first (in the order of `lines` without one), those without a value last.
    QList<Reading> readings() const;
    /// The box as a table: a row for each curve, "–" without a value; empty without a cross-hair.
    PlotTable table() const;

protected:
    void applyDefaultAntialiasingHint(QCPPainter*) const override {}
    void draw(QCPPainter* painter) override;

private:
    QString head() const;
    QString shownText(const Reading& reading) const;
    QRectF freeCorner(QSizeF size, double cursorX) const;
    void drawBox(QCPPainter& painter, const QList<Reading>& readings, double cursorX) const;

    const StepAxis* steps_;
    mutable int corner_ = 1;
};

}  // namespace heddle::ui
