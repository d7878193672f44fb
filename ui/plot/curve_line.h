// SPDX-License-Identifier: GPL-3.0-or-later
// One curve as an item of QCustomPlot: stored rows faint at the back (a solid span from min to max in every pixel column), the
// line in front, a band, markers. The cost of drawing grows with the width of the picture, not with the length of the series.
#pragma once

#include "ui/plot/axis_fit.h"
#include "ui/plot/curve.h"
#include "ui/plot/line_image.h"
#include "ui/theme/theme_data.h"

#include <qcustomplot.h>

namespace heddle::ui {

class LineLayer;

class CurveLine : public QCPAbstractPlottable {
    Q_OBJECT

public:
    /// `layer` paints the line, except in vector formats.
    CurveLine(QCPAxis* keyAxis, QCPAxis* valueAxis, const StepAxis* steps, LineLayer& layer);

    Curve curve;                             ///< what to draw
    std::shared_ptr<const Series> smoothed;  ///< result of the smoother for curve.rows; null until it arrives
    double smoothedBy = 0;                   ///< the n that it was made with
    bool markersAlong = false;               ///< a marker every ~90 px beside the one at the end
    int markerLane = 0;  ///< shifts the markers along the line, so that those of several lines do not overlap

    /// The series that the line shows: smoothed, or the rows themselves.
    const Series* line() const { return isSmooth() ? smoothed.get() : curve.rows.get(); }
    /// The smoothed series has rows.
    bool isSmooth() const { return curve.smoothed && smoothed && smoothed->size() > 0; }
    RunStyle style() const;
    qreal width() const;
    /// Vertices of the line as last drawn, in pixels.
    const QList<QPolygonF>& drawn() const { return drawn_; }
    /// The line extends a pixel or more beyond what was drawn last.
    bool hasGrown() const;
    /// What an axis of values should show.
    struct Fit {
        Extent values;  ///< of the line; the low end also of the faint rows except their lowest 5 %
        double greatest = -std::numeric_limits<double>::infinity();  ///< of the line, also of the steps that `cut` leaves out
    };
    /// In the steps from `first` to `last`. The share `cut` of these steps, at most a quarter of those with values, is left out
    /// where the line is highest.
    Fit fitOf(double first, double last, double cut) const;

    /// The strokes from back to front, with `ratio` device pixels for a logical pixel. Reads only what drawing does not change,
    /// so several threads may call it for different lines.
    std::vector<LineImage::Shape> shapes(double ratio);
    /// At the end of the line and along it; thin lines have none.
    void drawMarkers(QCPPainter& painter);

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override { return found = false, QCPRange(); }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override { return found = false, QCPRange(); }

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

private:
    struct Columns;
    Columns columns(double ratio) const;
    void drawBand(QCPPainter& painter, const Columns& columns) const;
    void drawShape(QCPPainter& painter, const LineImage::Shape& shape, double ratio) const;
    void addRows(std::vector<LineImage::Shape>& shapes, const Columns& columns) const;
    std::vector<Span> spansOfRows(const Columns& columns) const;
    QList<QPolygonF> polylines(const Series& source, const Columns& columns) const;
    double pixelOfValue(double value) const;
    bool isThin() const { return curve.weight == LineWeight::Seed || curve.weight == LineWeight::Muted; }

    const StepAxis* steps_;
    LineLayer& layer_;
    QList<QPolygonF> drawn_;
    std::optional<Step> drawnTo_;
};

/// Draws the lines of all curves of a plot as one picture, and their markers above it. It is on a layer above the curves, which
/// add their lines to it when they are drawn.
class LineLayer : public QCPLayerable {
public:
    explicit LineLayer(QCustomPlot* plot);

    /// Adds the line, which is painted with its markers after all curves were drawn. False if `painter` writes a vector format:
    /// the line draws itself.
    bool add(CurveLine& line, QCPPainter& painter);

protected:
    void applyDefaultAntialiasingHint(QCPPainter*) const override {}
    QRect clipRect() const override;
    void draw(QCPPainter* painter) override;

private:
    QList<CurveLine*> lines_;
};

}  // namespace heddle::ui
