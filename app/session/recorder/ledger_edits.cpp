// SPDX-License-Identifier: Apache-2.0
// Ledger: edits by users.
#include "app/session/recorder/ledger.h"
#include "app/session/runs/queue.h"
#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::app {
namespace {

constexpr double kPlaceSpacing = 1e-5;  ///< seconds; 100 times the resolution of a double at today's Unix time

constexpr const char* kItemTimes = "changed";  ///< kind of items with the times of other items' last changes

Json editTimes(const storage::RunRecord& run) {
    const Json times = Json::parse(run.edits, nullptr, false);
    return times.is_object() ? times : Json::object();
}

/// A request's time, at most now, so that a fast clock does not block later edits.
double requestTime(double at) { return at > 0 ? std::min(at, storage::unixTime()) : storage::unixTime(); }

/// Whether `what` was changed after `at`. Ignores recorded times in the future, from before the clock was set back.
bool isSuperseded(const Json& times, const std::string& what, double at) {
    const auto found = times.find(what);
    if (found == times.end() || !found->is_number()) return false;
    const double changed = found->get<double>();
    return changed > requestTime(at) && changed <= storage::unixTime();
}

/// Writes the row of a run that a user edited, with the times of its edits.
void updateEdited(storage::RunStore& store, storage::RunRecord& run, const Json& times) {
    run.edits = dumped(times);
    store.updateRun(run);
}

void requireDeletable(RunState state, const std::string& run) {
    if (!isAllowed(state, RunVerb::Delete))
        throw Error(ErrorCode::Failure, fmt::format("the run is {}", name(state)), run, "stop it before it is deleted");
}

}  // namespace

/// The run's entry for changing its row. Throws Error(InvalidInput) when the row is damaged, because writing it would hide the
/// damage.
Ledger::Entry& Ledger::editable(const std::string& run) {
    Entry& e = entry(run);
    if (e.record.state == storage::kDamagedState)
        throw Error(ErrorCode::InvalidInput, "the run's record is damaged and cannot be changed", run,
                    "restore a copy of the database, or delete the run");
    return e;
}

std::string Ledger::rename(storage::RunStore& store, const std::string& run, const std::string& name, double at) {
    Entry& e = editable(run);
    Json times = editTimes(e.record);
    if (isSuperseded(times, "name", at)) return "the name was changed again later";
    times["name"] = requestTime(at);
    e.record.name = name;
    updateEdited(store, e.record, times);
    return "";
}

std::string Ledger::tag(storage::RunStore& store, const std::string& run, const TagChange& change, double at) {
    Entry& e = editable(run);
    Json times = editTimes(e.record);
    Json& ofTags = times["tags"];
    if (!ofTags.is_object()) ofTags = Json::object();
    std::vector<std::string> late;
    auto& tags = e.record.tags;
    const auto apply = [&](const std::string& tag, bool isAdded) {
        if (isSuperseded(ofTags, tag, at)) return late.push_back(tag);
        ofTags[tag] = requestTime(at);
        const auto found = std::find(tags.begin(), tags.end(), tag);
        if (isAdded && found == tags.end()) tags.push_back(tag);
        if (!isAdded && found != tags.end()) tags.erase(found);
    };
    for (const auto& tag : change.remove) apply(tag, false);
    for (const auto& tag : change.add) apply(tag, true);
    updateEdited(store, e.record, times);
    return late.empty() ? "" : fmt::format("changed again later: {}", fmt::join(late, ", "));
}

void Ledger::note(storage::RunStore& store, const std::string& run, const std::string& text) {
    const auto& e = entry(run);
    store.add(
        storage::EventRecord{run, e.record.attempts, e.record.step, e.attempt.seconds, storage::unixTime(), "note", text, ""});
}

void Ledger::setSpec(storage::RunStore& store, const std::string& run, const std::string& spec) {
    Entry& e = editable(run);
    e.record.spec = spec;
    e.record.runHash.clear();  // known again when the data have been read
    store.updateRun(e.record);
}

void Ledger::move(storage::RunStore& store, const std::string& run, std::int64_t by) {
    auto queue = queueOf(query_->runs());
    std::erase_if(queue, [&](const auto& waiting) {  // exclude uncommitted changes
        return knownState(waiting.id).value_or(RunState::Queued) != RunState::Queued;
    });
    const auto found = std::find_if(queue.begin(), queue.end(), [&](const auto& waiting) { return waiting.id == run; });
    if (found == queue.end())
        throw Error(ErrorCode::Usage, "the run is not in the queue", run, "heddle runs list prints its state");
    std::vector<double> places;
    // Gives runs queued at the same time distinct places.
    for (const auto& waiting : queue)
        places.push_back(places.empty() ? waiting.queued : std::max(waiting.queued, places.back() + kPlaceSpacing));
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

std::string Ledger::trash(storage::RunStore& store, const std::string& run, double at) {
    Entry& e = editable(run);
    Json times = editTimes(e.record);
    if (isSuperseded(times, "trashed", at)) return "the run was trashed or restored again later";
    requireDeletable(e.state, run);
    times["trashed"] = requestTime(at);
    if (e.record.trashed == 0) e.record.trashed = requestTime(at);
    updateEdited(store, e.record, times);
    return "";
}

std::string Ledger::restore(storage::RunStore& store, const std::string& run, double at) {
    Entry& e = editable(run);
    Json times = editTimes(e.record);
    if (isSuperseded(times, "trashed", at)) return "the run was trashed or restored again later";
    times["trashed"] = requestTime(at);
    e.record.trashed = 0;
    updateEdited(store, e.record, times);
    return "";
}

std::string Ledger::remove(storage::RunStore& store, const std::string& run, double at) {
    const Entry& e = entry(run);
    if (e.record.trashed == 0 && isSuperseded(editTimes(e.record), "trashed", at)) return "the run was restored later";
    requireDeletable(e.state, run);
    store.deleteRun(run);
    entries_.erase(run);
    return "";
}

/// A removed item has no row for the time of its removal, so every item has a second row for it.
std::string Ledger::setItem(storage::RunStore& store, const ItemChange& change, double at) {
    if (change.kind == kItemTimes) throw Error(ErrorCode::Usage, "items of this kind are reserved for Heddle", change.kind, "");
    const std::string key = change.kind + "/" + change.key;
    Json times;
    for (const auto& item : query_->items(kItemTimes))
        if (item.key == key) times[key] = Json::parse(item.body, nullptr, false);
    if (isSuperseded(times, key, at)) return "the item was changed again later";
    if (change.body)
        store.putItem(change.kind, change.key, *change.body);
    else
        store.removeItem(change.kind, change.key);
    store.putItem(kItemTimes, key, Json(requestTime(at)).dump());
    return "";
}

}  // namespace heddle::app
