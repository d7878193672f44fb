// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/task.h"

#include <QCoreApplication>

namespace heddle::ui {

void TaskControl::advance(std::int64_t done, std::int64_t all) const {
    state_->done = done;
    state_->all = all;
    auto* application = QCoreApplication::instance();
    if (!application || state_->isTold.exchange(true)) return;
    const auto tell = [state = state_] {
        if (state->told) state->told();
    };
    QMetaObject::invokeMethod(application, tell, Qt::QueuedConnection);
}

TaskBase::TaskBase(QObject* owner, Progress progress)
    : QObject(owner), progress_(std::move(progress)), telling_(this, [this] {
          const auto& state = *control_.state_;
          control_.state_->isTold = false;
          if (progress_) progress_(state.done, state.all);
      }) {}

const TaskControl& TaskBase::begin() {
    control_ = {};
    control_.state_->told = [this] { telling_.request(); };
    return control_;
}

void TaskBase::stopListening() {
    control_.state_->told = {};
    telling_.cancel();
}

void TaskBase::end() {
    stopListening();
    control_.cancel();
}

}  // namespace heddle::ui
