// SPDX-License-Identifier: GPL-3.0-or-later
// Vertical spans, one a pixel column: what remains of many rows to a column.
#pragma once

#include <QColor>

#include <vector>

class QPainter;

namespace heddle::ui {

/// Logical pixels; empty unless bottom > top.
struct Span {
    double top = 0, bottom = -1;
    bool empty() const { return bottom <= top; }
};

/// Where the columns lie: the left edge of the first, and the width of each, one device pixel.
struct SpanColumns {
    double left = 0, width = 1;
};

/// Fills the spans with one colour; without antialiasing, which the caller has switched off. On pixels they are put into a
/// picture first: Qt's raster engine hands every fill of about a hundred lines to other threads in pieces and waits for them,
/// for each of some thousand columns.
void paintSpans(QPainter& painter, const std::vector<Span>& spans, const SpanColumns& columns, const QColor& color);

}  // namespace heddle::ui
