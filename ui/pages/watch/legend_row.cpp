// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/legend_row.h"

#include "ui/plot/marker.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

namespace heddle::ui::watch {
namespace {

/// Draws words at `x` and returns where they end; draws nothing and returns `right` if they do not fit.
int words(QPainter& painter, int x, int right, const QString& text, const QFont& font) {
    const int width = textWidth(text, font);
    if (x + width > right) return right;
    painter.setFont(font);
    painter.drawText(QRect(x, 0, width, painter.device()->height()), Qt::AlignVCenter, text);
    return x + width;
}

}  // namespace

LegendRow::LegendRow(QWidget* parent) : QWidget(parent) {
    setFixedHeight(px(26));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void LegendRow::setEntries(const QList<LegendEntry>& entries, Rule rule) {
    if (entries == entries_ && rule == rule_) return;
    entries_ = entries;
    rule_ = rule;
    setAccessibleName(accessibleText());
    setToolTip(accessibleText());
    update();
}

void LegendRow::setFlag(const std::optional<CurveEvent>& flag) {
    if (flag == flag_) return;
    flag_ = flag;
    update();
}

QString LegendRow::accessibleText() const {
    QStringList parts;
    for (const LegendEntry& entry : entries_) {
        QStringList part{entry.label, entry.state, entry.order == 0 ? tr("baseline") : QString(), entry.note};
        part.removeAll(QString());
        parts << part.join(QStringLiteral(", "));
    }
    return parts.join(QStringLiteral("; "));
}

void LegendRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Panel));
    painter.fillRect(QRect(0, 0, width(), 1), Theme::color(Token::Line));
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::color(Token::Line));
    const QFont strong = strongFont(Type::Body), body = typeFont(Type::Body);
    int x = px(10), right = width() - px(10);
    if (flag_ && !flag_->text.isEmpty()) {
        const int room = std::min(textWidth(flag_->text, body), width() / 3), left = right - room;
        painter.setFont(body);
        painter.setPen(Theme::color(Token::Text2));
        painter.drawText(QRect(left, 0, room, height()), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(flag_->text, Qt::ElideRight, room));
        painter.drawPixmap(left - px(22), (height() - px(16)) / 2,
                           iconPixmap(Icon::Flag, Theme::color(tokenOf(flag_->kind)), px(16), devicePixelRatioF()));
        right = left - px(30);
    }
    const int most = right;
    right -= textWidth(tr("+ %n more", nullptr, 99), body);
    for (qsizetype i = 0; i < entries_.size(); ++i) {
        const LegendEntry& entry = entries_[i];
        if (x + px(140) > right) {
            painter.setPen(Theme::color(Token::Text2));
            words(painter, x, most, tr("+ %n more", nullptr, int(entries_.size() - i)), body);
            return;
        }
        RunStyle style = Theme::runAt(entry.order);
        style.dash = {};
        paintLineSample(painter, QRectF(x, 0, px(24), height()), style, SampleMarker::Middle);
        painter.setPen(Theme::color(Token::Text));
        x = words(painter, x + px(31), right, entry.label, strong) + px(9);
        const MarkLook mark = lookOf(entry.mark);
        if (x + px(16) < right)
            painter.drawPixmap(x, (height() - px(16)) / 2,
                               iconPixmap(mark.icon, Theme::color(mark.color), px(16), devicePixelRatioF()));
        painter.setPen(Theme::color(mark.color));
        x = words(painter, x + px(20), right, entry.state, body) + px(8);
        painter.setPen(Theme::color(Token::Warn));
        if (!entry.note.isEmpty()) x = words(painter, x, right, entry.note, body) + px(8);
        painter.setPen(Theme::color(Token::Text2));
        if (entry.order == 0) x = words(painter, x, right, tr("baseline"), body) + px(8);
        x += px(8);
    }
    if (!entries_.isEmpty()) paintRule(painter, x, most);
}

int LegendRow::paintRule(QPainter& painter, int x, int right) const {
    const QFont body = typeFont(Type::Body);
    const auto sample = [&](const QList<qreal>& dash, const QString& text) {
        if (x + px(32) + textWidth(text, body) > right) {
            x = right;
            return;
        }
        painter.setPen(linePen(Theme::color(Token::Text2), 1.8, dash));
        painter.drawLine(QPointF(x, height() / 2.0), QPointF(x + px(24), height() / 2.0));
        painter.setPen(Theme::color(Token::Text2));
        x = words(painter, x + px(31), right, text, body) + px(16);
    };
    sample({}, rule_ == Rule::Smoothed ? tr("train, smoothed") : tr("train"));
    sample({6, 3}, tr("valid"));
    if (rule_ == Rule::Raw) return x;
    painter.setPen(Theme::color(Token::Text2));
    return words(painter, x, right, tr("faint: unsmoothed"), body);
}

}  // namespace heddle::ui::watch
