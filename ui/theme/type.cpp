// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/type.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QPointer>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

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

/// The family that is drawn comes first: in a list of families, Qt skips an alias ("monospace").
QFont withFallbacks(QFont font) {
    QStringList families{QFontInfo(font).family()};
    for (const QString& family :
         font.families() + QStringList{QStringLiteral("DejaVu Sans"), QStringLiteral("Noto Sans CJK SC")})
        if (!families.contains(family)) families.append(family);
    font.setFamilies(families);
    return font;
}

/// The fixed font of the desktop if its characters have one width, else a family with one width.
QFont fixedFont() {
    const QFont wanted = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    if (isMonospaced(wanted)) return wanted;
    for (const QString& family :
         {QStringLiteral("DejaVu Sans Mono"), QStringLiteral("Noto Sans Mono"), QStringLiteral("Liberation Mono")}) {
        QFont candidate = wanted;
        candidate.setFamilies({family});
        if (QFontDatabase::hasFamily(family) && isMonospaced(candidate)) return candidate;
    }
    return wanted;
}

QFont derived(const QFont& base, Type type) {
    QFont result = type == Type::Mono ? fixedFont() : base;
    result.setPixelSize(std::max(1, int(std::lround(pixelsOf(base) * scaleOf(type)))));
    return withFallbacks(result);
}

/// `font` itself, or the first of Noto Sans, DejaVu Sans, Liberation Sans that has tabular figures, at equal x-height.
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

/// Everything derived from the font of the application, cached: finding a font in the system costs more than drawing with it,
/// and a paint event needs dozens. A child of the application, since fonts must not outlive it.
class FontBook : public QObject {
public:
    explicit FontBook(const QFont& base) : QObject(QCoreApplication::instance()), base_(base), pixels_(pixelsOf(base)) {
        for (std::size_t i = 0; i < kTypes; ++i) {
            plain_[i] = strong_[i] = derived(base, Type(i));
            strong_[i].setWeight(QFont::DemiBold);
            number_[i] = tabular(plain_[i]);
        }
    }

    static const FontBook& ofApplication() {
        static QPointer<FontBook> book;
        if (const QFont now = QApplication::font(); !book || now != book->base_) {
            delete book;
            book = new FontBook(now);
        }
        return *book;
    }

    double pixels() const { return pixels_; }
    const QFont& plain(Type type) const { return plain_[std::size_t(type)]; }
    const QFont& strong(Type type) const { return strong_[std::size_t(type)]; }
    const QFont& number(Type type) const { return number_[std::size_t(type)]; }

private:
    static constexpr std::size_t kTypes = std::size_t(Type::Mono) + 1;

    QFont base_;
    double pixels_;
    std::array<QFont, kTypes> plain_, strong_, number_;
};

}  // namespace

QFont typeFont(Type type) { return FontBook::ofApplication().plain(type); }
QFont strongFont(Type type) { return FontBook::ofApplication().strong(type); }
QFont numberFont(Type type) { return FontBook::ofApplication().number(type); }

bool hasTabularFigures(const QFont& font) {
    const QFontMetricsF metrics(font);
    const qreal width = metrics.horizontalAdvance(QLatin1Char('0'));
    for (char digit = '1'; digit <= '9'; ++digit)
        if (std::abs(metrics.horizontalAdvance(QLatin1Char(digit)) - width) > 0.01) return false;
    return true;
}

bool isMonospaced(const QFont& font) {
    const QFontMetricsF metrics(font);
    const qreal width = metrics.horizontalAdvance(QLatin1Char('0'));
    constexpr std::string_view kVarying = "il.,:mWM@";  // where proportional fonts differ most
    return std::all_of(kVarying.begin(), kVarying.end(), [&](char character) {
        return std::abs(metrics.horizontalAdvance(QLatin1Char(character)) - width) <= 0.01;
    });
}

int textWidth(const QString& text, const QFont& font) {
    return int(std::ceil(QFontMetricsF(font).horizontalAdvance(text))) + 1;
}

int px(double gridPixels) {
    if (gridPixels == 0) return 0;
    return std::max(1, int(std::lround(gridPixels * FontBook::ofApplication().pixels() / 12.0)));
}

}  // namespace heddle::ui
