// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/inbox_reader.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace heddle::app {

InboxReader::InboxReader(storage::RunStore& store, Handlers handlers, std::chrono::milliseconds every)
    : store_(store), handlers_(std::move(handlers)), every_(every), thread_([this] { run(); }) {}

InboxReader::~InboxReader() { stop(); }

void InboxReader::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void InboxReader::waitRead() {
    std::unique_lock lock(mutex_);
    // A reading in progress may have begun before the request arrived.
    changed_.wait(lock, [this, target = reads_ + 2] { return reads_ >= target || stopping_; });
}

std::string InboxReader::problem() const {
    const std::lock_guard lock(mutex_);
    return problem_.empty() ? notice_ : problem_;
}

void InboxReader::run() {
    do read();
    while (waitForNext());
}

/// False if the thread must end.
bool InboxReader::waitForNext() {
    std::unique_lock lock(mutex_);
    ++reads_;
    changed_.notify_all();
    return !changed_.wait_for(lock, every_, [this] { return stopping_; });
}

void InboxReader::read() {
    if (handlers_.isDatabaseLost()) return;
    std::string problem, notice;
    std::vector<storage::InboxRequest> requests;
    try {
        requests = store_.takeRequests();
        notice = store_.inboxNotice();
    } catch (const std::exception& error) {
        problem = fmt::format("requests of other processes cannot be read: {}", error.what());
    }
    for (const auto& request : requests) try {
            handlers_.execute(request);
            if (!request.refusal.empty()) notice = request.refusal;
        } catch (const std::exception& error) {
            problem = fmt::format("the request {} could not be answered: {}", request.verb, error.what());
        }
    const std::lock_guard lock(mutex_);
    problem_ = std::move(problem);
    if (!notice.empty()) notice_ = std::move(notice);
}

}  // namespace heddle::app
