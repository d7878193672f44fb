// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic on colours. Part of the theme: the only files beside it that may make a colour.
#pragma once

#include <QColor>

namespace heddle::ui {

/// Contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2, relative luminance).
double contrast(const QColor& a, const QColor& b);

/// CIE lightness L*, 0 (black) to 100 (white), D65.
double lightness(const QColor& color);

/// `share` of `over` painted on `ground`, 0 to 1, interpolated in sRGB; opaque.
QColor mix(const QColor& ground, const QColor& over, double share);

/// The colour with opacity `alpha`, 0 to 1.
QColor withAlpha(const QColor& color, double alpha);

}  // namespace heddle::ui
