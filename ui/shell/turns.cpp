// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/turns.h"

#include <QTimer>

#include <utility>

namespace heddle::ui {

void inTurns(QObject* context, std::vector<std::function<void()>> steps) {
    if (steps.empty()) return;
    // A timer, not a posted event: all that was posted before it, painting above all, is done in turns before.
    QTimer::singleShot(0, context, [context, steps = std::move(steps)]() mutable {
        steps.front()();
        steps.erase(steps.begin());
        inTurns(context, std::move(steps));
    });
}

}  // namespace heddle::ui
