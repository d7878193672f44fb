// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/recorder/event_queue.h"
#include "app/session/recorder/ledger.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace heddle::app {

/// The only writer of a run database: takes events from the engine threads and work from the session, and commits them on its
/// own thread, which does nothing else. While the disk is full, events wait in a bounded queue. No caller waits for the
/// recorder unless it requests to.
class Recorder final : public EventSink {
public:
    struct Options {
        std::size_t queueBytes = std::size_t{64} << 20;
        std::chrono::milliseconds commitEvery{250}, retryEvery{500}, walEvery{5000}, locationEvery{1000};
    };
    /// Called on the recorder thread, outside of any transaction. What they throw is recorded as a warning of the run.
    struct Handlers {
        std::function<void(const Event&)> committed;  ///< every urgent event, after its commit
        std::function<void()> databaseLost;           ///< the database file was moved or removed
    };

    Recorder(std::unique_ptr<storage::RunStore> store, Handlers handlers, Options options);
    void start();  ///< call first; separate from the constructor, so that handlers never see a partially constructed owner
    ~Recorder() override;  ///< close() with a timeout of five seconds

    Pressure emit(Event event) override { return queue_.push(std::move(event)); }
    Pressure pressure() const override { return queue_.pressure(); }

    using Work = std::function<void(Ledger&, storage::RunStore&)>;
    /// Runs `work` in its own durable transaction on the recorder thread, after all earlier events, and waits for the commit.
    /// Rethrows its exceptions after rolling back. May be called from handlers.
    void write(const Work& work);
    /// Answers a request of the inbox. Returns once the answer is committed; after a failed write (a full disk) it returns,
    /// too, and the answer is written when the disk allows. Throws Error only after close().
    void answer(std::int64_t request, bool ok, const std::string& text);

    /// Waits until everything emitted so far is committed; false on timeout.
    bool waitCommitted(std::chrono::milliseconds timeout);
    /// Committed state of runs changed by this process.
    std::optional<RunState> stateOf(const std::string& run) const;
    /// Why nothing can be written now ("disk full …"), or that the database file was moved; empty: no problem.
    std::string problem() const;

    /// Writes the queue and ends the thread. Returns empty, or what could not be written within the timeout. A moved or removed
    /// database is saved, see recoveredTo().
    std::string close(std::chrono::milliseconds timeout);
    /// The file with all records, if close() found the database moved or removed; else empty.
    const std::string& recoveredTo() const { return recoveredTo_; }

private:
    using Clock = EventQueue::Clock;

    void run();
    void takeEvents();
    void writeEvents();
    Ledger commitPending();
    void replaceUnwritableEvent(const std::string& why);
    void afterCommit(const std::vector<Event>& events);
    void applyRetention();
    void runTasks();
    void transact(const Work& work);
    void checkConfirmed();
    void recordConfirmed();
    void postpone(std::int64_t request, bool ok, const std::string& text);
    void writePostponed();
    void checkpointWalWhenIdle();
    void checkLocation();
    void recover();
    void publish(Ledger&& next);
    void rollback() noexcept;
    void setProblem(const std::string& text);
    bool finished();

    const Options options_;
    const Handlers handlers_;
    std::unique_ptr<storage::RunStore> store_;
    EventQueue queue_;

    // Recorder thread only.
    EventQueue::Taken pending_;
    Clock::time_point nextRetry_{}, nextAnswer_{}, nextWal_{}, nextLocation_{};
    bool walDirty_ = false, walFailing_ = false;
    bool isUnconfirmed_ = false;  ///< the disk did not confirm a commit
    std::size_t index_ = 0;       ///< of the pending event being applied; pending_.events.size(): all applied

    mutable std::mutex mutex_;  ///< guards what follows
    std::condition_variable progressed_;
    Ledger ledger_;  ///< written by the recorder thread only
    std::string problem_, locationProblem_;
    std::uint64_t committed_ = 0;
    std::deque<std::pair<const Work*, std::promise<void>>> tasks_;
    struct Reply {
        std::int64_t request = 0;
        bool ok = false;
        std::string text;
    };
    std::deque<Reply> postponed_;  ///< answers that could not be written yet
    bool closing_ = false, closed_ = false;
    Clock::time_point closeDeadline_{};

    std::string recoveredTo_, recoverFailure_;  ///< written by the recorder thread, read after its end

    std::thread thread_;
};

}  // namespace heddle::app
