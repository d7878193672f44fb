// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_layers.h"
#include "ui/theme/colour.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

namespace heddle::ui {

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

}  // namespace heddle::ui
