// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/time_slices.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <algorithm>
#include <deque>
#include <utility>

namespace heddle::ui {
namespace {

constexpr int kTurnMs = 16;  // Qt paints what a step changed 5 ms later, before the next turn of the queue
/// A further step shares a turn that has lasted less: every waking of the window takes time from a training beside it.
constexpr int kSharedMs = 2;
/// Other work in the same turn of the event loop, such as painting, has held up a step that is so late: it is postponed.
constexpr int kLateMs = 2, kMostPostponed = 3;

struct Slice {
    QPointer<QObject> context;
    std::function<void()> run;
    bool isAlone;  ///< no other step shares its turn
};

/// The steps that wait, of the whole window: two that have nothing to do with each other do not make one long turn either.
class TurnQueue : public QObject {
public:
    static TurnQueue& instance() {
        static QPointer<TurnQueue> queue;
        if (!queue) queue = new TurnQueue(QCoreApplication::instance());
        return *queue;
    }

    /// Runs the step at once where the last turn has room or began a frame ago; else queues it.
    void runSoon(Slice step) {
        const bool isOver = !since_.isValid() || since_.elapsed() >= kTurnMs;
        if (isRunning_ || !steps_.empty()) return add(std::move(step), kTurnMs);
        if (!isOver && !hasRoom()) return add(std::move(step), int(std::max<qint64>(0, kTurnMs - since_.elapsed())));
        if (isOver) begin();
        run(step);
    }

    void add(Slice step, int wait) {
        steps_.push_back(std::move(step));
        if (!timer_.isActive()) schedule(wait);
    }

    /// Closes the last turn. The next one begins a frame from now.
    void end() {
        since_.start();
        isEnded_ = true;
    }

private:
    explicit TurnQueue(QObject* parent) : QObject(parent) {
        timer_.setSingleShot(true);
        timer_.setTimerType(Qt::PreciseTimer);
        connect(&timer_, &QTimer::timeout, this, &TurnQueue::next);
    }

    void schedule(int wait) {
        late_.setRemainingTime(wait + kLateMs, Qt::PreciseTimer);
        timer_.start(wait);
    }

    void begin() {
        since_.start();
        isEnded_ = false;
    }

    /// Whether another step may share the last turn.
    bool hasRoom() const { return !isEnded_ && since_.elapsed() < kSharedMs; }

    void run(const Slice& step) {
        const bool before = std::exchange(isRunning_, true);
        step.run();
        isRunning_ = before;
        if (step.isAlone) end();
    }

    void next() {
        if (late_.hasExpired() && postponed_++ < kMostPostponed) return schedule(0);
        postponed_ = 0;
        begin();
        for (bool isFirst = true; !steps_.empty() && hasRoom(); isFirst = false) {
            if (steps_.front().isAlone && !isFirst) break;
            const Slice step = std::move(steps_.front());
            steps_.pop_front();
            if (!steps_.empty()) schedule(kTurnMs);  // first: a step may wait in a loop of its own
            if (step.context) run(step);
        }
        if (steps_.empty())
            timer_.stop();
        else if (!timer_.isActive())
            schedule(kTurnMs);
    }

    std::deque<Slice> steps_;
    QTimer timer_;
    QDeadlineTimer late_;
    int postponed_ = 0;
    QElapsedTimer since_;  ///< the beginning of the last turn
    bool isEnded_ = false, isRunning_ = false;
};

}  // namespace

void runInSlice(QObject* context, std::function<void()> step) {
    TurnQueue::instance().runSoon({context, std::move(step), false});
}

void endSlice() { TurnQueue::instance().end(); }

void runInSlices(QObject* context, std::vector<std::function<void()>> steps) {
    for (auto& step : steps) TurnQueue::instance().add({context, std::move(step), true}, kTurnMs);
}

void paintInSlices(QObject* context, const QList<QWidget*>& parts) {
    std::vector<std::function<void()>> steps;
    for (QWidget* part : parts) {
        part->setUpdatesEnabled(false);
        steps.emplace_back([part = QPointer(part)] {
            if (part) part->setUpdatesEnabled(true);
        });
    }
    runInSlices(context, std::move(steps));
}

}  // namespace heddle::ui
