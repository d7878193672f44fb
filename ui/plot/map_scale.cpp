// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/map_scale.h"

#include "ui/plot/axis_fit.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace heddle::ui {

double MapScale::position(double value) const {
    if (std::isnan(value)) return value;
    const double share = (std::clamp(value, low, high) - low) / (high - low);
    return curve == MapCurve::SquareRoot ? std::sqrt(share) : share;
}

QList<QRgb> MapScale::colours() const {
    QList<QRgb> table;
    for (int i = 0; i < kNotDrawn; ++i) table.append(Theme::mapColor(map, double(i) / (kNotDrawn - 1)).rgb());
    table.append(0);
    return table;
}

MapScale MapScale::attention() { return {MapId::Attention, MapCurve::SquareRoot, 0, 1}; }
MapScale MapScale::gate() { return {MapId::Gate, MapCurve::Linear, 0, 1}; }

MapScale MapScale::symmetric(double largest) {
    const double limit = roundUp(std::isfinite(largest) && largest > 0 ? largest : 1, {1, 2, 3, 5});
    return {MapId::Signed, MapCurve::Linear, -limit, limit};
}

ScaleBar::ScaleBar(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed); }

void ScaleBar::setScale(const MapScale& scale) {
    scale_ = scale;
    setToolTip(note());
    setAccessibleName(tr("Colour scale from %1 to %2, %3").arg(lowText(), highText(), note()));
    updateGeometry();
    update();
}

void ScaleBar::setEnds(const QString& low, const QString& high) {
    low_ = low;
    high_ = high;
    setScale(scale_);
}

QString ScaleBar::lowText() const { return low_.isEmpty() ? shortNumber(scale_.low) : low_; }
QString ScaleBar::highText() const {
    if (!high_.isEmpty()) return high_;
    return (scale_.low < 0 ? QStringLiteral("+") : QString()) + shortNumber(scale_.high);
}

QString ScaleBar::note() const {
    if (scale_.low < 0) return tr("linear, zero in the middle");
    return scale_.curve == MapCurve::SquareRoot ? tr("square-root scale") : tr("linear scale");
}

QSize ScaleBar::sizeHint() const {
    const QFont caption = typeFont(Type::Caption);
    const int text = textWidth(lowText(), caption) + textWidth(highText(), caption) + textWidth(note(), caption);
    return {text + px(108 + 6 + 6 + 8), std::max(px(20), QFontMetrics(caption).height())};
}

/// Without the note, which is not drawn in a narrow bar.
QSize ScaleBar::minimumSizeHint() const {
    return {sizeHint().width() - textWidth(note(), typeFont(Type::Caption)) - px(8), sizeHint().height()};
}

void ScaleBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text2));
    int x = 0;
    const auto text = [&](const QString& words, int gap) {
        const int width = textWidth(words, painter.font());
        painter.drawText(QRect(x, 0, width, height()), Qt::AlignVCenter | Qt::AlignLeft, words);
        x += width + gap;
    };
    text(lowText(), px(6));
    const QRect bar(x, (height() - px(9)) / 2, px(108), px(9));
    QImage strip(256, 1, QImage::Format_Indexed8);
    strip.setColorTable(QList<QRgb>(Theme::map(scale_.map).begin(), Theme::map(scale_.map).end()));
    for (int i = 0; i < 256; ++i) strip.setPixel(i, 0, uint(i));
    painter.drawImage(bar, strip);
    painter.setPen(Theme::color(Token::Plotaxis));
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
    if (scale_.low < 0) {
        painter.setPen(Theme::color(Token::Cross));
        painter.drawLine(bar.center().x(), bar.top() - px(1), bar.center().x(), bar.bottom() + px(1));
    }
    x = bar.right() + 1 + px(6);
    painter.setPen(Theme::color(Token::Text2));
    text(highText(), px(8));
    const QString shown = painter.fontMetrics().elidedText(note(), Qt::ElideRight, std::max(0, width() - x));
    if (shown.size() > 2) text(shown, 0);
}

}  // namespace heddle::ui
