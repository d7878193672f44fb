// SPDX-License-Identifier: GPL-3.0-or-later
// Work that takes long, reports how much is done and can be cancelled. Query (query.h) is for data to show.
//
//     Task<Facts> checking_{this, [this](Result<Facts> facts) { … }, [this](auto done, auto all) { … }};
//     checking_.start(Pool{}, [file](const TaskControl& task) { return check(file, task); });
#pragma once

#include "ui/threads/coalescing_timer.h"
#include "ui/threads/query.h"

#include <atomic>
#include <cstdint>

namespace heddle::ui {

/// With this the work asks whether it is cancelled and reports its progress. Copies belong to the same task and may be used on
/// any thread.
class TaskControl {
public:
    TaskControl() : state_(std::make_shared<State>()) {}

    /// Whether the work should end soon: it returns what it has, or throws.
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
        std::atomic<bool> isCancelled = false, isTold = false;  ///< isTold: a call of told() is under way
        std::atomic<std::int64_t> done = 0, all = 0;
        std::function<void()> told;  ///< called on the GUI thread; empty if nobody listens
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
    /// Whether the work under way, or else the last work, was cancelled.
    bool isCancelled() const { return control_.isCancelled(); }

protected:
    TaskBase(QObject* owner, Progress progress);
    ~TaskBase() override { end(); }
    const TaskControl& begin();
    /// Drops the progress that is reported from now on, and cancels the work.
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
    /// The task is a member of `owner`; its work is cancelled when `owner` is deleted. `answer` is called on the GUI thread
    /// for each start() that is not dropped; before it, `progress` is called at most every 40 ms.
    Task(QObject* owner, Answer answer, Progress progress = {})
        : TaskBase(owner, std::move(progress)), answer_(std::move(answer)) {}

    /// Drops the work under way and starts `work` at `place` (ask.h). `work` takes a TaskControl, preceded by the place's
    /// resource if it needs that.
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
    /// Whether work was started and has been neither answered nor dropped, by this task or by its place.
    bool isRunning() const { return isStarted_ && !query_.isIdle(); }
    /// Cancels the work under way and drops its answer.
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
