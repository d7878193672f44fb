// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_details.h"

#include "engine/run/run_state.h"

#include <QElapsedTimer>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr int kPauseMs = 1950, kPauseShare = 50;
constexpr int kLastMs = 1300;  // after this time without changes no more are expected

}  // namespace

RunDetails::RunDetails(Databases& databases, QObject* parent)
    : QObject(parent), databases_(databases), query_(this, [this](Result<Reading> reading) { take(std::move(reading)); }) {
    pause_.setSingleShot(true);
    connect(&pause_, &QTimer::timeout, this, [this] {
        if (isStale_) refresh();
    });
    connect(&databases, &Databases::closed, this, [this](int number) {
        std::erase_if(details_, [number](const auto& entry) { return entry.first.database == number; });
        if (reading_.database != number) return;
        query_.cancel();
        readNext();
    });
}

void RunDetails::setRuns(const std::vector<RunRef>& runs) {
    std::map<RunRef, std::shared_ptr<const RunDetail>> kept;
    for (const RunRef& run : runs) kept[run] = of(run);
    details_ = std::move(kept);
}

std::shared_ptr<const RunDetail> RunDetails::of(const RunRef& run) const {
    const auto found = details_.find(run);
    return found == details_.end() ? nullptr : found->second;
}

bool RunDetails::isDue(const RunRef& run) const {
    const auto detail = of(run);
    const Run* now = databases_.run(run);
    if (!detail || !now || now->rev != detail->record.rev) return true;
    const auto state = runStateFromName(now->state);
    return !state || !isFinal(*state);
}

void RunDetails::refresh() {
    isStale_ = false;
    pause_.start(std::max(kPauseMs, int(kPauseShare * readingMs_)) + kLastMs);
    for (const auto& [run, detail] : details_)
        if (isDue(run)) due_.insert(run);
    if (query_.isIdle()) readNext();
}

void RunDetails::refreshThrottled() {
    isStale_ = true;
    const bool isUnread = std::any_of(details_.begin(), details_.end(), [](const auto& entry) { return !entry.second; });
    if (isUnread || pause_.remainingTime() <= kLastMs) refresh();
}

/// One run at a time: the details of a long run are thousands of rows.
void RunDetails::readNext() {
    std::erase_if(due_, [this](const RunRef& run) { return !details_.contains(run); });
    if (due_.empty()) return;
    reading_ = due_.extract(due_.begin()).value();
    query_.ask(databases_.reader(reading_.database), [run = reading_, before = of(reading_)](storage::RunQuery& query) {
        QElapsedTimer clock;
        clock.start();
        auto detail = readDetail(query, run, before);
        return Reading{std::move(detail), double(clock.nsecsElapsed()) / 1e6};
    });
}

void RunDetails::take(Result<Reading> reading) {
    const RunRef run = reading_;
    readNext();
    if (!reading) {
        if (reported_.isNew(run.key(), reading.problem())) Q_EMIT failed(reading.problem());
        return;
    }
    readingMs_ = reading->ms;
    reported_.succeeded(run.key());
    if (!details_.contains(run)) return;
    details_[run] = reading->detail;
    Q_EMIT changed();
}

}  // namespace heddle::ui
