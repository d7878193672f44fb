// SPDX-License-Identifier: GPL-3.0-or-later
// Fonts and lengths, both derived from the system font.
#pragma once

#include <QFont>

namespace heddle::ui {

enum class Type { Body, Caption, Section, KeyFigure, Verdict, Mono };

/// The application font in one of the product's sizes. Falls back over DejaVu Sans for − ≥ √ ∈ → ⊙.
QFont typeFont(Type type);
/// The same with weight 600: titles, the current value, group rows.
QFont strongFont(Type type);
/// Like typeFont(), with all ten digits equally wide, so that columns are aligned and counters do not shift.
QFont numberFont(Type type);

/// True if the ten digits of `font` have one width.
bool hasTabularFigures(const QFont& font);

/// True if the characters of `font` have one width, measured, since QFontInfo reports Noto Sans Mono as proportional.
bool isMonospaced(const QFont& font);

/// Width of `text`, rounded up, so that a label of this width is not elided.
int textWidth(const QString& text, const QFont& font);

/// Length on the 4 px grid of a 12 px font, in logical pixels of the font in use; px(0) is 0, others at least 1. Derived from
/// the size of the letters, since the line height differs by a fifth between fonts of the same size.
int px(double gridPixels);

}  // namespace heddle::ui
