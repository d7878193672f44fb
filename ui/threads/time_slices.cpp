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
/// A step so late has been kept waiting by other work of its turn of the loop, such as a painting: it goes to another.
constexpr int kLateMs = 2, kMostPostponed = 3;

/// The steps that wait, of the whole window: two that have nothing to do with each other do not make one long turn either.
class TurnQueue : public QObject {
public:
    static TurnQueue& instance() {
        static QPointer<TurnQueue> queue;
        if (!queue) queue = new TurnQueue(QCoreApplication::instance());
        return *queue;
    }

    /// Milliseconds until a step that were added now could have its turn.
    int wait() const {
        if (!steps_.empty()) return kTurnMs;
        return since_.isValid() ? int(std::clamp<qint64>(kTurnMs - since_.elapsed(), 0, kTurnMs)) : 0;
    }

    void add(QObject* context, std::function<void()> step, int wait) {
        steps_.emplace_back(context, std::move(step));
        if (!timer_.isActive()) schedule(wait);
    }

    void begin() { since_.start(); }

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

    void next() {
        if (late_.hasExpired() && postponed_++ < kMostPostponed) return schedule(0);
        postponed_ = 0;
        while (!steps_.empty()) {
            const auto [context, step] = std::move(steps_.front());
            steps_.pop_front();
            if (!context) continue;
            if (!steps_.empty()) schedule(kTurnMs);  // first: a step may wait in a loop of its own
            begin();
            return step();
        }
    }

    std::deque<std::pair<QPointer<QObject>, std::function<void()>>> steps_;
    QTimer timer_;
    QDeadlineTimer late_;
    int postponed_ = 0;
    QElapsedTimer since_;  ///< the last step began
};

}  // namespace

void runInSlice(QObject* context, std::function<void()> step) {
    TurnQueue& queue = TurnQueue::instance();
    if (const int wait = queue.wait(); wait > 0) return queue.add(context, std::move(step), wait);
    queue.begin();
    step();
}

void endSlice() { TurnQueue::instance().begin(); }

void runInSlices(QObject* context, std::vector<std::function<void()>> steps) {
    for (auto& step : steps) TurnQueue::instance().add(context, std::move(step), kTurnMs);
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
