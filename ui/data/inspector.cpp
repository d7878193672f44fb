// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/inspector.h"

#include "ui/threads/priority.h"

#include <algorithm>

namespace heddle::ui {

Inspector::Inspector(Opener opener, QObject* parent) : QObject(parent), opener_(std::move(opener)), worker_(new QObject) {
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::started, worker_, [] { lowerPriority(); });
    connect(&thread_, &QThread::finished, worker_, [this] { opened_.clear(); });
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    thread_.setObjectName(QStringLiteral("inspector"));
    thread_.start();
}

Inspector::~Inspector() {
    cancel();
    thread_.quit();
    thread_.wait();
}

void Inspector::Place::post(QPointer<QObject> owner, Job<InspectionSession> job) const {
    const std::int64_t number = ++inspector->lastCall_;
    if (++inspector->waiting_ == 1) Q_EMIT inspector->busyChanged();
    QMetaObject::invokeMethod(inspector->worker_, [to = inspector, of = model, owner = std::move(owner), job = std::move(job),
                                                   number] { to->carryOut(of, owner, job, number); });
}

void Inspector::cancel() { cancelled_ = lastCall_; }

/// A cancelled ranking still returns its entries so far; other cancelled calls are not answered.
void Inspector::carryOut(const ModelRef& model, const QPointer<QObject>& owner, const Job<InspectionSession>& job,
                         std::int64_t number) {
    running_ = number;
    Continuation continuation;
    if (number > cancelled_) continuation = job([&]() -> InspectionSession& { return sessionOf(model); });
    if (continuation.isProblem && number <= cancelled_) continuation = {};
    QMetaObject::invokeMethod(
        this,
        [this, owner, continuation] {
            const bool isLast = --waiting_ == 0;
            if (owner && continuation.call) continuation.call();
            if (isLast) Q_EMIT busyChanged();
        },
        Qt::QueuedConnection);
}

InspectionSession& Inspector::sessionOf(const ModelRef& model) {
    const auto found = std::find_if(opened_.begin(), opened_.end(), [&](const auto& one) { return one.first == model; });
    if (found != opened_.end()) {
        opened_.splice(opened_.begin(), opened_, found);
        return *opened_.front().second;
    }
    while (opened_.size() >= kOpened) opened_.pop_back();
    opened_.emplace_front(model, opener_(model, [this] { return running_ <= cancelled_; }));
    return *opened_.front().second;
}

}  // namespace heddle::ui
