// SPDX-License-Identifier: GPL-3.0-or-later
// One curve as QCustomPlot draws it: stored rows faint behind (a solid span from min to max in every pixel column), the line in
// front, a band, markers. Drawing costs the width of the picture, not the length of the series.
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
    /// `layer` paints the line where it becomes pixels.
    CurveLine(QCPAxis* keyAxis, QCPAxis* valueAxis, const StepAxis* steps, LineLayer& layer);

    Curve curve;                             ///< what to draw
    std::shared_ptr<const Series> smoothed;  ///< result of the smoother for curve.rows; null until it arrives
    double smoothedBy = 0;                   ///< the n that it was made with
    bool markersAlong = false;               ///< a marker every ~90 px beside the one at the end
    int markerLane = 0;                      ///< shifts the markers along, so that those of neighbours do not meet

    /// The series that the line shows: smoothed, or the rows themselves.
    const Series* line() const { return isSmooth() ? smoothed.get() : curve.rows.get(); }
    /// The smoothed series is there; one that was made before the first row is not.
    bool isSmooth() const { return curve.smoothed && smoothed && smoothed->size() > 0; }
    RunStyle style() const;
    qreal width() const;
    /// Vertices of the line as last drawn, in pixels.
    const QList<QPolygonF>& drawn() const { return drawn_; }
    /// The line reaches a pixel or more beyond what was drawn last.
    bool hasGrown() const;
    /// What an axis of values should show.
    struct Fit {
        Extent values;  ///< of the line, below also of the faint rows but for their lowest 5 %
        double greatest = -std::numeric_limits<double>::infinity();  ///< of the line, also of what was cut
    };
    /// In the steps from `first` to `last`. `cut` of these steps is left out where the line is highest, at most a quarter of
    /// those that it has.
    Fit fitOf(double first, double last, double cut) const;

    /// What is painted, from the back to the front, for `ratio` device pixels a logical one. Reads only what drawing does not
    /// change: lines may do it side by side.
    std::vector<LineImage::Shape> shapes(double ratio);
    /// At the end of the line and along it, but for thin ones.
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

/// The lines of all curves of a plot as one picture, and their markers above it. Lies on a layer above the curves, which leave
/// their lines to it when they are drawn.
class LineLayer : public QCPLayerable {
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
