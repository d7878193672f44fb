// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/edits.h"

#include "app/session/runs/checkpoint_folders.h"
#include "app/session/runs/find_run.h"
#include "app/session/runs/queue.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/overload.h"
#include "engine/base/text_limits.h"
#include "engine/run/event_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace heddle::app {
namespace {

constexpr double kPlaceSpacing = 1e-5;  ///< seconds; 100 times the resolution of a double at today's Unix time

constexpr const char* kItemTimes = "changed";  ///< kind of items with the times of other items' last changes

constexpr const char* kTrashedLater = "the run was trashed or restored again later";

Json editTimes(const storage::RunRecord& run) {
    const Json times = Json::parse(run.edits, nullptr, false);
    return times.is_object() ? times : Json::object();
}

/// Moves element `at` by `by` places, limited to the ends.
template <class T>
void moveBy(std::vector<T>& all, std::int64_t at, std::int64_t by) {
    const std::int64_t to = at + std::clamp(by, -at, std::ssize(all) - 1 - at);
    if (to < at)
        std::rotate(all.begin() + to, all.begin() + at, all.begin() + at + 1);
    else
        std::rotate(all.begin() + at, all.begin() + at + 1, all.begin() + to + 1);
}

/// Carries out an edit that was made at `at`. Each call returns what was skipped because it was changed later, or nothing.
class Editor {
public:
    /// A time in the future counts as now, so that a fast clock does not block later edits.
    Editor(Ledger& ledger, storage::RunStore& store, double at)
        : ledger_(ledger), store_(store), at_(at > 0 ? std::min(at, storage::unixTime()) : storage::unixTime()) {}

    std::string operator()(const RenameRun& edit) {
        storage::RunRecord& run = editable(edit.run);
        Json times = editTimes(run);
        if (isSuperseded(times, "name")) return "the name was changed again later";
        times["name"] = at_;
        run.name = edit.name;
        return write(run, times);
    }

    std::string operator()(const TagRun& edit) {
        storage::RunRecord& run = editable(edit.run);
        Json times = editTimes(run);
        Json& ofTags = times["tags"];
        if (!ofTags.is_object()) ofTags = Json::object();
        std::vector<std::string> late;
        const auto apply = [&](const std::string& tag, bool isAdded) {
            if (isSuperseded(ofTags, tag)) return late.push_back(tag);
            ofTags[tag] = at_;
            const auto found = std::find(run.tags.begin(), run.tags.end(), tag);
            if (isAdded && found == run.tags.end()) run.tags.push_back(tag);
            if (!isAdded && found != run.tags.end()) run.tags.erase(found);
        };
        for (const auto& tag : edit.remove) apply(tag, false);
        for (const auto& tag : edit.add) apply(tag, true);
        write(run, times);
        return late.empty() ? "" : fmt::format("changed again later: {}", fmt::join(late, ", "));
    }

    std::string operator()(const AnnotateRun& edit) {
        const std::string run = requireRunId(edit.run);
        if (edit.replaces == 0 && edit.text.empty()) throw Error(ErrorCode::Usage, "the note is empty", run, "write a text");
        if (edit.replaces != 0) {
            bool isThere = false, isSuperseded = false;
            for (const storage::EventRecord& event : ledger_.query().events(run)) {
                if (event.kind != kNoteEvent) continue;
                const double replaced = replacedNote(event.data);
                isThere = isThere || (replaced == 0 && event.at == edit.replaces);
                isSuperseded = isSuperseded || (replaced == edit.replaces && event.at > at_);
            }
            if (!isThere)
                throw Error(ErrorCode::Usage, "the run has no such note", run, "heddle runs note RUN lists its notes");
            if (isSuperseded) return "the note was changed again later";
        }
        ledger_.note(store_, {run, edit.text, at_, edit.replaces});
        return "";
    }

    std::string operator()(const MoveRun& edit) {
        auto queue = queueOf(ledger_.query().runs());
        std::erase_if(queue, [&](const auto& waiting) {  // exclude uncommitted changes
            return ledger_.knownState(waiting.id).value_or(RunState::Queued) != RunState::Queued;
        });
        const std::string run = requireRunId(edit.run);
        const auto found = std::find_if(queue.begin(), queue.end(), [&](const auto& waiting) { return waiting.id == run; });
        if (found == queue.end())
            throw Error(ErrorCode::Usage, "the run is not in the queue", run, "heddle runs list prints its state");
        std::vector<double> places;
        // Gives runs queued at the same time distinct places.
        for (const auto& waiting : queue)
            places.push_back(places.empty() ? waiting.queued : std::max(waiting.queued, places.back() + kPlaceSpacing));
        moveBy(queue, found - queue.begin(), edit.by);
        for (std::size_t i = 0; i < queue.size(); ++i) {
            storage::RunRecord& row = ledger_.editable(queue[i].id);
            if (std::exchange(row.queued, places[i]) != places[i]) store_.updateRun(row);
        }
        return "";
    }

    std::string operator()(const TrashRun& edit) {
        storage::RunRecord& run = editable(edit.run);
        Json times = editTimes(run);
        if (isSuperseded(times, "trashed")) return kTrashedLater;
        requireDeletable(run.id);
        times["trashed"] = at_;
        if (run.trashed == 0) run.trashed = at_;
        return write(run, times);
    }

    std::string operator()(const RestoreRun& edit) {
        storage::RunRecord& run = editable(edit.run);
        Json times = editTimes(run);
        if (isSuperseded(times, "trashed")) return kTrashedLater;
        times["trashed"] = at_;
        run.trashed = 0;
        return write(run, times);
    }

    /// Deletes the rows only, even a damaged row without a valid id.
    std::string operator()(const DeleteRun& edit) {
        const storage::RunRecord& run = ledger_.run(edit.run);
        if (run.trashed == 0 && isSuperseded(editTimes(run), "trashed")) return "the run was restored later";
        requireDeletable(edit.run);
        ledger_.remove(store_, edit.run);
        return "";
    }

    std::string operator()(const PutItem& edit) {
        return setItem(edit.kind, edit.key, [&] { store_.putItem(edit.kind, edit.key, edit.body.dump()); });
    }

    std::string operator()(const RemoveItem& edit) {
        return setItem(edit.kind, edit.key, [&] { store_.removeItem(edit.kind, edit.key); });
    }

private:
    storage::RunRecord& editable(const std::string& run) { return ledger_.editable(requireRunId(run)); }

    void requireDeletable(const std::string& run) {
        if (const RunState state = ledger_.state(run); !isAllowed(state, RunVerb::Delete))
            throw Error(ErrorCode::Failure, fmt::format("the run is {}", name(state)), run, "stop it before it is deleted");
    }

    /// Whether `what` was changed after the edit. Ignores recorded times in the future, from before the clock was set back.
    bool isSuperseded(const Json& times, const std::string& what) const {
        const auto found = times.find(what);
        if (found == times.end() || !found->is_number()) return false;
        const double changed = found->get<double>();
        return changed > at_ && changed <= storage::unixTime();
    }

    /// Writes the row of a run, with the times of its edits.
    std::string write(storage::RunRecord& run, const Json& times) {
        run.edits = dumped(times);
        store_.updateRun(run);
        return "";
    }

    /// A removed item has no row for the time of its removal, so every item has a second row for it.
    template <class Change>
    std::string setItem(const std::string& kind, const std::string& itemKey, const Change& change) {
        if (kind == kItemTimes) throw Error(ErrorCode::Usage, "items of this kind are reserved for Heddle", kind, "");
        const std::string key = kind + "/" + itemKey;
        Json times = Json::object();
        for (const auto& item : ledger_.query().items(kItemTimes))
            if (item.key == key) times[key] = Json::parse(item.body, nullptr, false);
        if (isSuperseded(times, key)) return "the item was changed again later";
        change();
        store_.putItem(kItemTimes, key, Json(at_).dump());
        return "";
    }

    Ledger& ledger_;
    storage::RunStore& store_;
    const double at_;
};

void requireShortTags(const std::vector<std::string>& tags, const std::string& where) {
    if (tags.size() > kMaxTags)
        throwInvalid(std::to_string(tags.size()) + " tags", where, "use at most " + std::to_string(kMaxTags));
    for (const std::string& tag : tags) requireShortTag(tag, where);
}

void requireShortBody(const Json& body, const std::string& where) {
    const std::size_t bytes = dumped(body).size();
    if (bytes > kMaxSpecBytes) throwInvalid("the item has " + std::to_string(bytes >> 20) + " MiB", where, "shorten its texts");
}

}  // namespace

std::string applyEdit(Ledger& ledger, storage::RunStore& store, const TimedEdit& edit) {
    requireShortTexts(edit.edit);
    const std::string late = std::visit(Editor(ledger, store, edit.at), edit.edit);
    return late.empty() ? "" : "superseded: " + late;
}

void requireShortTexts(const Edit& edit) {
    const std::string where = "request " + verbOf(edit);
    std::visit(Overload{
                   [&](const RenameRun& e) { requireShortName(e.name, where); },
                   [&](const TagRun& e) {
                       requireShortTags(e.add, where);
                       requireShortTags(e.remove, where);
                   },
                   [&](const AnnotateRun& e) { requireShortNote(e.text, where); },
                   [](const MoveRun&) {},
                   [](const TrashRun&) {},
                   [](const RestoreRun&) {},
                   [](const DeleteRun&) {},
                   [&](const PutItem& e) {
                       for (const std::string& name : {e.kind, e.key}) requireShortName(name, where);
                       requireShortBody(e.body, where);
                   },
                   [&](const RemoveItem& e) {
                       for (const std::string& name : {e.kind, e.key}) requireShortName(name, where);
                   },
               },
               edit);
}

void removeFolderOfDeleted(const Edit& edit, const std::string& database) {
    const auto* deletion = std::get_if<DeleteRun>(&edit);
    // A damaged row may have an invalid id, and no folder.
    if (deletion && storage::isRunId(deletion->run)) discardFolder(storage::artifactFolder(database), deletion->run);
}

}  // namespace heddle::app
