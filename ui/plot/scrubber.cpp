// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/scrubber.h"

#include "ui/plot/axis_fit.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QKeyEvent>
#include <QPainter>

#include <cmath>

namespace heddle::ui {
namespace {
constexpr double kGrooveY = 14, kKnob = 6.5;
}

Scrubber::Scrubber(QWidget* parent) : QAbstractSlider(parent) {
    setOrientation(Qt::Horizontal);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Snapshot"));
    setAttribute(Qt::WA_Hover);
}

QSize Scrubber::sizeHint() const { return {px(400), px(46)}; }
QSize Scrubber::minimumSizeHint() const { return {px(120), px(46)}; }

void Scrubber::setSteps(int last) { setRange(0, std::max(1, last)); }

void Scrubber::setSnapshots(std::vector<int> steps) {
    snapshots_ = std::move(steps);
    if (!snapshots_.empty()) {
        if (snapshots_.back() > maximum()) setMaximum(snapshots_.back());
        setValue(follow_ == Follow::On ? snapshots_.back() : nearestSnapshot(value()));
    }
    update();
}

void Scrubber::setEvents(const QList<CurveEvent>& events) {
    if (events == events_) return;
    events_ = events;
    update();
}

void Scrubber::setBest(std::optional<int> step) {
    if (step == best_) return;
    best_ = step;
    update();
}

void Scrubber::setFollow(Follow follow) {
    if (follow == follow_) return;
    follow_ = follow;
    if (follow == Follow::On && !snapshots_.empty()) setValue(snapshots_.back());
    Q_EMIT followChanged(follow);
}

int Scrubber::nearestSnapshot(int step) const {
    if (snapshots_.empty()) return step;
    const auto after = std::lower_bound(snapshots_.begin(), snapshots_.end(), step);
    if (after == snapshots_.begin()) return *after;
    if (after == snapshots_.end()) return snapshots_.back();
    return step - *(after - 1) <= *after - step ? *(after - 1) : *after;
}

void Scrubber::goTo(int step) {
    const int snapshot = nearestSnapshot(step);
    if (!snapshots_.empty() && snapshot != snapshots_.back()) setFollow(Follow::Off);
    setValue(snapshot);
}

void Scrubber::goBy(int snapshots) {
    if (snapshots_.empty()) return;
    const auto here = std::lower_bound(snapshots_.begin(), snapshots_.end(), nearestSnapshot(value())) - snapshots_.begin();
    const auto last = std::ptrdiff_t(snapshots_.size()) - 1;
    goTo(snapshots_[std::size_t(std::clamp<std::ptrdiff_t>(here + snapshots, 0, last))]);
}

double Scrubber::xOf(double step) const {
    const double left = px(kKnob) + 1, room = width() - 2 * left;
    return left + room * (step - minimum()) / std::max(1, maximum() - minimum());
}

int Scrubber::stepAt(double x) const {
    const double left = px(kKnob) + 1, room = std::max(1.0, width() - 2 * left);
    return minimum() + int(std::lround(std::clamp((x - left) / room, 0.0, 1.0) * (maximum() - minimum())));
}

void Scrubber::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const double y = px(kGrooveY), knob = xOf(sliderPosition());
    const double newest = snapshots_.empty() ? minimum() : snapshots_.back();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const double thick = px(4), left = xOf(minimum());
    painter.setBrush(Theme::color(Token::Line));
    painter.drawRoundedRect(QRectF(left, y - thick / 2, xOf(maximum()) - left, thick), thick / 2, thick / 2);
    painter.setBrush(Theme::color(Token::Border));  // up to the newest snapshot
    painter.drawRoundedRect(QRectF(left, y - thick / 2, xOf(newest) - left, thick), thick / 2, thick / 2);

    painter.setRenderHint(QPainter::Antialiasing, false);
    double lastX = -1e9;
    for (const int step : snapshots_) {  // ticks closer than 2 px would merge
        const double x = std::round(xOf(step));
        if (x - lastX < 2) continue;
        painter.fillRect(QRectF(x, y + px(5), 1, px(5)), Theme::color(Token::Text2));
        lastX = x;
    }
    paintLabels(painter);

    painter.setRenderHint(QPainter::Antialiasing);
    for (const CurveEvent& event : events_) {
        const double x = std::round(xOf(double(event.step))), w = px(7), h = px(6), top = 1;
        painter.setPen(Qt::NoPen);
        painter.setBrush(Theme::color(tokenOf(event.kind)));
        painter.drawRect(QRectF(x, top, px(1.4), y - thick / 2 - top));
        painter.drawPolygon(QPolygonF({{x, top}, {x + w, top}, {x + w * 0.7, top + h / 2}, {x + w, top + h}, {x, top + h}}));
    }
    if (best_) {
        const double x = xOf(*best_), top = y + px(5), half = px(4);
        painter.setPen(Qt::NoPen);
        painter.setBrush(Theme::color(Token::Text));
        painter.drawPolygon(QPolygonF({{x, top}, {x + half, top + half * 1.6}, {x - half, top + half * 1.6}}));
    }
    const bool ready = isEnabled() && !snapshots_.empty();
    painter.setPen(QPen(Theme::color(ready ? Token::Panel : Token::Line), 1));
    painter.setBrush(Theme::color(ready ? Token::Accent : Token::Disabled));
    painter.drawEllipse(QPointF(knob, y), px(kKnob), px(kKnob));
}

void Scrubber::paintLabels(QPainter& painter) const {
    painter.setFont(numberFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text2));
    const QFontMetrics metrics = painter.fontMetrics();
    const double span = std::max(1, maximum() - minimum());
    const double every = roundUp125(std::max(1.0, span * px(90) / std::max(1, width())));
    for (double step = minimum(); step <= maximum(); step += every) {
        const QString text = count(qint64(step));
        const int w = metrics.horizontalAdvance(text);
        const double x = std::clamp(xOf(step) - w / 2.0, 0.0, double(width() - w));
        painter.drawText(QRectF(x, height() - px(17), w + 1, px(16)), Qt::AlignVCenter | Qt::AlignLeft, text);
    }
}

void Scrubber::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || snapshots_.empty()) return event->ignore();
    setSliderDown(true);
    goTo(stepAt(event->position().x()));
}

void Scrubber::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown()) goTo(stepAt(event->position().x()));
}

void Scrubber::mouseReleaseEvent(QMouseEvent*) { setSliderDown(false); }

void Scrubber::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Down: return goBy(-1);
    case Qt::Key_Right:
    case Qt::Key_Up: return goBy(1);
    case Qt::Key_PageDown: return goBy(-10);
    case Qt::Key_PageUp: return goBy(10);
    case Qt::Key_Home: return goBy(-int(snapshots_.size()));
    case Qt::Key_End: return setFollow(Follow::On);
    default: QAbstractSlider::keyPressEvent(event);
    }
}

void Scrubber::wheelEvent(QWheelEvent* event) {
    goBy(event->angleDelta().y() > 0 ? 1 : -1);
    event->accept();
}

}  // namespace heddle::ui
