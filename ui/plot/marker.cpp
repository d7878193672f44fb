// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/marker.h"

#include <QPainter>
#include <QPolygonF>

#include <cmath>
#include <numbers>

namespace heddle::ui {
namespace {

QPolygonF regular(QPointF centre, qreal radius, int corners, qreal firstDegrees) {
    QPolygonF polygon;
    for (int i = 0; i < corners; ++i) {
        const qreal angle = (firstDegrees + 360.0 * i / corners) * std::numbers::pi / 180;
        polygon << centre + radius * QPointF(std::cos(angle), std::sin(angle));
    }
    return polygon;
}

/// `count` strokes through the centre, in the brush's colour.
void spokes(QPainter& painter, QPointF centre, qreal radius, int count, qreal firstDegrees) {
    painter.setPen(QPen(painter.brush(), std::max(1.6, radius * 0.45), Qt::SolidLine, Qt::FlatCap));
    for (int i = 0; i < count; ++i) {
        const qreal angle = (firstDegrees + 180.0 * i / count) * std::numbers::pi / 180;
        const QPointF arm = radius * QPointF(std::cos(angle), std::sin(angle));
        painter.drawLine(centre - arm, centre + arm);
    }
}

}  // namespace

void paintMarker(QPainter& painter, QPointF centre, const RunStyle& style, qreal side) {
    const qreal r = side / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.color);
    switch (style.marker) {
    case Marker::Square: painter.drawRect(QRectF(centre.x() - r * 0.88, centre.y() - r * 0.88, r * 1.76, r * 1.76)); break;
    case Marker::Circle: painter.drawEllipse(centre, r, r); break;
    case Marker::TriangleUp: painter.drawPolygon(regular(centre + QPointF(0, r * 0.2), r * 1.22, 3, -90)); break;
    case Marker::TriangleDown: painter.drawPolygon(regular(centre - QPointF(0, r * 0.2), r * 1.22, 3, 90)); break;
    case Marker::Diamond: painter.drawPolygon(regular(centre, r * 1.2, 4, -90)); break;
    case Marker::Hexagon: painter.drawPolygon(regular(centre, r * 1.08, 6, 0)); break;
    case Marker::Plus: spokes(painter, centre, r * 1.1, 2, 0); break;
    case Marker::Cross: spokes(painter, centre, r * 1.2, 2, 45); break;
    case Marker::Star: spokes(painter, centre, r * 1.1, 3, 0); break;
    }
    painter.restore();
}

QPen linePen(const QColor& color, qreal width, const QList<qreal>& dash) {
    QPen pen(color, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (dash.isEmpty()) return pen;
    QList<qreal> inWidths;
    for (const qreal length : dash) inWidths.append(length / width);
    pen.setDashPattern(inWidths);
    return pen;
}

void paintLineSample(QPainter& painter, const QRectF& rect, const RunStyle& style, SampleMarker marker) {
    const QPointF middle(rect.center().x(), rect.center().y());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(linePen(style.color, 2, style.dash));
    painter.drawLine(QPointF(rect.left(), middle.y()), QPointF(rect.right(), middle.y()));
    painter.restore();
    if (marker == SampleMarker::Middle) paintMarker(painter, middle, style, 8);
    if (marker == SampleMarker::End) paintMarker(painter, {rect.right(), middle.y()}, style, 8);
}

}  // namespace heddle::ui
