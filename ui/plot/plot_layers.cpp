// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_layers.h"

#include "ui/plot/marker.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

namespace heddle::ui {
namespace {
constexpr int kMostRows = 6, kLongestLabel = 280;
}

EventLayer::EventLayer(QCustomPlot* plot, const StepAxis* steps) : QCPLayerable(plot, QStringLiteral("axes")), steps_(steps) {}

const CurveEvent* EventLayer::at(QPointF place) const {
    const CurveEvent* best = nullptr;
    double nearest = px(6);
    for (const CurveEvent& event : events) {
        const double distance = std::abs(mParentPlot->xAxis->coordToPixel(steps_->toX(double(event.step))) - place.x());
        if (distance <= nearest) best = &event, nearest = distance;
    }
    return best;
}

void EventLayer::draw(QCPPainter* painter) {
    const QRect rect = mParentPlot->axisRect()->rect();
    for (const CurveEvent& event : events) {
        const double x = std::round(mParentPlot->xAxis->coordToPixel(steps_->toX(double(event.step)))) + 0.5;
        if (x < rect.left() || x > rect.right() + 1) continue;
        const QColor color = Theme::color(tokenOf(event.kind));
        if (event.kind == EventKind::Failure) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(withAlpha(Theme::color(Token::StripBad), 0.8));
            painter->drawRect(QRectF(QPointF(x, rect.top()), QPointF(rect.right() + 1, rect.bottom())));
            painter->setPen(QPen(color, 1.4));
            painter->drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
            painter->setFont(typeFont(Type::Caption));
            painter->setPen(color);
            const QFontMetrics metrics(typeFont(Type::Caption));
            const bool rightFits = x + metrics.horizontalAdvance(event.text) + px(10) < rect.right();
            const QRectF side = rightFits ? QRectF(x + px(6), rect.top() + px(9), rect.right() - x, metrics.height())
                                          : QRectF(rect.left(), rect.top() + px(9), x - px(6) - rect.left(), metrics.height());
            painter->drawText(side, rightFits ? Qt::AlignLeft : Qt::AlignRight, event.text);
            continue;
        }
        painter->setAntialiasing(false);
        QPen dots(color, 1);
        dots.setDashPattern({2, 3});
        painter->setPen(dots);
        painter->drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
        painter->setAntialiasing(true);
        painter->setPen(Qt::NoPen);
        painter->setBrush(color);
        const double w = px(8), h = px(6), top = rect.top();
        painter->drawPolygon(QPolygonF({{x, top}, {x + w, top}, {x + w * 0.72, top + h / 2}, {x + w, top + h}, {x, top + h}}));
    }
}

CursorLayer::CursorLayer(QCustomPlot* plot, const StepAxis* steps)
    : QCPLayerable(plot, QStringLiteral("overlay")), steps_(steps) {}

QList<CursorLayer::Reading> CursorLayer::readings() const {
    QList<Reading> found, without;
    if (!step) return found;
    const auto at = Step(std::llround(*step));
    for (const CurveLine* line : lines) {
        if (!line->realVisibility() || !line->curve.rows || line->curve.rows->size() == 0) continue;
        const auto shown = line->line()->recordedAt(at);
        if (!shown) {
            without.append({line, std::nullopt, std::nullopt, {}});
            continue;
        }
        Reading reading{line, shown, std::nullopt, {}};
        if (line->line() != line->curve.rows.get())
            if (const auto row = line->curve.rows->recordedAt(at)) reading.row = row->value;
        reading.place = {mParentPlot->xAxis->coordToPixel(steps_->toX(double(shown->step))),
                         std::isfinite(shown->value) ? mParentPlot->yAxis->coordToPixel(shown->value) : -1};
        found.append(reading);
    }
    if (pointerY)
        std::stable_sort(found.begin(), found.end(), [this](const Reading& a, const Reading& b) {
            return std::abs(a.place.y() - *pointerY) < std::abs(b.place.y() - *pointerY);
        });
    return (found + without).mid(0, kMostRows);
}

QString CursorLayer::head() const {
    const auto at = Step(std::llround(step.value_or(0)));
    return describe ? describe(at) : tr("step %1").arg(count(at));
}

PlotTable CursorLayer::table() const {
    PlotTable table;
    if (!step) return table;
    table.caption = head();
    table.columns << tr("Curve") << tr("Value") << tr("Row");
    for (const Reading& reading : readings())
        table.rows << QStringList{reading.line->curve.label, shownText(reading), number(reading.row, decimals)};
    return table;
}

QString CursorLayer::shownText(const Reading& reading) const {
    return number(reading.shown ? std::optional(reading.shown->value) : std::nullopt, decimals);
}

void CursorLayer::draw(QCPPainter* painter) {
    const QRect rect = mParentPlot->axisRect()->rect();
    if (!rubberBand.isEmpty()) {
        painter->setAntialiasing(false);
        painter->setPen(QPen(Theme::color(Token::Accent), 1));
        painter->setBrush(withAlpha(Theme::color(Token::Accent), 0.12));
        painter->drawRect(rubberBand.intersected(QRectF(rect)));
    }
    if (!step) return;
    const double x = std::round(mParentPlot->xAxis->coordToPixel(steps_->toX(*step))) + 0.5;
    if (x < rect.left() || x > rect.right() + 1) return;
    painter->setAntialiasing(false);
    painter->setPen(QPen(Theme::color(Token::Cross), 1));
    painter->drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
    const QList<Reading> shown = readings();
    painter->setAntialiasing(true);
    painter->setBrush(Theme::color(Token::Base));
    for (const Reading& reading : shown) {
        if (!reading.shown || !QRectF(rect).contains(reading.place)) continue;
        painter->setPen(QPen(reading.line->style().color, 1.6));
        painter->drawEllipse(reading.place, 3.6, 3.6);
    }
    if (!shown.isEmpty()) drawBox(*painter, shown, x);
}

QRectF CursorLayer::freeCorner(QSizeF size, double cursorX) const {
    const QRectF rect = QRectF(mParentPlot->axisRect()->rect()).adjusted(px(8), px(8), -px(8), -px(8));
    const auto at = [&](int corner) {
        const double x = corner % 2 ? rect.right() - size.width() : rect.left();
        const double y = corner / 2 ? rect.bottom() - size.height() : rect.top();
        return QRectF(QPointF(std::round(x) + 0.5, std::round(y) + 0.5), size);
    };
    const auto cost = [&](int corner) {
        const QRectF box = at(corner);
        double covered = box.left() - 8 < cursorX && cursorX < box.right() + 8 ? 400 : 0;
        for (const CurveLine* line : lines)
            for (const QPolygonF& part : line->drawn())
                for (const QPointF& point : part) covered += box.contains(point);
        return covered;
    };
    double best = cost(corner_) - 20;  // the box moves only if another corner is clearly freer
    for (int corner = 0; corner < 4; ++corner)
        if (const double price = cost(corner); price < best) best = price, corner_ = corner;
    return at(corner_);
}

void CursorLayer::drawBox(QCPPainter& painter, const QList<Reading>& shown, double cursorX) const {
    const QFont caption = typeFont(Type::Caption), figures = numberFont(Type::Caption);
    const QFontMetrics text(caption);
    bool twoColumns = false;
    double label = 0, first = 0, second = 0;
    for (const Reading& reading : shown) {
        twoColumns = twoColumns || reading.row;
        label = std::max<double>(label, textWidth(reading.line->curve.label, caption));
        first = std::max<double>(first, textWidth(shownText(reading), figures));
        if (reading.row) second = std::max<double>(second, textWidth(number(*reading.row, decimals), figures));
    }
    const QStringList heads = head().split(QLatin1Char('\n'));
    const QString smoothHead = tr("smoothed"), rowHead = tr("row");
    if (twoColumns) {
        first = std::max<double>(first, textWidth(smoothHead, caption));
        second = std::max<double>(second, textWidth(rowHead, caption));
    }
    const double pad = px(7), sample = px(24), gap = px(10), line = px(15);
    const double numbersWidth = first + (twoColumns ? gap + second : 0);
    // The last line of the head is beside the column heads; the others have the whole width.
    label = std::max<double>(label, textWidth(heads.last(), caption) - sample - px(6));
    for (const QString& words : heads) label = std::max(label, textWidth(words, caption) - sample - px(6) - gap - numbersWidth);
    label = std::min<double>(label, px(kLongestLabel));
    const double inside = sample + px(6) + label + gap + numbersWidth;
    const QSizeF size(2 * pad + inside, 2 * px(4) + line * double(shown.size() + heads.size()));
    const QRectF box = freeCorner(size, cursorX);
    painter.setAntialiasing(false);
    painter.setPen(QPen(Theme::color(Token::Border), 1));
    painter.setBrush(Theme::color(Token::Panel));
    painter.drawRect(box);

    const double right = box.right() - pad, firstRight = right - (twoColumns ? gap + second : 0);
    const auto cell = [&](double to, double width, double y) { return QRectF(to - width, y, width, line); };
    double y = box.top() + px(4);
    painter.setFont(caption);
    painter.setPen(Theme::color(Token::Text2));
    for (const QString& words : heads) {
        const bool isLast = &words == &heads.last();
        const double room = isLast ? inside - gap - numbersWidth : inside;
        painter.drawText(QRectF(box.left() + pad, y, inside, line), Qt::AlignVCenter | Qt::AlignLeft,
                         text.elidedText(words, Qt::ElideRight, int(room)));
        if (!isLast) y += line;
    }
    if (twoColumns) {
        painter.drawText(cell(firstRight, first, y), Qt::AlignVCenter | Qt::AlignRight, smoothHead);
        painter.drawText(cell(right, second, y), Qt::AlignVCenter | Qt::AlignRight, rowHead);
    }
    for (const Reading& reading : shown) {
        y += line;
        paintLineSample(painter, QRectF(box.left() + pad, y, sample, line), reading.line->style(), SampleMarker::None);
        painter.setFont(caption);
        painter.setPen(Theme::color(Token::Text));
        painter.drawText(QRectF(box.left() + pad + sample + px(6), y, label, line), Qt::AlignVCenter | Qt::AlignLeft,
                         text.elidedText(reading.line->curve.label, Qt::ElideMiddle, int(label)));
        painter.setFont(figures);
        painter.drawText(cell(firstRight, first, y), Qt::AlignVCenter | Qt::AlignRight, shownText(reading));
        painter.setPen(Theme::color(Token::Text2));
        if (reading.row || (twoColumns && !reading.shown))
            painter.drawText(cell(right, second, y), Qt::AlignVCenter | Qt::AlignRight, number(reading.row, decimals));
    }
}

}  // namespace heddle::ui
