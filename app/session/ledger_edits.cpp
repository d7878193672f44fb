// SPDX-License-Identifier: Apache-2.0
// Ledger's other half: what users change.
#include "app/session/ledger.h"
#include "app/session/paths.h"
#include "app/session/queue.h"
#include "engine/spec/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::app {
namespace {

constexpr double kBetweenPlaces = 1e-5;  ///< seconds; what a double can tell apart at today's Unix time is a hundredth of it

void requireDeletable(RunState state, const std::string& run) {
    if (!isAllowed(state, RunVerb::Delete))
        throw Error(ErrorCode::Failure, fmt::format("the run is {}", name(state)), run, "stop it before it is deleted");
}

}  // namespace

void Ledger::rename(storage::RunStore& store, const std::string& run, const std::string& name) {
    entry(run).record.name = name;
    store.updateRun(entry(run).record);
}

void Ledger::tag(storage::RunStore& store, const std::string& run, const std::vector<std::string>& tags) {
    entry(run).record.tags = tags;
    store.updateRun(entry(run).record);
}

void Ledger::note(storage::RunStore& store, const std::string& run, const std::string& text) {
    const auto& e = entry(run);
    store.add(storage::EventRecord{run, e.record.attempts, e.record.step, e.attempt.seconds, unixTime(), "note", text, ""});
}

void Ledger::move(storage::RunStore& store, const std::string& run, std::int64_t by) {
    auto queue = queueOf(query_->runs());
    std::erase_if(queue, [&](const auto& waiting) {  // what is not committed yet
        return knownState(waiting.id).value_or(RunState::Queued) != RunState::Queued;
    });
    const auto found = std::find_if(queue.begin(), queue.end(), [&](const auto& waiting) { return waiting.id == run; });
    if (found == queue.end())
        throw Error(ErrorCode::Usage, "the run does not wait in the queue", run, "heddle runs list tells its state");
    std::vector<double> places;
    // Runs that were queued in the same moment get places of their own.
    for (const auto& waiting : queue)
        places.push_back(places.empty() ? waiting.queued : std::max(waiting.queued, places.back() + kBetweenPlaces));
    const std::int64_t at = found - queue.begin(), last = static_cast<std::int64_t>(queue.size()) - 1;
    const std::int64_t to = std::clamp(by, -at, last - at) + at;
    if (to < at)
        std::rotate(queue.begin() + to, found, found + 1);
    else
        std::rotate(found, found + 1, queue.begin() + to + 1);
    for (std::size_t i = 0; i < queue.size(); ++i) {
        Entry& e = entry(queue[i].id);
        if (std::exchange(e.record.queued, places[i]) != places[i]) store.updateRun(e.record);
    }
}

void Ledger::trash(storage::RunStore& store, const std::string& run) {
    Entry& e = entry(run);
    requireDeletable(e.state, run);
    if (e.record.trashed > 0) return;
    e.record.trashed = unixTime();
    store.updateRun(e.record);
}

void Ledger::restore(storage::RunStore& store, const std::string& run) {
    Entry& e = entry(run);
    if (std::exchange(e.record.trashed, 0.0) > 0) store.updateRun(e.record);
}

void Ledger::remove(storage::RunStore& store, const std::string& run) {
    requireDeletable(entry(run).state, run);
    store.deleteRun(run);
    entries_.erase(run);
}

}  // namespace heddle::app
