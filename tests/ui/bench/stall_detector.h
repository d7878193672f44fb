// SPDX-License-Identifier: GPL-3.0-or-later
// How long the window cannot answer: the time from when the event loop wakes until it sleeps again. That is at least the
// longest event in it, so a limit held here is held by every event. A machine whose cores are all in use may also keep the
// thread from running: the time of a turn without such waiting is measured, too. It replaces the event loop's waiting, so it is
// no part of the program: window_bench, inspect_bench and what they measure with.
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <array>
#include <chrono>
#include <functional>

namespace heddle::ui::test {

struct StallReport {
    qint64 turns = 0;  ///< of the event loop
    qint64 over16 = 0, over50 = 0;
    double p50 = 0, p95 = 0, max = 0;  ///< milliseconds; percentiles within 5 %
    qint64 ownOver16 = 0;              ///< turns of over 16 ms without the time in which the thread was ready but not run
    double ownMax = 0;                 ///< milliseconds
    QByteArray json() const;           ///< one document, heddle.stalls/1
};

class StallDetector : public QObject {
public:
    /// Watches the event loop of this thread while it lives.
    StallDetector();
    ~StallDetector() override;

    StallReport report() const;
    void reset();
    /// Counts one turn; the loop does this itself. `own` is `busy` without the time in which the thread was ready but not run.
    void add(std::chrono::nanoseconds busy, std::chrono::nanoseconds own);
    void sleep();  ///< the loop looks for input, or waits for it
    void wake();   ///< and goes on

    /// A turn took longer than 16 ms, a frame. `own` is its length without the time in which the thread was ready but not run.
    std::function<void(double milliseconds, double own)> stalled;

private:
    /// What the system counted of this thread.
    struct Counters {
        std::chrono::nanoseconds processor{};
        long waits = 0;  ///< times it went to sleep by itself: for a file, a lock
        static Counters now();
    };
    void endTurn(const Counters& now);

    // Bins grow by 2^(1/8), 9 %, from 1 µs: the middle of a bin is within 5 %.
    static constexpr int kPerOctave = 8, kBins = 27 * kPerOctave;

    std::array<qint64, kBins> bins_{};
    qint64 turns_ = 0, over16_ = 0, over50_ = 0, ownOver16_ = 0;
    double max_ = 0, ownMax_ = 0;
    QElapsedTimer awake_;
    Counters counters_;  // when it woke up
};

}  // namespace heddle::ui::test
