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

constexpr int kTurnMs = 16;  // what a step changes is painted 5 later, in a turn before the next step's
/// Short steps share a turn until they have taken this long: every waking of the window takes time from a training beside it.
constexpr int kSharedMs = 2;
/// A step so late has been kept waiting by other work of its turn of the loop, such as a painting: it goes to another.
constexpr int kLateMs = 2, kMostPostponed = 3;

struct Step {
    QPointer<QObject> context;
    std::function<void()> run;
    bool isAlone;  ///< in its turn
};

/// The steps that wait, of the whole window: two that have nothing to do with each other do not make one long turn either.
class TurnQueue : public QObject {
public:
    static TurnQueue& instance() {
        static QPointer<TurnQueue> queue;
        if (!queue) queue = new TurnQueue(QCoreApplication::instance());
        return *queue;
    }

    /// At once, where the last turn has room or is a frame ago.
    void runSoon(Step step) {
        const bool isOver = !since_.isValid() || since_.elapsed() >= kTurnMs;
        if (isStepping_ || !steps_.empty()) return add(std::move(step), kTurnMs);
        if (!isOver && !hasRoom()) return add(std::move(step), int(std::max<qint64>(0, kTurnMs - since_.elapsed())));
        if (isOver) begin();
        run(step);
    }

    void add(Step step, int wait) {
        steps_.push_back(std::move(step));
        if (!timer_.isActive()) schedule(wait);
    }

    /// Nothing else comes into the last turn, and the next one is a frame from now.
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

    /// In the last turn.
    bool hasRoom() const { return !isEnded_ && since_.elapsed() < kSharedMs; }

    void run(const Step& step) {
        const bool before = std::exchange(isStepping_, true);
        step.run();
        isStepping_ = before;
        if (step.isAlone) end();
    }

    void next() {
        if (late_.hasExpired() && postponed_++ < kMostPostponed) return schedule(0);
        postponed_ = 0;
        begin();
        for (bool isFirst = true; !steps_.empty() && hasRoom(); isFirst = false) {
            if (steps_.front().isAlone && !isFirst) break;
            const Step step = std::move(steps_.front());
            steps_.pop_front();
            if (!steps_.empty()) schedule(kTurnMs);  // first: a step may wait in a loop of its own
            if (step.context) run(step);
        }
        if (steps_.empty())
            timer_.stop();
        else if (!timer_.isActive())
            schedule(kTurnMs);
    }

    std::deque<Step> steps_;
    QTimer timer_;
    QDeadlineTimer late_;
    int postponed_ = 0;
    QElapsedTimer since_;  ///< the last turn began
    bool isEnded_ = false, isStepping_ = false;
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
