// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/turns.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <utility>

namespace heddle::ui {
namespace {

constexpr int kTurnMs = 16;  // what a step changes is painted 5 later, in a turn before the next step's

}  // namespace

void inTurns(QObject* context, std::vector<std::function<void()>> steps) {
    if (steps.empty()) return;
    QTimer::singleShot(kTurnMs, context, [context, steps = std::move(steps)]() mutable {
        steps.front()();
        steps.erase(steps.begin());
        inTurns(context, std::move(steps));
    });
}

void paintInTurns(QObject* context, const QList<QWidget*>& parts) {
    std::vector<std::function<void()>> steps;
    for (QWidget* part : parts) {
        part->setUpdatesEnabled(false);
        steps.emplace_back([part = QPointer(part)] {
            if (part) part->setUpdatesEnabled(true);
        });
    }
    inTurns(context, std::move(steps));
}

}  // namespace heddle::ui
