// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing functions of HeddleStyle. For files of ui/theme only.
#pragma once

#include "ui/theme/controls.h"
#include "ui/theme/theme.h"

#include <QStyleOption>

class QPainter;

namespace heddle::ui {

inline bool has(const QStyleOption& option, QStyle::StateFlag flag) { return option.state & flag; }

namespace paint {

enum class Edge { Left, Right, Bottom };
enum class Corners { All, Left, Right, None };

/// Filled box with a one-pixel edge on whole device pixels; radius 3.
void box(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& edge, Corners corners = Corners::All);
/// Only the edge, with square corners.
void frame(QPainter& painter, const QRect& rect, const QColor& edge);
/// One-pixel line along one edge, inside `rect`.
void edgeLine(QPainter& painter, const QRect& rect, Edge edge, const QColor& color);
/// The background of tool bars and headers, with a line below.
void chrome(QPainter& painter, const QRect& rect);
/// An icon centred in `rect`, `side` logical pixels.
void glyph(QPainter& painter, const QRect& rect, Icon id, const QColor& color, int side);

void button(QPainter& painter, const QStyleOption& option, const QWidget* widget);
/// Icon and text, centred together with a gap of 6.
void buttonLabel(QPainter& painter, const QStyleOptionButton& option, const QWidget* widget);
void toolButton(QPainter& painter, const QStyleOption& option, const QWidget* widget);
void field(QPainter& painter, const QStyleOption& option, const QWidget* widget);
void checkBox(QPainter& painter, const QStyleOption& option);
void radioButton(QPainter& painter, const QStyleOption& option);
void slider(QPainter& painter, const QStyleOptionSlider& option, const QRect& groove, const QRect& handle);
void scrollBar(QPainter& painter, const QStyleOptionSlider& option, const QRect& thumb);
void tab(QPainter& painter, const QStyleOptionTab& option);
void headerSection(QPainter& painter, const QStyleOptionHeader& option);
void progress(QPainter& painter, const QStyleOptionProgressBar& option);
/// Text colour of a push or tool button in its state.
QColor buttonText(const QStyleOption& option, const QWidget* widget);

}  // namespace paint
}  // namespace heddle::ui
