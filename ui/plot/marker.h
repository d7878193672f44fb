// SPDX-License-Identifier: GPL-3.0-or-later
// The marker of a run, and its line sample in lists and legends.
#pragma once

#include "ui/theme/theme_data.h"

#include <QPen>

class QPainter;

namespace heddle::ui {

/// `side` is the diameter in logical pixels; shapes are scaled to look equally large.
void paintMarker(QPainter& painter, QPointF centre, const RunStyle& style, qreal side);

/// Pen of a run's line. Dash lengths are pixels at every width.
QPen linePen(const QColor& color, qreal width, const QList<qreal>& dash);

enum class SampleMarker { None, Middle, End };
/// A line sample across the middle of `rect`.
void paintLineSample(QPainter& painter, const QRectF& rect, const RunStyle& style, SampleMarker marker);

}  // namespace heddle::ui
