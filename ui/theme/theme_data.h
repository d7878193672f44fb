// SPDX-License-Identifier: GPL-3.0-or-later
// A theme file as plain data, and arithmetic on colours.
#pragma once

#include "ui/theme/tokens.h"

#include <QByteArray>
#include <QColor>
#include <QList>
#include <QString>

#include <array>

namespace heddle::ui {

/// The shape that distinguishes runs without colour. Order as in `kMarkerNames`.
enum class Marker { Square, Circle, TriangleUp, Diamond, TriangleDown, Plus, Star, Cross, Hexagon };
inline constexpr std::array<const char*, 9> kMarkerNames{"square", "circle", "triangle_up", "diamond", "triangle_down",
                                                         "plus",   "star",   "cross",       "hexagon"};

/// How a run is drawn. Dash lengths are pixels, on, off, on, …; empty is solid.
struct RunStyle {
    QColor color;
    QList<qreal> dash;
    Marker marker = Marker::Square;
};

/// Colours of values 0 … 255.
using ColorTable = std::array<QRgb, 256>;

/// Every colour of one theme.
struct ThemeData {
    std::array<QColor, kTokenNames.size()> tokens;
    std::array<RunStyle, kRunColourNames.size()> runs;
    std::array<QColor, kSlotColourNames.size()> slotColours;
    std::array<QList<QColor>, kMapNames.size()> stops;  ///< equally spaced
    std::array<ColorTable, kMapNames.size()> maps;      ///< interpolated in sRGB between the stops
};

/// `over` painted on `ground` with opacity `share`, 0 to 1, interpolated in sRGB; opaque.
QColor mix(const QColor& ground, const QColor& over, double share);
/// The colour with opacity `alpha`, 0 to 1.
QColor withAlpha(const QColor& color, double alpha);

/// Reads a theme file. Throws a std::runtime_error that names the member that is missing or not a colour.
ThemeData parseTheme(const QByteArray& json);

}  // namespace heddle::ui
