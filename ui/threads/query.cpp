// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/query.h"

#include <QCoreApplication>
#include <QThread>

#include <utility>

namespace heddle::ui {

void Asking::Turns::end(int of) {
    if (of != generation) return;
    isBusy = false;
    if (const auto next = std::exchange(waiting, nullptr)) next();
}

/// The last holder may be a thread of the place.
Asking::Turn::~Turn() {
    const auto end = [turns = turns_, generation = generation_] {
        if (const auto left = turns.lock()) left->end(generation);
    };
    auto* application = QCoreApplication::instance();  // null while the last events are thrown away at the end
    if (!application || QThread::currentThread() == application->thread())
        end();
    else
        QMetaObject::invokeMethod(application, end, Qt::QueuedConnection);
}

bool Asking::Turn::isCurrent() const {
    const auto turns = turns_.lock();
    return turns && turns->generation == generation_;
}

void Asking::cancel() {
    ++turns_->generation;
    turns_->isBusy = false;
    turns_->waiting = nullptr;
    key_.clear();
}

void Asking::take(std::function<void(std::shared_ptr<Turn>)> start) {
    if (turns_->isBusy) {
        turns_->waiting = [this, start = std::move(start)] { take(start); };
        return;
    }
    turns_->isBusy = true;
    start(std::make_shared<Turn>(turns_));
}

}  // namespace heddle::ui
