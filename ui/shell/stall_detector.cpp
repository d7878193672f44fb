// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/stall_detector.h"

#include <QAbstractEventDispatcher>

#include <algorithm>
#include <cmath>

namespace heddle::ui {

StallDetector::StallDetector(QObject* parent) : QObject(parent) {
    const QAbstractEventDispatcher* loop = QAbstractEventDispatcher::instance();
    Q_ASSERT(loop);  // needs the application
    // Direct connections: they run inside the loop itself. A nested loop ends the outer turn at its own first sleep, as it
    // should: the window answers from then on.
    connect(
        loop, &QAbstractEventDispatcher::awake, this, [this] { awake_.start(); }, Qt::DirectConnection);
    connect(
        loop, &QAbstractEventDispatcher::aboutToBlock, this,
        [this] {
            if (!awake_.isValid()) return;
            const std::chrono::nanoseconds busy(awake_.nsecsElapsed());
            awake_.invalidate();
            add(busy);
        },
        Qt::DirectConnection);
}

void StallDetector::add(std::chrono::nanoseconds busy) {
    const double ms = double(busy.count()) / 1e6;
    const double octaves = std::log2(std::max(1.0, ms * 1000));
    ++bins_[std::size_t(std::clamp(int(octaves * kPerOctave), 0, kBins - 1))];
    ++turns_;
    over16_ += ms > 16;
    over50_ += ms > 50;
    max_ = std::max(max_, ms);
    if (ms > 50) Q_EMIT stalled(ms);
}

void StallDetector::reset() {
    bins_.fill(0);
    turns_ = over16_ = over50_ = 0;
    max_ = 0;
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
    return {turns_, over16_, over50_, percentile(0.50), percentile(0.95), max_};
}

QString StallReport::text() const {
    return QStringLiteral("turns %1, over 16 ms %2, over 50 ms %3, p50 %4 ms, p95 %5 ms, max %6 ms")
        .arg(turns)
        .arg(over16)
        .arg(over50)
        .arg(p50, 0, 'f', 3)
        .arg(p95, 0, 'f', 3)
        .arg(max, 0, 'f', 3);
}

}  // namespace heddle::ui
