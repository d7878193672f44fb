// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/bar_plot.h"

#include "ui/plot/axis_fit.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAbstractScrollArea>
#include <QPainter>

namespace heddle::ui {
namespace {

constexpr int kLeastPitch = 15;  ///< of the rows

}  // namespace

BarPlot::BarPlot(QWidget* parent) : PlotView(parent) {
    makeCanvas();
    canvas().setMinimumSize(1, 1);
}

void BarPlot::setData(BarData data) {
    data_ = std::move(data);
    redraw();
    updateGeometry();
    tableChanged();
}

QSize BarPlot::sizeHint() const { return {px(210), px(24 + 24 + 8) + int(data_.bars.size()) * px(24)}; }

int BarPlot::leastHeight() const { return px(24 + 30) + int(data_.bars.size()) * px(kLeastPitch); }

void BarPlot::paintOn(QPaintDevice& device, QSize size) {
    QPainter painter(&device);
    painter.fillRect(QRect({}, size), Theme::color(Token::Base));
    const QFontMetrics caption(typeFont(Type::Caption));
    const int margin = px(8);
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text2));
    int top = px(4);
    if (!data_.title.isEmpty()) {
        painter.drawText(QRect(margin, top, size.width() - 2 * margin, px(18)), Qt::AlignVCenter | Qt::AlignLeft,
                         caption.elidedText(data_.title, Qt::ElideRight, size.width() - 2 * margin));
        top += px(20);
    }
    if (data_.bars.isEmpty()) return;
    const bool legend = !data_.runName.isEmpty();
    const int room = size.height() - top - px(legend ? 30 : 8);
    const int pitch = std::clamp(room / int(data_.bars.size()), px(kLeastPitch), px(27));
    const int thick = std::clamp(pitch / 2, px(9), px(13));
    int labels = 0, values = 0;
    Extent extent;
    extent.add(0);
    for (const Bar& bar : data_.bars) {
        labels = std::max(labels, textWidth(bar.label, typeFont(Type::Caption)));
        values = std::max(values, textWidth(number(bar.value, data_.decimals), numberFont(Type::Caption)));
        if (std::isfinite(bar.value)) extent.add(bar.value);
        if (bar.reference && std::isfinite(*bar.reference)) extent.add(*bar.reference);
    }
    labels = std::min(labels, size.width() / 2);
    const int left = margin + labels + px(6), width = std::max(px(20), size.width() - left - values - px(16));
    const double scale = width / std::max(1e-300, extent.high);
    const RunStyle style = Theme::runAt(data_.order);
    for (int i = 0; i < data_.bars.size(); ++i) {
        const Bar& bar = data_.bars[i];
        const int middle = top + pitch * i + pitch / 2;
        painter.setFont(typeFont(Type::Caption));
        painter.setPen(Theme::color(Token::Text2));
        painter.drawText(QRect(margin, middle - px(9), labels, px(18)), Qt::AlignVCenter | Qt::AlignRight,
                         caption.elidedText(bar.label, Qt::ElideMiddle, labels));
        const double length = std::isfinite(bar.value) ? std::max(0.0, bar.value * scale) : 0;
        const int upper = middle - thick / 2;
        painter.fillRect(QRectF(left + 1, upper, length, thick), style.color);
        double end = length;
        if (bar.reference && std::isfinite(*bar.reference)) {
            painter.fillRect(QRectF(left + std::round(*bar.reference * scale), upper - px(3), 2, thick + px(6)),
                             Theme::color(Token::Text));
            end = std::max(end, *bar.reference * scale + 3);
        }
        painter.setFont(numberFont(Type::Caption));
        painter.setPen(Theme::color(Token::Text));
        painter.drawText(QRectF(left + end + px(5), middle - px(9), values + px(4), px(18)), Qt::AlignVCenter | Qt::AlignLeft,
                         number(bar.value, data_.decimals));
    }
    const int bottom = top + pitch * int(data_.bars.size());
    painter.fillRect(QRect(left, top, 1, bottom - top), Theme::color(Token::Plotaxis));
    if (legend) paintLegend(painter, QRect(margin, bottom + px(8), size.width() - 2 * margin, px(16)));
}

void BarPlot::paintLegend(QPainter& painter, QRect line) const {
    const QFontMetrics caption(typeFont(Type::Caption));
    painter.setFont(typeFont(Type::Caption));
    int x = line.left();
    const auto text = [&](const QString& words) {
        painter.setPen(Theme::color(Token::Text2));
        painter.drawText(QRect(x, line.top(), caption.horizontalAdvance(words) + 1, line.height()), Qt::AlignVCenter, words);
        x += caption.horizontalAdvance(words) + px(16);
    };
    painter.fillRect(QRect(x, line.center().y() - px(4), px(10), px(8)), Theme::runAt(data_.order).color);
    x += px(15);
    text(data_.runName);
    if (data_.referenceName.isEmpty()) return;
    painter.fillRect(QRect(x, line.top() + px(1), 2, line.height() - px(2)), Theme::color(Token::Text));
    x += px(7);
    text(data_.referenceName);
}

PlotTable BarPlot::table() const {
    PlotTable table;
    table.caption = data_.title;
    table.columns << QString() << data_.runName << data_.referenceName;
    for (const Bar& bar : data_.bars)
        table.rows << QStringList{bar.label, number(bar.value, data_.decimals), number(bar.reference, data_.decimals)};
    return table;
}

}  // namespace heddle::ui
