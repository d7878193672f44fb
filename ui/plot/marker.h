// SPDX-License-Identifier: GPL-3.0-or-later
// The marker of a run, and the short line that stands for the run in lists and legends.
#pragma once

#include "ui/theme/theme_data.h"

#include <QImage>
#include <QPen>

#include <array>

class QPainter;

namespace heddle::ui {

/// `side` is the diameter in logical pixels; shapes are balanced to look equally big.
void paintMarker(QPainter& painter, QPointF centre, const RunStyle& style, qreal side);

/// Pen of a run's line. Dash lengths are pixels whatever the width.
QPen linePen(const QColor& color, qreal width, const QList<qreal>& dash);

enum class SampleMarker { None, Middle, End };
/// A line sample across the middle of `rect`.
void paintLineSample(QPainter& painter, const QRectF& rect, const RunStyle& style, SampleMarker marker);

/// Paints markers of one look at many places. A picture is drawn, when it is first needed, for each quarter of a device pixel
/// that a centre may lie at, and copied from then on. For painters of pixels.
class MarkerStamp {
public:
    void paint(QPainter& painter, QPointF centre, const RunStyle& style, qreal side);

private:
    struct Look {
        QRgb color = 0;
        Marker marker = Marker::Square;
        qreal side = 0, ratio = 0;
        bool operator==(const Look&) const = default;
    };
    static constexpr int kPhases = 4;

    Look look_;
    std::array<QImage, std::size_t(kPhases) * kPhases> pictures_;
};

}  // namespace heddle::ui
