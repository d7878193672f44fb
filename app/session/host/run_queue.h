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

/// Decides when and on which engine thread each run starts. There are `jobs` engine threads for the CPU and one for each GPU,
/// because the memory and the captured graphs of a GPU belong to one run. Runs with other process settings than those in
/// training wait. Thread-safe.
class RunQueue {
public:
    struct Handlers {
        /// Is called once on each engine thread, before its first run; may be empty.
        std::function<void()> begun;
        /// Is called when an engine thread takes the run, under the queue's lock, so that every run waits or is active at every
        /// moment.
        std::function<void(const std::string& run)> taken;
        /// Trains the run, on the engine thread; it is active until the return.
        std::function<void(const std::string& run)> train;
        /// Is called when the engine thread releases the run, under the queue's lock, likewise.
        std::function<void(const std::string& run)> released;
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
        /// Throws Error(Usage) if another thread is putting the run into the queue.
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
    /// Returns whether the run neither waits nor is active. Waits up to `patience` for an engine thread to release it.
    bool isFree(const std::string& run, std::chrono::milliseconds patience);

    /// Numbers of runs at one moment. A run that an engine thread takes from the queue is counted in exactly one of the two.
    struct Load {
        std::size_t active = 0, waiting = 0;
        bool operator==(const Load&) const = default;
    };
    Load load() const;
    std::vector<std::string> active() const;
    std::vector<std::string> waiting() const;  ///< by device, in order
    /// Returns how many runs were active at once since an engine thread took this one, or nothing if it was always one and
    /// could not be more.
    std::optional<RunsAtOnce> runsAtOnce(const std::string& run);

    void close();  ///< no run starts any more
    /// Closes the queue if no run waits or is active; else returns false. Waits while a caller holds the lock of keepOpen().
    bool closeIfEmpty();
    /// Returns a lock; closeIfEmpty() waits until it is released. The lock owns nothing if the queue is closed.
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
