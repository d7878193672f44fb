// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/page_preparer.h"

#include <QElapsedTimer>

namespace heddle::ui {
namespace {

constexpr int kSliceMs = 4, kRestMs = 12;

}  // namespace

PagePreparer::PagePreparer(QObject* parent) : QObject(parent) {
    timer_.setInterval(kRestMs);
    connect(&timer_, &QTimer::timeout, this, &PagePreparer::goOn);
}

void PagePreparer::add(QWidget* page) {
    left_.append(page);
    for (QWidget* widget : page->findChildren<QWidget*>()) left_.append(widget);
    timer_.start();
}

void PagePreparer::goOn() {
    QElapsedTimer clock;
    clock.start();
    while (!left_.isEmpty() && clock.elapsed() < kSliceMs) {
        QWidget* widget = left_.takeFirst();
        if (!widget || widget->isVisible()) continue;
        widget->ensurePolished();
        widget->sizeHint();  // texts are measured with the fonts of the style
    }
    if (left_.isEmpty()) timer_.stop();
}

}  // namespace heddle::ui
