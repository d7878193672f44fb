// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/legend_row.h"

#include "ui/plot/marker.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

#include <algorithm>

namespace heddle::ui::watch {
namespace {

constexpr int kMargin = 10, kSample = 31, kGap = 8, kMark = 20, kFlag = 22;

/// Draws words at `x`, cut where the room ends, and returns where what follows may begin.
int words(QPainter& painter, int x, int right, const QString& text, const QFont& font) {
    if (text.isEmpty() || x >= right) return x;
    painter.setFont(font);
    const QRect place(x, 0, std::min(textWidth(text, font), right - x), painter.device()->height());
    painter.drawText(place, Qt::AlignVCenter, painter.fontMetrics().elidedText(text, Qt::ElideMiddle, place.width()));
    return place.right() + 1 + px(kGap);
}

QString moreWords(qsizetype entries) { return LegendRow::tr("+ %n more", nullptr, int(entries)); }

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
    if (!entries_.isEmpty()) parts << tr("solid lines are train, dashed lines valid");
    return parts.join(QStringLiteral("; "));
}

QList<LegendRow::Sample> LegendRow::rule() const {
    return {{{}, rule_ == Rule::Smoothed ? tr("train, smoothed; faint: unsmoothed") : tr("train")}, {{6, 3}, tr("valid")}};
}

int LegendRow::flagWidth() const {
    if (!flag_ || flag_->text.isEmpty()) return 0;
    return std::min(textWidth(flag_->text, typeFont(Type::Body)), width() / 4) + px(kFlag + kGap);
}

int LegendRow::widthOf(const LegendEntry& entry) const {
    const QFont body = typeFont(Type::Body);
    int width = px(kSample + kMark + kGap) + textWidth(entry.label, strongFont(Type::Body)) + px(kGap);
    for (const QString& text : {entry.state, entry.note, entry.order == 0 ? tr("baseline") : QString()})
        if (!text.isEmpty()) width += textWidth(text, body) + px(kGap);
    return width;
}

int LegendRow::ruleWidth() const {
    int width = 0;
    for (const Sample& sample : rule()) width += px(kSample + kGap) + textWidth(sample.words, typeFont(Type::Body));
    return width;
}

QRect LegendRow::ruleRect() const {
    if (entries_.isEmpty()) return {};
    const auto [count, used] = shown();
    const qsizetype more = entries_.size() - count;
    const int counted = more > 0 ? textWidth(moreWords(more), typeFont(Type::Body)) + px(kGap) : 0;
    return {px(kMargin) + used + counted, 0, ruleWidth(), height()};
}

std::pair<qsizetype, int> LegendRow::shown() const {
    const int room = width() - 2 * px(kMargin) - flagWidth() - ruleWidth(),
              more = textWidth(moreWords(99), typeFont(Type::Body)) + px(kGap);
    int used = 0;
    for (qsizetype i = 0; i < entries_.size(); ++i) {
        const int width = widthOf(entries_[i]), left = room - (i + 1 < entries_.size() ? more : 0);
        if (used + width <= left)
            used += width;
        else
            return i > 0 ? std::pair(i, used) : std::pair(qsizetype(1), std::max(0, left));  // the first is cut
    }
    return {entries_.size(), used};
}

void LegendRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Panel));
    painter.fillRect(QRect(0, 0, width(), 1), Theme::color(Token::Line));
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::color(Token::Line));
    paintFlag(painter);
    if (entries_.isEmpty()) return;
    const auto [count, used] = shown();
    int x = px(kMargin);
    for (qsizetype i = 0; i < count; ++i) {
        const QRect place(x, 0, std::min(widthOf(entries_[i]), px(kMargin) + used - x), height());
        paintEntry(painter, entries_[i], place);
        x += place.width();
    }
    painter.setPen(Theme::color(Token::Text2));
    const QRect place = ruleRect();
    if (count < entries_.size()) words(painter, x, place.left(), moreWords(entries_.size() - count), typeFont(Type::Body));
    paintRule(painter, place);
}

void LegendRow::paintFlag(QPainter& painter) const {
    if (flagWidth() == 0) return;
    const int left = width() - px(kMargin) - flagWidth() + px(kGap);
    painter.drawPixmap(left, (height() - px(16)) / 2,
                       iconPixmap(Icon::Flag, Theme::color(tokenOf(flag_->kind)), px(16), devicePixelRatioF()));
    painter.setPen(Theme::color(Token::Text2));
    words(painter, left + px(kFlag), width() - px(kMargin), flag_->text, typeFont(Type::Body));
}

void LegendRow::paintEntry(QPainter& painter, const LegendEntry& entry, const QRect& place) const {
    const QFont body = typeFont(Type::Body);
    const int right = place.right() + 1 - px(kGap);
    RunStyle style = Theme::runAt(entry.order);
    style.dash = {};
    paintLineSample(painter, QRectF(place.x(), 0, px(24), height()), style, SampleMarker::Middle);
    painter.setPen(Theme::color(Token::Text));
    int x = words(painter, place.x() + px(kSample), right, entry.label, strongFont(Type::Body));
    const MarkLook mark = lookOf(entry.mark);
    if (x + px(16) <= right)
        painter.drawPixmap(x, (height() - px(16)) / 2,
                           iconPixmap(mark.icon, Theme::color(mark.color), px(16), devicePixelRatioF()));
    painter.setPen(Theme::color(mark.color));
    x = words(painter, x + px(kMark), right, entry.state, body);
    painter.setPen(Theme::color(Token::Warn));
    x = words(painter, x, right, entry.note, body);
    painter.setPen(Theme::color(Token::Text2));
    if (entry.order == 0) words(painter, x, right, tr("baseline"), body);
}

void LegendRow::paintRule(QPainter& painter, const QRect& place) const {
    int x = place.left();
    for (const Sample& sample : rule()) {
        painter.setPen(linePen(Theme::color(Token::Text2), 1.8, sample.dash));
        painter.drawLine(QPointF(x, height() / 2.0), QPointF(x + px(24), height() / 2.0));
        painter.setPen(Theme::color(Token::Text2));
        x = words(painter, x + px(kSample), place.right() + 1, sample.words, typeFont(Type::Body));
    }
}

}  // namespace heddle::ui::watch
