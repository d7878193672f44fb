// SPDX-License-Identifier: Apache-2.0
// RunSession: verbs, questions, and requests of other processes.
#include "app/session/host/run_session.h"
#include "app/session/requests/requests.h"
#include "app/session/runs/checkpoint_folders.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/overload.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle::app {
namespace {

std::string_view participle(RunVerb verb) {
    switch (verb) {
    case RunVerb::Start: return "started";
    case RunVerb::Pause: return "paused";
    case RunVerb::Resume: return "resumed";
    case RunVerb::Stop: return "stopped";
    case RunVerb::Checkpoint: return "checkpointed";
    case RunVerb::Delete: return "deleted";
    }
    return "";
}

Command::Kind commandOf(RunVerb verb) {
    switch (verb) {
    case RunVerb::Pause: return Command::Kind::Pause;
    case RunVerb::Resume: return Command::Kind::Resume;
    case RunVerb::Stop: return Command::Kind::Stop;
    default: return Command::Kind::Checkpoint;
    }
}

}  // namespace

void RunSession::command(const std::string& run, RunVerb verb, const std::string& reason) {
    if (verb == RunVerb::Stop && withdraw(run, reason)) return;
    // Readers of the file may see a new state slightly earlier than this process.
    const RunState state = isAllowed(stateOf(run), verb) ? stateOf(run) : committedStateOf(run);
    if (!isAllowed(state, verb))
        throw Error(ErrorCode::Usage, fmt::format("a run in state {} cannot be {}", name(state), participle(verb)), run,
                    "heddle runs show prints its state");
    if (verb == RunVerb::Start) return resume(run);
    if (verb == RunVerb::Delete) return edit(DeleteRun{run});
    const std::lock_guard lock(mutex_);
    const auto found = working_.find(run);
    if (found == working_.end())
        throw Error(ErrorCode::Usage, "the run is not active here", run, "start it with heddle resume");
    found->second->mailbox.put({commandOf(verb), reason, 0, nullptr});
}

/// Removes a waiting run from the queue; false if it is not waiting.
bool RunSession::withdraw(const std::string& run, const std::string& reason) {
    if (!dequeue(run)) return false;
    recorder_->write([&](Ledger& ledger, storage::RunStore& store) {
        ledger.changeState(store, run, {RunState::Stopped, reason});
    });
    const std::lock_guard lock(mutex_);
    ended_.insert_or_assign(run, AttemptEnd{RunState::Stopped, reason, std::nullopt});
    return true;
}

bool RunSession::dequeue(const std::string& run) {
    const std::lock_guard lock(mutex_);
    settings_.erase(run);
    return std::any_of(lanes_.begin(), lanes_.end(), [&](auto& lane) {
        return std::erase_if(lane.second->waiting, [&](const Waiting& waiting) { return waiting.second == run; }) > 0;
    });
}

/// Updates the queue after runs were moved; places by id.
void RunSession::updateQueue(const std::map<std::string, double>& places) {
    const std::lock_guard lock(mutex_);
    for (auto& [device, lane] : lanes_) {
        std::set<Waiting> arranged;
        for (const auto& [place, run] : lane->waiting) {
            const auto moved = places.find(run);
            arranged.emplace(moved == places.end() ? place : moved->second, run);
        }
        lane->waiting = std::move(arranged);
    }
}

void RunSession::ask(const std::string& run, const Json& question, std::function<void(bool ok, const Json&)> callback) {
    const std::lock_guard lock(mutex_);
    const auto found = working_.find(run);
    if (found == working_.end())
        throw Error(ErrorCode::Usage, "only a run in training can answer questions", run,
                    "open a finished run with heddle translate");
    const std::uint64_t number = nextQuestion_++;
    questions_[number] = std::move(callback);
    found->second->questions.push_back(number);
    found->second->mailbox.put({Command::Kind::Ask, "user", number, question});
}

void RunSession::onCommitted(const Event& event) {
    const auto* answer = std::get_if<Answer>(&event.body);
    if (!answer) return;
    std::function<void(bool, const Json&)> callback;
    {
        const std::lock_guard lock(mutex_);
        if (auto node = questions_.extract(answer->question)) callback = std::move(node.mapped());
    }
    if (callback) callback(answer->ok, answer->value);
}

/// Writes checkpoints while their folder still exists; the recorder's pressure pauses training. A missing folder is not
/// recreated, so that the old one can be restored; the checkpoint is then written when the run stops.
void RunSession::onDatabaseLost() {
    const std::lock_guard lock(mutex_);
    for (const auto& [run, working] : working_)
        if (std::error_code failed; std::filesystem::is_directory(std::filesystem::path(artifacts_) / run, failed))
            working->mailbox.put({Command::Kind::Checkpoint, "database", 0, nullptr});
}

std::map<std::string, std::string> RunSession::heldRuns() const {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::string> held;
    for (const auto& [run, working] : working_) {
        const StateChanged now = working->live.get();
        if (now.state == RunState::Paused && (now.reason == "recorder" || now.reason == "database")) held[run] = now.reason;
    }
    return held;
}

std::string RunSession::recorderProblem() const {
    std::string problem = recorder_->problem();
    if (problem.empty()) return inbox_->problem();
    if (heldRuns().empty()) return problem;
    return "training is paused, nothing is lost: " + problem;
}

std::string RunSession::database() const {
    return recorder_->recoveredTo().empty() ? options_.database : recorder_->recoveredTo();
}

std::string RunSession::recoveryNotice() const {
    if (recorder_->recoveredTo().empty()) return "";
    return fmt::format("the database {} was moved, removed or replaced while it was in use; everything recorded is in {}",
                       options_.database, database());
}

/// Links the checkpoints of a renamed database to its new folder. Returns empty, or the problem.
std::string RunSession::linkCheckpointFolders() const {
    const std::string target = storage::artifactFolder(database());
    if (target == artifacts_) return "";
    try {
        for (const auto& run : storage::RunQuery::open(database())->runs()) linkMissing(artifacts_, target, run.id);
        return "";
    } catch (const std::exception& error) {
        return fmt::format("{}, but not all checkpoints could be put beside it: {}", recoveryNotice(), error.what());
    }
}

/// A request leaves the inbox with the commit of its answer. Requests that only change rows share a transaction with their
/// answer.
void RunSession::serve(const storage::InboxRequest& row) {
    if (!row.refusal.empty()) return recorder_->answer(row.id, false, row.refusal);
    try {
        const Request request = parseRequest({row.verb, row.run, row.body});
        std::unique_lock<std::mutex> noClosing;
        if (startsTraining(request)) {
            noClosing = std::unique_lock(starting_);
            const std::lock_guard lock(mutex_);
            if (closing_) return;  // no new runs start here; the unanswered request stays in the inbox for the next owner
        }
        serve(request, row);
    } catch (const std::exception& error) {
        recorder_->answer(row.id, false, error.what());
    }
}

void RunSession::serve(const Request& request, const storage::InboxRequest& row) {
    const auto execute = [&](const std::string& run, RunVerb verb) {
        command(run, verb, "user");
        recorder_->answer(row.id, true, "");
    };
    std::visit(Overload{
                   [&](const EnqueueRun& r) { submit(r.spec, {}, row.id); },
                   [&](const PauseRun& r) { execute(r.run, RunVerb::Pause); },
                   [&](const ResumeRun& r) {
                       if (stateOf(r.run) == RunState::Paused) return execute(r.run, RunVerb::Resume);
                       resume(r.run);
                       recorder_->answer(row.id, true, "");
                   },
                   [&](const StopRun& r) { execute(r.run, RunVerb::Stop); },
                   [&](const CheckpointRun& r) { execute(r.run, RunVerb::Checkpoint); },
                   [&](const AskRun& r) {
                       ask(r.run, r.question, [this, id = row.id](bool ok, const Json& value) {
                           recorder_->answer(id, ok, ok ? dumped(value) : refusalOf(value).what());
                       });
                   },
                   [&](const Edit& edit) {
                       executeEdit({edit, row.at}, row.id);
                   },
               },
               request);
}

/// Refuses while an engine thread has taken the run from the queue but has not recorded that yet.
void RunSession::refuseWhileStarting(const std::string& run, RunState recorded) {
    const std::lock_guard lock(mutex_);
    if (recorded == RunState::Queued && working_.contains(run))
        throw Error(ErrorCode::Failure, "the run is starting", run, "stop it before it is deleted");
}

/// Answers `request` of another process (0: none) in the same transaction.
void RunSession::executeEdit(const TimedEdit& edit, std::int64_t request) {
    const bool isRemoval = std::holds_alternative<DeleteRun>(edit.edit) || std::holds_alternative<TrashRun>(edit.edit);
    const std::string run = runOf(edit.edit);
    std::string superseded;
    std::map<std::string, double> places;
    recorder_->write([&](Ledger& ledger, storage::RunStore& store) {
        if (isRemoval) refuseWhileStarting(run, ledger.state(run));
        superseded = applyEdit(ledger, store, edit);
        if (std::holds_alternative<MoveRun>(edit.edit))
            for (const auto& waits : waiting()) places[waits] = ledger.run(waits).queued;
        if (isRemoval && superseded.empty()) dequeue(run);
        if (request != 0) store.answer(request, true, superseded);
    });
    if (!places.empty()) updateQueue(places);
    if (superseded.empty()) removeFolderOfDeleted(edit.edit, options_.database);
}

void RunSession::edit(const Edit& edit) { executeEdit({edit, storage::unixTime()}, 0); }

void RunSession::change(const std::function<void(storage::RunStore&)>& change) {
    recorder_->write([&](Ledger&, storage::RunStore& store) { change(store); });
}

}  // namespace heddle::app
