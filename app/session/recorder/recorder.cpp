// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/recorder.h"

#include "app/session/runs/checkpoint_folders.h"
#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::app {

using storage::RunStore;
using storage::StorageError;

namespace {
/// The recorder of the current thread, since handlers may call write().
thread_local const Recorder* onThreadOf = nullptr;
}  // namespace

Recorder::Recorder(std::unique_ptr<RunStore> store, Handlers handlers, Options options)
    : options_(options),
      handlers_(std::move(handlers)),
      store_(std::move(store)),
      queue_(options.queueBytes),
      ledger_(storage::RunQuery::open(store_->file())) {}

void Recorder::start() {
    thread_ = std::thread([this] { run(); });
}

Recorder::~Recorder() { close(std::chrono::seconds(5)); }

void Recorder::run() {
    onThreadOf = this;
    while (!finished()) {
        queue_.waitUntil(Clock::now() + options_.commitEvery);
        takeEvents();
        writeEvents();
        runTasks();
        writePostponed();
        checkLocation();
        checkpointWalWhenIdle();
    }
    recover();
}

bool Recorder::finished() {
    const std::lock_guard lock(mutex_);
    if (!closing_) return false;
    const bool drained =
        pending_.events.empty() && committed_ == queue_.pushed() && tasks_.empty() && postponed_.empty() && !isUnconfirmed_;
    if (!drained && Clock::now() < closeDeadline_) return false;
    closed_ = true;
    for (auto& [work, promise] : tasks_)
        promise.set_exception(std::make_exception_ptr(Error(ErrorCode::Failure, "the recorder has ended", "", "")));
    tasks_.clear();
    return true;
}

void Recorder::takeEvents() {
    auto fresh = queue_.take();
    pending_.events.insert(pending_.events.end(), std::make_move_iterator(fresh.events.begin()),
                           std::make_move_iterator(fresh.events.end()));
    pending_.bytes += fresh.bytes;
    pending_.count += fresh.count;
    for (const auto& [key, gap] : fresh.gaps) {
        const auto [known, added] = pending_.gaps.try_emplace(key, gap);
        if (added) continue;
        Gap& all = known->second;
        all = {std::min(all.firstStep, gap.firstStep), std::max(all.lastStep, gap.lastStep), all.events + gap.events};
    }
}

void Recorder::writeEvents() {
    if ((pending_.events.empty() && pending_.gaps.empty()) || Clock::now() < nextRetry_) return;
    while (true) {
        try {
            publish(commitPending());
            break;
        } catch (const StorageError& error) {
            rollback();
            if (error.kind() == StorageError::Kind::Invalid && index_ < pending_.events.size()) {
                replaceUnwritableEvent(error.what());
                continue;
            }
            setProblem(error.what());
            queue_.setWriteError(true);
            nextRetry_ = Clock::now() + options_.retryEvery;
            return;
        } catch (const std::exception& error) {
            rollback();
            replaceUnwritableEvent(error.what());
        }
    }
    checkConfirmed();
    const auto done = std::exchange(pending_, {});
    queue_.release(done.bytes);
    queue_.setWriteError(walFailing_);
    walDirty_ = true;
    {
        const std::lock_guard lock(mutex_);
        if (!walFailing_) problem_.clear();
        committed_ += done.count;
    }
    progressed_.notify_all();
    afterCommit(done.events);
}

Ledger Recorder::commitPending() {
    Ledger next = ledger_;
    store_->begin();
    bool urgent = false;
    for (index_ = 0; index_ < pending_.events.size(); ++index_) {
        next.apply(*store_, pending_.events[index_]);
        urgent = urgent || isUrgent(pending_.events[index_]);
    }
    for (const auto& [key, gap] : pending_.gaps) next.recordGap(*store_, key.first, key.second, gap);
    next.flush(*store_);
    store_->commit(urgent ? RunStore::Durability::Full : RunStore::Durability::Normal);
    return next;
}

/// A record that cannot be stored must not block the others: replaces it by a remark, or drops it if the remark cannot be
/// stored either.
void Recorder::replaceUnwritableEvent(const std::string& why) {
    if (index_ >= pending_.events.size()) {
        pending_.gaps.clear();
        return;
    }
    Event& event = pending_.events[index_];
    if (std::holds_alternative<Remark>(event.body))
        pending_.events.erase(pending_.events.begin() + static_cast<std::ptrdiff_t>(index_));
    else
        event.body = Remark{Remark::Kind::Warning, "a record could not be stored: " + why};
}

void Recorder::afterCommit(const std::vector<Event>& events) {
    if (handlers_.committed)
        for (const auto& event : events) try {
                if (isUrgent(event)) handlers_.committed(event);
            } catch (const std::exception& error) {
                const std::string what = fmt::format("an answer could not be delivered: {}", error.what());
                emit({event.run, event.attempt, event.step, event.seconds, Remark{Remark::Kind::Warning, what}});
            }
    applyRetention();
}

void Recorder::write(const Work& work) {
    if (onThreadOf == this) {
        transact(work);
        return;
    }
    std::future<void> done;
    {
        const std::lock_guard lock(mutex_);
        if (closing_ || closed_) throw Error(ErrorCode::Failure, "the recorder has ended", store_->file(), "");
        tasks_.emplace_back(&work, std::promise<void>());
        done = tasks_.back().second.get_future();
    }
    queue_.wake();
    done.get();
}

void Recorder::runTasks() {
    while (true) {
        std::pair<const Work*, std::promise<void>> task;
        {
            const std::lock_guard lock(mutex_);
            if (tasks_.empty()) return;
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        try {
            transact(*task.first);
            task.second.set_value();
        } catch (...) {
            task.second.set_exception(std::current_exception());
        }
    }
}

void Recorder::transact(const Work& work) {
    try {
        Ledger next = ledger_;
        store_->begin();
        work(next, *store_);
        next.flush(*store_);
        store_->commit(RunStore::Durability::Full);
        publish(std::move(next));
        walDirty_ = true;
    } catch (...) {
        rollback();
        throw;
    }
    checkConfirmed();
}

void Recorder::answer(std::int64_t request, bool ok, const std::string& text) {
    try {
        write([&](Ledger&, RunStore& store) { store.answer(request, ok, text); });
    } catch (const StorageError& error) {
        const bool isPassing = error.kind() == StorageError::Kind::Full || error.kind() == StorageError::Kind::InputOutput ||
                               error.kind() == StorageError::Kind::Locked;
        if (isPassing)
            postpone(request, ok, text);
        else
            postpone(request, false, fmt::format("the answer cannot be stored: {}", error.problem()));
    }
}

void Recorder::postpone(std::int64_t request, bool ok, const std::string& text) {
    const std::lock_guard lock(mutex_);
    postponed_.push_back({request, ok, text});
}

void Recorder::writePostponed() {
    std::deque<Reply> replies;
    {
        const std::lock_guard lock(mutex_);
        replies = postponed_;
    }
    if (replies.empty() || Clock::now() < nextAnswer_) return;
    try {
        transact([&](Ledger&, RunStore& store) {
            for (const auto& reply : replies) store.answer(reply.request, reply.ok, reply.text);
        });
    } catch (const std::exception& error) {
        nextAnswer_ = Clock::now() + options_.retryEvery;
        return setProblem(error.what());
    }
    const std::lock_guard lock(mutex_);
    postponed_.erase(postponed_.begin(), postponed_.begin() + static_cast<std::ptrdiff_t>(replies.size()));
    if (!walFailing_) problem_.clear();
}

void Recorder::publish(Ledger&& next) {
    const std::lock_guard lock(mutex_);
    ledger_ = std::move(next);
}

void Recorder::rollback() noexcept {
    try {
        store_->rollback();
    } catch (const std::exception&) {  // no transaction, or the connection failed; the next begin() reports it
    }
}

void Recorder::setProblem(const std::string& text) {
    const std::lock_guard lock(mutex_);
    problem_ = text;
}

std::string Recorder::problem() const {
    const std::lock_guard lock(mutex_);
    if (locationProblem_.empty()) return problem_;
    return fmt::format("{} ({}): restore it to continue training, or stop, which saves everything recorded", locationProblem_,
                       store_->file());
}

std::optional<RunState> Recorder::stateOf(const std::string& run) const {
    const std::lock_guard lock(mutex_);
    return ledger_.knownState(run);
}

bool Recorder::waitCommitted(std::chrono::milliseconds timeout) {
    const std::uint64_t target = queue_.pushed();
    queue_.wake();
    std::unique_lock lock(mutex_);
    return progressed_.wait_for(lock, timeout, [&] { return committed_ >= target; });
}

std::string Recorder::close(std::chrono::milliseconds timeout) {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        closeDeadline_ = Clock::now() + timeout;
    }
    queue_.wake();
    if (thread_.joinable()) thread_.join();
    const std::lock_guard lock(mutex_);
    if (!recoverFailure_.empty()) return recoverFailure_;
    if (isUnconfirmed_) return "the last records may be lost at a power failure: " + problem_;
    return committed_ == queue_.pushed()
               ? ""
               : fmt::format("{} records could not be written: {}", queue_.pushed() - committed_, problem_);
}

}  // namespace heddle::app
