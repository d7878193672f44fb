// SPDX-License-Identifier: Apache-2.0
#include "app/session/host/run_queue.h"

#include "engine/base/error.h"

#include <algorithm>

namespace heddle::app {
namespace {

using Clock = std::chrono::steady_clock;

/// Returns the summary of `seconds`, which are counted by the number of active runs; one run if nothing was counted.
RunsAtOnce summaryOf(const std::map<std::size_t, double>& seconds) {
    RunsAtOnce summary;
    if (seconds.empty()) return summary;
    double all = 0, longest = 0;
    for (const auto& [runs, passed] : seconds) {
        all += passed;
        if (passed < longest) continue;
        longest = passed;
        summary.runs = static_cast<std::int64_t>(runs);
    }
    summary.least = static_cast<std::int64_t>(seconds.begin()->first);
    summary.most = static_cast<std::int64_t>(seconds.rbegin()->first);
    summary.share = all > 0 ? longest / all : 1;
    return summary;
}

}  // namespace

RunQueue::RunQueue(std::size_t jobs, Handlers handlers)
    : jobs_(std::max<std::size_t>(jobs, 1)), handlers_(std::move(handlers)) {}

RunQueue::~RunQueue() {
    close();
    join();
}

RunQueue::Reservation::Reservation(RunQueue& queue, std::string run) : queue_(queue), run_(std::move(run)) {
    const std::lock_guard lock(queue_.mutex_);
    if (!queue_.reserved_.insert(run_).second)
        throw Error(ErrorCode::Usage, "the run is being resumed", run_, "it need not be resumed twice");
}

RunQueue::Reservation::~Reservation() {
    const std::lock_guard lock(queue_.mutex_);
    queue_.reserved_.erase(run_);
}

void RunQueue::add(const Waiting& run) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;  // the row stays queued for the next owner
    auto& lane = lanes_[run.device];
    if (!lane) {
        lane = std::make_unique<Lane>();
        lane->idle = run.device == "cpu" ? jobs_ : 1;
        for (std::size_t i = 0; i < lane->idle; ++i) lane->threads.emplace_back([this, &lane = *lane] { work(lane); });
    }
    lane->waiting.emplace(run.position, run.run);
    settings_[run.run] = run.settings;
    changed_.notify_all();
}

bool RunQueue::remove(const std::string& run) {
    const std::lock_guard lock(mutex_);
    if (settings_.erase(run) == 0) return false;
    for (auto& [device, lane] : lanes_) std::erase_if(lane->waiting, [&](const Place& place) { return place.second == run; });
    return true;
}

void RunQueue::move(const std::map<std::string, double>& positions) {
    const std::lock_guard lock(mutex_);
    for (auto& [device, lane] : lanes_) {
        std::set<Place> arranged;
        for (const auto& [position, run] : lane->waiting) {
            const auto moved = positions.find(run);
            arranged.emplace(moved == positions.end() ? position : moved->second, run);
        }
        lane->waiting = std::move(arranged);
    }
}

bool RunQueue::isActive(const std::string& run) const {
    const std::lock_guard lock(mutex_);
    return active_.contains(run);
}

bool RunQueue::isFree(const std::string& run, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return !active_.contains(run); }) && !settings_.contains(run);
}

/// Returns whether the lane's first run can start on an idle thread of it: no active run has other process settings, and no
/// other lane with an idle thread holds an earlier run with other settings, which later runs must not overtake.
bool RunQueue::mayStart(const Lane& lane) const {
    if (lane.waiting.empty()) return false;
    const Place& first = *lane.waiting.begin();
    const ProcessSettings& wanted = settings_.at(first.second);
    for (const auto& [run, active] : active_)
        if (active.settings != wanted) return false;
    return std::none_of(lanes_.begin(), lanes_.end(), [&](const auto& entry) {
        const Lane& other = *entry.second;
        return other.idle > 0 && !other.waiting.empty() && *other.waiting.begin() < first &&
               settings_.at(other.waiting.begin()->second) != wanted;
    });
}

void RunQueue::work(Lane& lane) {
    if (handlers_.begun) handlers_.begun();
    while (true) {
        std::string run;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return closed_ || mayStart(lane); });
            if (closed_) return;
            run = lane.waiting.extract(lane.waiting.begin()).value().second;
            countActive();
            active_[run].settings = settings_.extract(run).mapped();
            --lane.idle;
            handlers_.taken(run);
        }
        changed_.notify_all();  // wakes runs that waited for this one
        handlers_.train(run);
        {
            const std::lock_guard lock(mutex_);
            countActive();
            active_.erase(run);
            ++lane.idle;
            handlers_.released(run);
        }
        changed_.notify_all();
    }
}

/// Counts the time until now for every active run. Call with the lock, before a run becomes active or ends.
void RunQueue::countActive() {
    const auto now = Clock::now();
    for (auto& [run, active] : active_)
        active.seconds[active_.size()] += std::chrono::duration<double>(now - std::exchange(active.countedTo, now)).count();
}

std::optional<RunsAtOnce> RunQueue::runsAtOnce(const std::string& run) {
    const std::lock_guard lock(mutex_);
    countActive();
    const RunsAtOnce summary = summaryOf(active_.at(run).seconds);
    return jobs_ > 1 || summary.most > 1 ? std::optional(summary) : std::nullopt;
}

RunQueue::Load RunQueue::loadNow() const {
    Load load{active_.size(), 0};
    for (const auto& [device, lane] : lanes_) load.waiting += lane->waiting.size();
    return load;
}

RunQueue::Load RunQueue::load() const {
    const std::lock_guard lock(mutex_);
    return loadNow();
}

std::vector<std::string> RunQueue::active() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> runs;
    for (const auto& [run, active] : active_) runs.push_back(run);
    return runs;
}

std::vector<std::string> RunQueue::waiting() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> runs;
    for (const auto& [device, lane] : lanes_)
        for (const auto& [position, run] : lane->waiting) runs.push_back(run);
    return runs;
}

void RunQueue::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    changed_.notify_all();
}

bool RunQueue::closeIfEmpty() {
    const std::lock_guard notOpen(open_);
    const std::lock_guard lock(mutex_);
    const bool isEmpty = loadNow() == Load{};
    if (isEmpty) closed_ = true;
    changed_.notify_all();
    return isEmpty;
}

std::unique_lock<std::mutex> RunQueue::keepOpen() {
    std::unique_lock open(open_);
    const std::lock_guard lock(mutex_);
    if (closed_) open.unlock();
    return open;
}

void RunQueue::join() {
    for (auto& [device, lane] : lanes_)
        for (std::thread& thread : lane->threads)
            if (thread.joinable()) thread.join();
}

}  // namespace heddle::app
