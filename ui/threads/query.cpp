// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/query.h"

#include <QCoreApplication>
#include <QThread>

#include <utility>

namespace heddle::ui {

/// Unless a newer request waits, whose key it is.
void Asking::Turns::forgetFailed() {
    if (!waiting) key.clear();
}

void Asking::Turns::end(int of, bool isAnswered) {
    if (of != generation) return;
    isBusy = false;
    if (!isAnswered) forgetFailed();
    if (const auto next = std::exchange(waiting, nullptr)) next();
}

/// The last holder may be a thread of the place.
Asking::Turn::~Turn() {
    const auto end = [turns = turns_, generation = generation_, isAnswered = isAnswered_] {
        if (const auto left = turns.lock()) left->end(generation, isAnswered);
    };
    auto* application = QCoreApplication::instance();  // null while the last events are thrown away at the end
    if (!application || QThread::currentThread() == application->thread())
        end();
    else
        QMetaObject::invokeMethod(application, end, Qt::QueuedConnection);
}

bool Asking::Turn::takesAnswer(bool isProblem) {
    isAnswered_ = true;
    const auto turns = turns_.lock();
    if (!turns || turns->generation != generation_) return false;
    if (isProblem) turns->forgetFailed();
    return true;
}

void Asking::cancel() {
    ++turns_->generation;
    turns_->isBusy = false;
    turns_->waiting = nullptr;
    turns_->key.clear();
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
