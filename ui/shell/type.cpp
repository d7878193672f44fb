// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/type.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

double scaleOf(Type type) {
    switch (type) {
    case Type::Body: return 1.0;
    case Type::Caption:
    case Type::Mono: return 0.92;
    case Type::Section: return 1.08;
    case Type::KeyFigure: return 1.25;
    case Type::Verdict: return 1.33;
    }
    return 1.0;
}

double pixelsOf(const QFont& font) { return font.pixelSize() > 0 ? font.pixelSize() : QFontInfo(font).pixelSize(); }

QFont withFallbacks(QFont font) {
    QStringList families = font.families();
    if (families.isEmpty()) families.append(QFontInfo(font).family());
    for (const QString& family : {QStringLiteral("DejaVu Sans"), QStringLiteral("Noto Sans CJK SC")})
        if (!families.contains(family)) families.append(family);
    font.setFamilies(families);
    return font;
}

}  // namespace

QFont typeFont(Type type) {
    const QFont base = QApplication::font();
    QFont result = type == Type::Mono ? QFontDatabase::systemFont(QFontDatabase::FixedFont) : base;
    result.setPixelSize(std::max(1, int(std::lround(pixelsOf(base) * scaleOf(type)))));
    return withFallbacks(result);
}

QFont strongFont(Type type) {
    QFont result = typeFont(type);
    result.setWeight(QFont::DemiBold);
    return result;
}

QFont numberFont(Type type) { return tabular(typeFont(type)); }

bool hasTabularFigures(const QFont& font) {
    const QFontMetricsF metrics(font);
    const qreal width = metrics.horizontalAdvance(QLatin1Char('0'));
    for (char digit = '1'; digit <= '9'; ++digit)
        if (std::abs(metrics.horizontalAdvance(QLatin1Char(digit)) - width) > 0.01) return false;
    return true;
}

QFont tabular(const QFont& font) {
    if (hasTabularFigures(font)) return font;
    for (const QString& family :
         {QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans"), QStringLiteral("Liberation Sans")}) {
        if (!QFontDatabase::hasFamily(family)) continue;
        QFont candidate = font;
        candidate.setFamilies({family});
        if (!hasTabularFigures(candidate)) continue;
        const double ratio = QFontMetricsF(font).xHeight() / QFontMetricsF(candidate).xHeight();
        candidate.setPixelSize(std::max(1, int(std::lround(pixelsOf(font) * ratio))));
        return withFallbacks(candidate);
    }
    return font;
}

int textWidth(const QString& text, const QFont& font) {
    return int(std::ceil(QFontMetricsF(font).horizontalAdvance(text))) + 1;
}

int px(double gridPixels) {
    if (gridPixels == 0) return 0;
    return std::max(1, int(std::lround(gridPixels * pixelsOf(QApplication::font()) / 12.0)));
}

}  // namespace heddle::ui
