// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/status_item.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QPainter>

#include <algorithm>

namespace heddle::ui {
namespace {
constexpr int kGap = 6, kBar = 120;
}

StatusItem::StatusItem(const char* name, QWidget* parent) : QAbstractButton(parent) {
    setObjectName(QString::fromLatin1(name));
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
}

/// Called several times a second: the bar is laid out again only if the entry needs more room.
void StatusItem::changed() {
    const int before = widest_;
    if (sizeHint().width() != before) updateGeometry();
    update();
}

void StatusItem::setMark(Icon icon, Token color) {
    if (icon_ == icon && color_ == color) return;
    icon_ = icon;
    color_ = color;
    changed();
}

void StatusItem::setWords(const QString& lead, const QString& words, const QString& tail) {
    if (lead == lead_ && words == words_ && tail == tail_) return;
    if (lead != lead_) widest_ = 0;
    lead_ = lead;
    words_ = words;
    tail_ = tail;
    const QString whole = QStringList{lead, words, tail}.join(QLatin1Char(' ')).simplified();
    setToolTip(whole);
    setAccessibleName(whole);
    changed();
}

void StatusItem::setProgress(std::optional<double> share) {
    if (share == progress_) return;
    progress_ = share;
    changed();
}

QSize StatusItem::sizeHint() const {
    const QFont bold = strongFont(Type::Caption), plain = numberFont(Type::Caption);
    int width = 2 * px(8);
    if (icon_) width += px(16 + kGap);
    if (!lead_.isEmpty()) width += textWidth(lead_, bold) + px(kGap);
    if (!words_.isEmpty()) width += textWidth(words_, plain) + px(kGap);
    if (progress_) width += px(kBar + kGap);
    if (!tail_.isEmpty()) width += textWidth(tail_, plain) + px(kGap);
    widest_ = std::max(widest_, width);
    return {widest_, px(24)};
}

void StatusItem::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (underMouse() && isEnabled()) painter.fillRect(rect(), Theme::color(Token::Hover));
    int x = px(8);
    if (icon_) {
        painter.drawPixmap(x, (height() - px(16)) / 2, iconPixmap(*icon_, Theme::color(color_), px(16), devicePixelRatioF()));
        x += px(16 + kGap);
    }
    const auto text = [&](const QString& words, const QFont& font, Token token) {
        if (words.isEmpty() || x >= width()) return;
        painter.setFont(font);
        painter.setPen(Theme::color(token));
        const QString shown = painter.fontMetrics().elidedText(words, Qt::ElideRight, width() - x);
        painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignVCenter | Qt::AlignLeft, shown);
        x += textWidth(shown, font) + px(kGap);
    };
    text(lead_, strongFont(Type::Caption), Token::Text);
    text(words_, numberFont(Type::Caption), Token::Text);
    if (progress_) {
        paintProgress(painter, QRectF(x, height() / 2.0 - px(3), px(kBar), px(6)), *progress_);
        x += px(kBar + kGap);
    }
    text(tail_, numberFont(Type::Caption), Token::Text2);
}

Chip::Chip(const QString& text, QWidget* parent) : QWidget(parent), text_(text) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(text);
}

QSize Chip::sizeHint() const {
    const QFontMetrics metrics(typeFont(Type::Caption));
    return {metrics.horizontalAdvance(text_) + px(12), std::max(px(17), metrics.height() + px(1))};
}

void Chip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Theme::color(Token::Line));
    painter.setBrush(Theme::color(Token::Panel));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text2));
    painter.drawText(rect(), Qt::AlignCenter, text_);
}

}  // namespace heddle::ui
