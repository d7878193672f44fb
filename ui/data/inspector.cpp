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

void Inspector::start(Call call) {
    const std::int64_t number = ++asked_;
    if (++waiting_ == 1) Q_EMIT busyChanged();
    QMetaObject::invokeMethod(worker_, [this, call = std::move(call), number] { carryOut(call, number); });
}

void Inspector::cancel() { cancelled_ = asked_; }

void Inspector::carryOut(const Call& call, std::int64_t number) {
    running_ = number;
    std::function<void()> then;
    try {
        if (number > cancelled_) then = call.run(sessionOf(call.model));
    } catch (const std::exception& error) {
        then = [failed = call.failed, problem = problemOf(error)] { failed(problem); };
        if (number <= cancelled_) then = {};
    }
    finish(call.context, then);
}

/// A cancelled ranking still delivers its entries so far.
void Inspector::finish(const QPointer<QObject>& context, const std::function<void()>& then) {
    QMetaObject::invokeMethod(
        this,
        [this, context, then] {
            const bool isLast = --waiting_ == 0;
            if (context && then) then();
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
