// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/colour.h"

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

double linear(double channel) { return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4); }

double luminance(const QColor& color) {
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

int channel(int from, int to, double share) { return int(std::lround(from + (to - from) * share)); }

}  // namespace

double contrast(const QColor& a, const QColor& b) {
    const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
    return (light + 0.05) / (dark + 0.05);
}

double lightness(const QColor& color) {
    const double y = luminance(color);
    return y > 216.0 / 24389.0 ? 116 * std::cbrt(y) - 16 : y * 24389.0 / 27.0;
}

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
