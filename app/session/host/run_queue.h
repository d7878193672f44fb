// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace heddle::app {

/// Which run starts when and on which engine thread: `jobs` of them for the CPU, one for each GPU, whose memory and captured
/// graphs are of one run. Runs with other process settings than those in training wait. Thread-safe.
class RunQueue {
public:
    struct Handlers {
        /// An engine thread takes the run. Called under the queue's lock, so that it waits or is active at every moment.
        std::function<void(const std::string& run)> taken;
        /// Trains the run, on the engine thread; it is active until the return.
        std::function<void(const std::string& run)> train;
    };
    RunQueue(std::size_t jobs, Handlers handlers);
    ~RunQueue();  ///< close() and join()
    RunQueue(const RunQueue&) = delete;
    RunQueue& operator=(const RunQueue&) = delete;

    /// Process-wide settings of LibTorch. Runs with different values are never trained at the same time.
    struct ProcessSettings {
        bool deterministic = true, tf32 = false;
        std::int64_t threads = 0;
        bool operator==(const ProcessSettings&) const = default;
    };
    struct Waiting {
        std::string run, device;
        double position = 0;  ///< Unix time when it was queued, changed by moving it; ties are broken by id
        ProcessSettings settings;
    };
    /// While it lives, a run is being put into the queue, and no other thread can put it there.
    class Reservation {
    public:
        /// Throws Error(Usage) if another thread does so.
        Reservation(RunQueue& queue, std::string run);
        ~Reservation();
        Reservation(const Reservation&) = delete;
        Reservation& operator=(const Reservation&) = delete;

    private:
        RunQueue& queue_;
        const std::string run_;
    };

    void add(const Waiting& run);                               ///< does nothing once the queue is closed
    bool remove(const std::string& run);                        ///< false: it is not waiting
    void move(const std::map<std::string, double>& positions);  ///< of waiting runs, by id
    bool isActive(const std::string& run) const;
    /// Whether the run neither waits nor is active; gives an engine thread `patience` to release it.
    bool isFree(const std::string& run, std::chrono::milliseconds patience);

    /// Numbers of runs, of one moment: a run that an engine thread takes from the queue is in one of the two.
    struct Load {
        std::size_t active = 0, waiting = 0;
        bool operator==(const Load&) const = default;
    };
    Load load() const;
    std::vector<std::string> active() const;
    std::vector<std::string> waiting() const;  ///< by device, in order
    /// How many runs were active since an engine thread took this one; nothing where one was and no more could have been.
    std::optional<RunsAtOnce> runsAtOnce(const std::string& run);

    void close();  ///< no run starts any more
    /// The same if there is no work; else returns false. Waits for whoever keeps the queue open.
    bool closeIfEmpty();
    /// Until the lock is released, closeIfEmpty() waits. Owns nothing if the queue is closed.
    std::unique_lock<std::mutex> keepOpen();
    void join();  ///< after close(): waits until the active runs have ended

private:
    using Place = std::pair<double, std::string>;  ///< position and id
    /// One device: its waiting runs and its engine threads.
    struct Lane {
        std::set<Place> waiting;
        std::size_t idle = 0;  ///< threads that train no run
        std::vector<std::thread> threads;
    };
    struct Active {
        ProcessSettings settings;
        std::map<std::size_t, double> seconds;  ///< by the number of active runs
        std::chrono::steady_clock::time_point countedTo = std::chrono::steady_clock::now();
    };
    bool isWaiting(const std::string& run) const;
    bool mayStart(const Lane& lane) const;
    Load loadNow() const;
    void countActive();
    void work(Lane& lane);

    const std::size_t jobs_;
    const Handlers handlers_;
    std::mutex open_;           ///< locked before mutex_
    mutable std::mutex mutex_;  ///< guards what follows
    std::condition_variable changed_;
    std::map<std::string, std::unique_ptr<Lane>> lanes_;
    std::map<std::string, ProcessSettings> settings_;  ///< of the waiting runs
    std::map<std::string, Active> active_;
    std::set<std::string> reserved_;
    bool closed_ = false;
};

}  // namespace heddle::app
