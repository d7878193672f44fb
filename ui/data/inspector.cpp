// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/inspector.h"

#include "ui/threads/priority.h"

#include <algorithm>

namespace heddle::ui {

Inspector::Inspector(Opener opener, QObject* parent) : QObject(parent), opener_(std::move(opener)), worker_(new QObject) {
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::started, worker_, [] { lowerPriority(BackgroundWork::Reading); });
    connect(&thread_, &QThread::finished, worker_, [this] { opened_.clear(); });
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    thread_.setObjectName(QStringLiteral("inspector"));
    thread_.start();
}

Inspector::~Inspector() {
    isEnding_ = true;
    thread_.quit();
    thread_.wait();
}

void Inspector::Place::post(QPointer<QObject> owner, Job<InspectionSession> job) const {
    if (++inspector->waiting_ == 1) Q_EMIT inspector->busyChanged();
    QMetaObject::invokeMethod(inspector->worker_, [place = *this, owner = std::move(owner), job = std::move(job)] {
        place.inspector->carryOut(place, owner, job);
    });
}

void Inspector::carryOut(const Place& place, const QPointer<QObject>& owner, const Job<InspectionSession>& job) {
    stopRequested_ = place.stopRequested;
    Continuation continuation;
    if (!isEnding_) continuation = job([&]() -> InspectionSession& { return sessionOf(place.model); });
    QMetaObject::invokeMethod(
        this,
        [this, owner, continuation] {
            const bool isLast = --waiting_ == 0;
            if (owner && continuation) continuation();
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
    opened_.emplace_front(model, opener_(model, [this] { return isEnding_ || (stopRequested_ && stopRequested_()); }));
    return *opened_.front().second;
}

}  // namespace heddle::ui
