// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/query.h"

#include <QCoreApplication>
#include <QThread>

#include <utility>

namespace heddle::ui {

/// Clears the key, unless a request waits: then the key belongs to that request.
void QueryBase::State::clearKey() {
    if (!waiting) key.clear();
}

void QueryBase::State::end(int of, bool isAnswered) {
    if (of != generation) return;
    isBusy = false;
    if (!isAnswered) clearKey();
    if (const auto next = std::exchange(waiting, nullptr)) next();
}

/// The last owner may be on a thread of the place.
QueryBase::Request::~Request() {
    const auto end = [weak = state_, generation = generation_, isAnswered = isAnswered_] {
        if (const auto state = weak.lock()) state->end(generation, isAnswered);
    };
    auto* application = QCoreApplication::instance();  // null while the last events are deleted at exit
    if (!application || QThread::currentThread() == application->thread())
        end();
    else
        QMetaObject::invokeMethod(application, end, Qt::QueuedConnection);
}

bool QueryBase::Request::acceptsAnswer(bool isProblem) {
    isAnswered_ = true;
    const auto state = state_.lock();
    if (!state || state->generation != generation_) return false;
    if (isProblem) state->clearKey();
    return true;
}

void QueryBase::cancel() {
    ++state_->generation;
    state_->isBusy = false;
    state_->waiting = nullptr;
    state_->key.clear();
}

void QueryBase::start(std::function<void(std::shared_ptr<Request>)> send) {
    if (state_->isBusy) {
        state_->waiting = [this, send = std::move(send)] { start(send); };
        return;
    }
    state_->isBusy = true;
    send(std::make_shared<Request>(state_));
}

}  // namespace heddle::ui
