// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/bench/stall_detector.h"

#include <QAbstractEventDispatcher>
#include <QLibrary>
#include <QList>

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cmath>

namespace heddle::ui::test {
namespace {

QList<StallDetector*>& watchers() {
    static QList<StallDetector*> all;
    return all;
}

// GLib's loop runs events between Qt's aboutToBlock and awake, so its sleep is seen at its poll function alone. GLib is there
// when Qt uses it; its headers are not needed for three pointers.
using GlibPoll = int (*)(void* descriptors, unsigned count, int timeout);
GlibPoll glibPoll = nullptr;

int watchedPoll(void* descriptors, unsigned count, int timeout) {
    for (StallDetector* watcher : watchers()) watcher->sleep();
    const int found = glibPoll(descriptors, count, timeout);
    for (StallDetector* watcher : watchers()) watcher->wake();
    return found;
}

void watchGlib(StallDetector& watcher) {
    watchers().append(&watcher);
    if (glibPoll) return;
    using Get = GlibPoll (*)(void* context);
    using Set = void (*)(void* context, GlibPoll poll);
    const QString glib = QStringLiteral("glib-2.0");
    const auto get = reinterpret_cast<Get>(QLibrary::resolve(glib, 0, "g_main_context_get_poll_func"));
    const auto set = reinterpret_cast<Set>(QLibrary::resolve(glib, 0, "g_main_context_set_poll_func"));
    if (!get || !set) return;
    glibPoll = get(nullptr);  // null: the context of the GUI thread
    set(nullptr, watchedPoll);
}

}  // namespace

StallDetector::StallDetector() {
    const QAbstractEventDispatcher* loop = QAbstractEventDispatcher::instance();
    Q_ASSERT(loop);  // needs the application
    if (loop->inherits("QEventDispatcherGlib")) {
        watchGlib(*this);
        return;
    }
    // Direct connections: they run inside the loop itself. A nested loop ends the outer turn at its own first sleep, as it
    // should: the window answers from then on.
    connect(loop, &QAbstractEventDispatcher::awake, this, &StallDetector::wake, Qt::DirectConnection);
    connect(loop, &QAbstractEventDispatcher::aboutToBlock, this, &StallDetector::sleep, Qt::DirectConnection);
}

StallDetector::~StallDetector() { watchers().removeOne(this); }

void StallDetector::sleep() {
    if (awake_.isValid()) endTurn(Counters::now());
}

void StallDetector::wake() {
    const Counters now = Counters::now();
    if (awake_.isValid()) endTurn(now);  // a turn that did not need to sleep has looked for input all the same
    counters_ = now;
    awake_.start();
}

void StallDetector::endTurn(const Counters& now) {
    const std::chrono::nanoseconds busy(awake_.nsecsElapsed());
    awake_.invalidate();
    // A thread that has not waited for anything was ready all the time: what it did not run, others did.
    const bool waited = now.waits != counters_.waits;
    add(busy, waited ? busy : std::min(busy, now.processor - counters_.processor));
}

StallDetector::Counters StallDetector::Counters::now() {
    rusage usage{};
    timespec processor{};
    getrusage(RUSAGE_THREAD, &usage);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);  // finer than what getrusage says
    return {std::chrono::seconds(processor.tv_sec) + std::chrono::nanoseconds(processor.tv_nsec), usage.ru_nvcsw};
}

void StallDetector::add(std::chrono::nanoseconds busy, std::chrono::nanoseconds own) {
    const double ms = double(busy.count()) / 1e6, ownMs = double(own.count()) / 1e6;
    const double octaves = std::log2(std::max(1.0, ms * 1000));
    ++bins_[std::size_t(std::clamp(int(octaves * kPerOctave), 0, kBins - 1))];
    ++turns_;
    over16_ += ms > 16;
    over50_ += ms > 50;
    ownOver16_ += ownMs > 16;
    max_ = std::max(max_, ms);
    ownMax_ = std::max(ownMax_, ownMs);
    if (ms > 16 && stalled) stalled(ms, ownMs);
}

void StallDetector::reset() {
    bins_.fill(0);
    turns_ = over16_ = over50_ = ownOver16_ = 0;
    max_ = ownMax_ = 0;
}

StallReport StallDetector::report() const {
    const auto percentile = [this](double share) {
        const auto rank = qint64(std::ceil(share * double(turns_)));
        qint64 seen = 0;
        for (int bin = 0; bin < kBins; ++bin)
            if ((seen += bins_[std::size_t(bin)]) >= rank && rank > 0)
                return std::min(max_, std::exp2((bin + 0.5) / kPerOctave) / 1000);
        return 0.0;
    };
    return {turns_, over16_, over50_, percentile(0.50), percentile(0.95), max_, ownOver16_, ownMax_};
}

QByteArray StallReport::json() const {
    return QStringLiteral(
               "{\"schema\":\"heddle.stalls/"
               "1\",\"turns\":%1,\"over_16_ms\":%2,\"over_50_ms\":%3,\"p50_ms\":%4,\"p95_ms\":%5,\"max_ms\":%6,"
               "\"own_over_16_ms\":%7,\"own_max_ms\":%8}\n")
        .arg(turns)
        .arg(over16)
        .arg(over50)
        .arg(p50, 0, 'f', 4)
        .arg(p95, 0, 'f', 4)
        .arg(max, 0, 'f', 4)
        .arg(ownOver16)
        .arg(ownMax, 0, 'f', 4)
        .toUtf8();
}

}  // namespace heddle::ui::test
