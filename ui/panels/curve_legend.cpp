// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/curve_legend.h"

#include "ui/plot/marker.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr int kMargin = 10, kSample = 31, kGap = 8, kMark = 20, kFlag = 22;

/// Draws `text` at `x`, cut at the end of `room`, and returns the x of what follows.
int words(QPainter& painter, int x, const QRect& room, const QString& text, const QFont& font) {
    const int right = room.right() + 1;
    if (text.isEmpty() || x >= right) return x;
    painter.setFont(font);
    const QRect place(x, room.top(), std::min(textWidth(text, font), right - x), room.height());
    painter.drawText(place, Qt::AlignVCenter, painter.fontMetrics().elidedText(text, Qt::ElideMiddle, place.width()));
    return place.right() + 1 + px(kGap);
}

QString moreText(qsizetype entries) { return CurveLegend::tr("+ %n more", nullptr, int(entries)); }

}  // namespace

CurveLegend::CurveLegend(Form form, QWidget* parent) : QWidget(parent), form_(form) {
    if (form == Form::Line) {
        setFixedHeight(px(26));
    } else {
        QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
    }
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void CurveLegend::setEntries(const QList<LegendEntry>& entries, Rule rule) {
    if (entries == entries_ && rule == rule_) return;
    entries_ = entries;
    rule_ = rule;
    setAccessibleName(accessibleText());
    setToolTip(accessibleText());
    updateGeometry();
    update();
}

void CurveLegend::setCurves(const QList<Curve>& curves) {
    QList<LegendEntry> entries;
    QStringList labels;
    int muted = 0;
    for (const Curve& curve : curves) {
        if (!curve.inLegend) continue;
        labels << curve.label;
        if (curve.weight == LineWeight::Muted)
            ++muted;
        else
            entries << LegendEntry{curve.label, curve.order};
    }
    if (muted > 0) entries << LegendEntry{tr("%n more in grey", nullptr, muted), std::nullopt};
    setEntries(entries);
    setAccessibleName(tr("Legend: %1").arg(labels.join(QStringLiteral(", "))));
    setToolTip(labels.join(QLatin1Char('\n')));
}

void CurveLegend::setFlag(const std::optional<CurveEvent>& flag) {
    if (flag == flag_) return;
    flag_ = flag;
    update();
}

QString CurveLegend::accessibleText() const {
    QStringList parts;
    for (const LegendEntry& entry : entries_) {
        QStringList part{entry.label, entry.state, entry.order == 0 ? tr("baseline") : QString(), entry.note};
        part.removeAll(QString());
        parts << part.join(QStringLiteral(", "));
    }
    if (!entries_.isEmpty()) parts << tr("solid lines are train, dashed lines valid");
    return parts.join(QStringLiteral("; "));
}

QList<CurveLegend::Sample> CurveLegend::rule() const {
    return {{{}, rule_ == Rule::Smoothed ? tr("train, smoothed; faint: unsmoothed") : tr("train")}, {{6, 3}, tr("valid")}};
}

QFont CurveLegend::labelFont() const { return form_ == Form::Line ? strongFont(Type::Body) : typeFont(Type::Caption); }

int CurveLegend::flagWidth() const {
    if (!flag_ || flag_->text.isEmpty()) return 0;
    return std::min(textWidth(flag_->text, typeFont(Type::Body)), width() / 4) + px(kFlag + kGap);
}

int CurveLegend::ruleWidth() const {
    int width = 0;
    for (const Sample& sample : rule()) width += px(kSample + kGap) + textWidth(sample.words, typeFont(Type::Body));
    return width;
}

int CurveLegend::widthOf(const LegendEntry& entry) const {
    const QFont body = typeFont(Type::Body);
    int width = px(kSample + kGap) + textWidth(entry.label, labelFont()) + px(kGap);
    if (form_ == Form::Wrapped) return width;
    if (entry.mark) width += px(kMark);
    for (const QString& text : {entry.state, entry.note, entry.order == 0 ? tr("baseline") : QString()})
        if (!text.isEmpty()) width += textWidth(text, body) + px(kGap);
    return width;
}

QList<QRect> CurveLegend::places(int width) const {
    if (form_ == Form::Line) return placesOnLine(width);
    QList<QRect> places;
    const int line = px(18), left = px(8);
    int x = left, y = 0;
    for (const LegendEntry& entry : entries_) {
        const int needed = std::min(widthOf(entry), std::max(px(60), width - 2 * left));
        if (x > left && x + needed > width) {
            x = left;
            y += line;
        }
        places << QRect(x, y, needed, line);
        x += needed;
    }
    return places;
}

/// What follows the entries is never cut; the first entry is, if the line is too short.
QList<QRect> CurveLegend::placesOnLine(int width) const {
    QList<QRect> places;
    const int more = textWidth(moreText(99), typeFont(Type::Body)) + px(kGap);
    int x = px(kMargin), room = width - 2 * px(kMargin) - flagWidth() - ruleWidth();
    for (qsizetype i = 0; i < entries_.size(); ++i) {
        const int left = room - (i + 1 < entries_.size() ? more : 0), needed = widthOf(entries_[i]);
        if (i > 0 && needed > left) break;
        places << QRect(x, 0, std::clamp(needed, 0, std::max(0, left)), height());
        x += places.last().width();
        room -= places.last().width();
        if (needed > left) break;
    }
    return places;
}

QRect CurveLegend::ruleRect() const {
    if (entries_.isEmpty()) return {};
    const QList<QRect> drawn = places(width());
    const qsizetype more = entries_.size() - drawn.size();
    const int counted = more > 0 ? textWidth(moreText(more), typeFont(Type::Body)) + px(kGap) : 0;
    return {drawn.last().right() + 1 + counted, 0, ruleWidth(), height()};
}

int CurveLegend::heightForWidth(int width) const { return entries_.isEmpty() ? 0 : places(width).last().bottom() + 1; }

QSize CurveLegend::sizeHint() const {
    return form_ == Form::Line ? QWidget::sizeHint() : QSize(px(200), heightForWidth(std::max(width(), px(200))));
}

void CurveLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QList<QRect> drawn = places(width());
    if (form_ == Form::Line) paintLine(painter, drawn.size());
    for (qsizetype i = 0; i < drawn.size(); ++i) paintEntry(painter, entries_[i], drawn[i]);
}

/// The background, the flag, the meaning of the dashes.
void CurveLegend::paintLine(QPainter& painter, qsizetype drawn) const {
    const QFont body = typeFont(Type::Body);
    painter.fillRect(rect(), Theme::color(Token::Panel));
    painter.fillRect(QRect(0, 0, width(), 1), Theme::color(Token::Line));
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::color(Token::Line));
    painter.setPen(Theme::color(Token::Text2));
    if (const int needed = flagWidth(); needed > 0) {
        const int left = width() - px(kMargin) - needed + px(kGap);
        painter.drawPixmap(left, (height() - px(16)) / 2,
                           iconPixmap(Icon::Flag, Theme::color(tokenOf(flag_->kind)), px(16), devicePixelRatioF()));
        words(painter, left + px(kFlag), rect().adjusted(0, 0, -px(kMargin), 0), flag_->text, body);
    }
    if (entries_.isEmpty()) return;
    const QRect place = ruleRect();
    const qsizetype more = entries_.size() - drawn;
    if (more > 0) {
        const int width = textWidth(moreText(more), body) + px(kGap);
        words(painter, place.left() - width, QRect(0, 0, place.left(), height()), moreText(more), body);
    }
    int x = place.left();
    for (const Sample& sample : rule()) {
        painter.setPen(linePen(Theme::color(Token::Text2), 1.8, sample.dash));
        painter.drawLine(QPointF(x, height() / 2.0), QPointF(x + px(24), height() / 2.0));
        painter.setPen(Theme::color(Token::Text2));
        x = words(painter, x + px(kSample), place, sample.words, body);
    }
}

void CurveLegend::paintEntry(QPainter& painter, const LegendEntry& entry, const QRect& place) const {
    const QFont body = typeFont(Type::Body);
    const QRect room = place.adjusted(0, 0, -px(kGap), 0);
    RunStyle style = entry.order ? Theme::runAt(*entry.order) : RunStyle{Theme::color(Token::Text2), {}, {}};
    if (form_ == Form::Line) style.dash = {};
    painter.setRenderHint(QPainter::Antialiasing, form_ == Form::Wrapped);
    paintLineSample(painter, QRectF(place.x(), place.y(), px(24), place.height()), style,
                    entry.order ? SampleMarker::Middle : SampleMarker::None);
    painter.setPen(Theme::color(Token::Text));
    int x = words(painter, place.x() + px(kSample), room, entry.label, labelFont());
    if (form_ == Form::Wrapped) return;
    if (entry.mark) {
        const MarkLook mark = lookOf(*entry.mark);
        if (x + px(16) <= room.right() + 1)
            painter.drawPixmap(x, (height() - px(16)) / 2,
                               iconPixmap(mark.icon, Theme::color(mark.color), px(16), devicePixelRatioF()));
        painter.setPen(Theme::color(mark.color));
        x = words(painter, x + px(kMark), room, entry.state, body);
    }
    painter.setPen(Theme::color(Token::Warn));
    x = words(painter, x, room, entry.note, body);
    painter.setPen(Theme::color(Token::Text2));
    if (entry.order == 0) words(painter, x, room, tr("baseline"), body);
}

}  // namespace heddle::ui
