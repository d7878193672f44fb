// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/event_queue.h"
#include "app/session/ledger.h"

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

/// The one writer of a run database: takes events from the engine threads and work from the session, and commits them on one
/// thread of its own, which does nothing else. Events wait in a bounded queue while the disk is full and are written
/// when there is room again; nobody waits for the recorder but who asks to.
class Recorder final : public EventSink {
public:
    struct Options {
        std::size_t queueBytes = std::size_t{64} << 20;
        std::chrono::milliseconds commitEvery{250}, retryEvery{500}, walEvery{5000}, placeEvery{1000};
    };
    /// Called on the recorder thread, outside of any transaction.
    struct Handlers {
        std::function<void(const Event&)> committed;  ///< every urgent event, after its commit
        std::function<void()> databaseLost;           ///< the database is not at its place any more
    };

    Recorder(std::unique_ptr<storage::RunStore> store, Handlers handlers, Options options);
    void start();          ///< before anything else; apart from the constructor, so that handlers never meet a half-made owner
    ~Recorder() override;  ///< close() with a patience of five seconds

    Pressure emit(Event event) override { return queue_.push(std::move(event)); }
    Pressure pressure() const override { return queue_.pressure(); }

    using Work = std::function<void(Ledger&, storage::RunStore&)>;
    /// Runs `work` in a durable transaction of its own on the recorder thread, after all events emitted before, and waits for
    /// the commit. Rethrows what it throws; nothing of it is kept then. May be called from handlers.
    void write(const Work& work);
    /// Answers a request of the inbox.
    void answer(std::int64_t request, bool ok, const std::string& text);

    /// Waits until everything emitted so far is committed; false if the patience ran out.
    bool waitCommitted(std::chrono::milliseconds patience);
    /// State as committed, of runs touched by this process.
    std::optional<RunState> stateOf(const std::string& run) const;
    /// Why nothing can be written at present ("disk full …"), or that the database is not at its place; empty when all is well.
    std::string problem() const;

    /// Writes what is queued and ends the thread. Empty, or what could not be written within the patience. A database that is
    /// not at its place is saved, see recoveredTo().
    std::string close(std::chrono::milliseconds patience);
    /// The file that holds everything recorded, when close() found the database moved or removed; else empty.
    const std::string& recoveredTo() const { return recoveredTo_; }

private:
    using Clock = EventQueue::Clock;

    void run();
    void takeEvents();
    void writeEvents();
    Ledger commitPending();
    void replaceUnwritable(const std::string& why);
    void afterCommit(const std::vector<Event>& events);
    void applyRetention();
    void runTasks();
    void transact(const Work& work);
    void checkpointWalWhenIdle();
    void watchPlace();
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
    Clock::time_point nextRetry_{}, nextWal_{}, nextPlace_{};
    bool walDirty_ = false, walFailing_ = false;
    std::size_t index_ = 0;  ///< of the pending event being applied; pending_.events.size() when all are

    mutable std::mutex mutex_;  ///< guards what follows
    std::condition_variable progressed_;
    Ledger ledger_;  ///< written by the recorder thread alone
    std::string problem_, placeProblem_;
    std::uint64_t committed_ = 0;
    std::deque<std::pair<const Work*, std::promise<void>>> tasks_;
    bool closing_ = false, closed_ = false;
    Clock::time_point giveUpAt_{};

    std::string recoveredTo_, recoverFailure_;  ///< written by the recorder thread, read after its end

    std::thread thread_;
};

}  // namespace heddle::app
