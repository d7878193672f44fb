// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic on colours. Part of the theme: the only files beside it that may make a colour.
#pragma once

#include <QColor>

namespace heddle::ui {

/// `share` of `over` painted on `ground`, 0 to 1, interpolated in sRGB; opaque.
QColor mix(const QColor& ground, const QColor& over, double share);

/// The colour with opacity `alpha`, 0 to 1.
QColor withAlpha(const QColor& color, double alpha);

}  // namespace heddle::ui
