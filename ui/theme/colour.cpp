// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/colour.h"

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

int channel(int from, int to, double share) { return int(std::lround(from + (to - from) * share)); }

}  // namespace

QColor mix(const QColor& ground, const QColor& over, double share) {
    const double t = std::clamp(share, 0.0, 1.0);
    return {channel(ground.red(), over.red(), t), channel(ground.green(), over.green(), t),
            channel(ground.blue(), over.blue(), t)};
}

QColor withAlpha(const QColor& color, double alpha) {
    QColor result = color;
    result.setAlphaF(float(std::clamp(alpha, 0.0, 1.0)));
    return result;
}

}  // namespace heddle::ui
