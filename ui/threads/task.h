// SPDX-License-Identifier: GPL-3.0-or-later
// Work that takes long: it tells how much is done, and can be cancelled. Query (query.h) is for data to show.
//
//     Task<Facts> checking_{this, [this](Result<Facts> facts) { … }, [this](auto done, auto all) { … }};
//     checking_.start(Pool{}, [file](const TaskControl& task) { return check(file, task); });
#pragma once

#include "ui/threads/coalescing_timer.h"
#include "ui/threads/query.h"

#include <atomic>
#include <cstdint>

namespace heddle::ui {

/// What the work asks and tells; copies belong to the same task, and may be used on any thread.
class TaskControl {
public:
    TaskControl() : state_(std::make_shared<State>()) {}

    /// The work should end soon: with what it has, or by an exception.
    bool isCancelled() const { return state_->isCancelled; }
    std::function<bool()> stopRequested() const {
        return [state = state_] { return state->isCancelled.load(); };
    }
    /// Tells the owner that `done` of `all` parts are done.
    void advance(std::int64_t done, std::int64_t all) const;
    std::int64_t done() const { return state_->done; }
    std::int64_t all() const { return state_->all; }
    void cancel() const { state_->isCancelled = true; }

private:
    friend class TaskBase;
    struct State {
        std::atomic<bool> isCancelled = false, isTold = false;  ///< isTold: told() is on its way
        std::atomic<std::int64_t> done = 0, all = 0;
        std::function<void()> told;  ///< of the GUI thread; empty: nobody listens
    };
    std::shared_ptr<State> state_;
};

/// The part of Task that does not depend on the type of its answer.
class TaskBase : public QObject {
    Q_OBJECT

public:
    using Progress = std::function<void(std::int64_t done, std::int64_t all)>;

    /// Asks the work to end soon. Its answer follows: what the work returns then, or the problem that it throws.
    void cancel() { control_.cancel(); }
    /// The work under way, or else the last one, was cancelled.
    bool isCancelled() const { return control_.isCancelled(); }

protected:
    TaskBase(QObject* owner, Progress progress);
    ~TaskBase() override { end(); }
    const TaskControl& begin();
    /// What is told from now on is dropped, and the work need not go on.
    void end();
    void stopListening();

private:
    TaskControl control_;
    Progress progress_;
    CoalescingTimer telling_;
};

template <class T>
class Task : public TaskBase {
public:
    using Answer = std::function<void(Result<T>)>;
    /// A member of `owner`, with which the work is cancelled. `answer` is called on the GUI thread for each start() that is not
    /// dropped, `progress` at most every 40 ms before it.
    Task(QObject* owner, Answer answer, Progress progress = {})
        : TaskBase(owner, std::move(progress)), answer_(std::move(answer)) {}

    /// Starts `work` at `place` (ask.h); it is called with the place's resource, if it takes one, and a TaskControl. Drops what
    /// is under way.
    template <class Place, class Work>
    void start(const Place& place, Work work) {
        drop();
        isStarted_ = true;
        const TaskControl control = begin();
        const auto carryOut = [work = std::move(work), control](typename Place::Resource& resource) mutable -> T {
            if constexpr (std::is_invocable_v<Work&, typename Place::Resource&, const TaskControl&>)
                return work(resource, control);
            else
                return work(control);
        };
        if constexpr (requires { place.stoppedBy(control.stopRequested()); })
            query_.ask(place.stoppedBy(control.stopRequested()), carryOut);
        else
            query_.ask(place, carryOut);
    }
    /// The work has neither been answered nor dropped, by this or by its place.
    bool isRunning() const { return isStarted_ && !query_.isIdle(); }
    /// Cancels the work under way, which is not answered any more.
    void drop() {
        isStarted_ = false;
        query_.cancel();
        end();
    }

private:
    void take(Result<T> result) {
        isStarted_ = false;
        stopListening();
        answer_(std::move(result));
    }

    Answer answer_;
    bool isStarted_ = false;
    Query<T> query_{this, [this](Result<T> result) { take(std::move(result)); }};
};

}  // namespace heddle::ui
