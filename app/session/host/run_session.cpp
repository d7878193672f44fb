// SPDX-License-Identifier: Apache-2.0
#include "app/session/host/run_session.h"

#include "app/session/process/engine_loader.h"
#include "app/session/process/paths.h"
#include "app/session/recorder/ownership.h"
#include "app/session/runs/checkpoint_folders.h"
#include "app/session/runs/chosen_checkpoint.h"
#include "app/session/runs/find_run.h"
#include "app/session/runs/queue.h"
#include "engine/base/contains.h"
#include "engine/base/json.h"
#include "engine/spec/data_files.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace heddle::app {
namespace {

/// Maximum wait for an unwritable disk when closing.
constexpr std::chrono::seconds kDiskTimeout{5};
/// Maximum time from the commit of a final state to the end of the attempt's bookkeeping.
constexpr std::chrono::seconds kReleaseTimeout{2};

std::string deviceOf(const RunSpec& spec, const std::function<std::shared_ptr<Engine>()>& engine) {
    const std::string& requested = spec.train.device;
    if (requested == "cuda") return "cuda:0";
    if (requested != "auto") return requested;
    for (const auto& device : engine()->devices())
        if (device.id.rfind("cuda", 0) == 0) return device.id;
    return "cpu";
}

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

Command commandOf(RunVerb verb, const std::string& reason) {
    switch (verb) {
    case RunVerb::Pause: return PauseCommand{reason};
    case RunVerb::Resume: return ResumeCommand{reason};
    case RunVerb::Stop: return StopCommand{reason};
    default: return CheckpointCommand{};
    }
}

}  // namespace

RunSession::RunSession(Options options) : options_(std::move(options)) {
    if (!options_.engine) options_.engine = loadEngine;
    if (options_.cacheFolder.empty()) options_.cacheFolder = defaultCacheFolder();
    auto store = openAsOwner(options_.database, {options_.owner, options_.lockTimeout});
    options_.database = std::filesystem::absolute(options_.database).string();
    artifacts_ = storage::artifactFolder(options_.database);
    for (const auto& waiting : queueOf(storage::RunQuery::open(options_.database)->runs())) leftQueued_.push_back(waiting.id);
    storage::RunStore& inbox = *store;
    const auto onCommitted = [this](const Event& event) {
        if (const auto* answer = std::get_if<Answer>(&event.body)) attempts_->deliver(*answer);
    };
    recorder_ = std::make_unique<Recorder>(
        std::move(store), Recorder::Handlers{onCommitted, [this] { attempts_->checkpointAll(); }}, options_.recorder);
    attempts_ = std::make_unique<AttemptRunner>(AttemptRunner::Options{options_.database, artifacts_, options_.cacheFolder,
                                                                       options_.engine, options_.jobs, options_.processes},
                                                *recorder_);
    const auto train = [this](const std::string& run) {
        attempts_->train(run, [this, &run] { return queue_->runsAtOnce(run); });
    };
    queue_ = std::make_unique<RunQueue>(
        options_.jobs, RunQueue::Handlers{options_.onEngineThread, [this](const std::string& run) { attempts_->expect(run); },
                                          train, [this](const std::string& run) { attempts_->released(run); }});
    recorder_->start();
    server_ = std::make_unique<RequestServer>(RequestServer::Owner{*this, *queue_, *recorder_, inbox}, options_.inboxEvery);
}

RunSession::~RunSession() { close(); }

std::string RunSession::close() {
    stopAll("closing");
    queue_->join();
    server_->stop();
    const std::string lost = recorder_->close(kDiskTimeout);
    return lost.empty() ? linkCheckpointFolders() : lost;
}

void RunSession::stopAll(const std::string& reason) {
    queue_->close();
    attempts_->stopAll(reason);
}

std::string RunSession::submit(const RunSpec& given, const RunLabels& labels, std::int64_t request) {
    RunSpec spec = given;
    spec.train.extended.clear();  // of the run whose spec it is, or which it forks
    throwIfNotTrainable(spec);
    const std::string device = deviceOf(spec, options_.engine);
    storage::RunRecord record;
    record.id = storage::newRunId();
    record.name = spec.name;
    record.group = labels.group;
    record.lineage = runOfCheckpoint(spec.train.start.checkpoint, artifacts_);
    record.tags = labels.tags;
    const bool isMarked = contains(record.tags, storage::kSyntheticTag);
    if (isGenerated(spec.data.format) && !isMarked) record.tags.emplace_back(storage::kSyntheticTag);
    record.state = name(RunState::Queued);
    record.spec = canonicalJson(spec.toJson());
    record.variantHash = spec.variant.hash();
    record.seed = spec.seed;
    record.created = record.queued = storage::unixTime();
    const RunQueue::Reservation reservation(*queue_, record.id);
    recorder_->write([&](Ledger& ledger, storage::RunStore& store) {
        ledger.addRun(store, record);
        if (request != 0) store.answer(request, true, record.id);
    });
    enqueue(record, spec, device);
    return record.id;
}

void RunSession::resume(const std::string& run, const Extension& extension) {
    const RunQueue::Reservation reservation(*queue_, run);
    const RunState state = committedStateOf(run);
    const auto record = recorded(run);
    if (record.trashed > 0)
        throw Error(ErrorCode::Usage, "the run is in the trash", run,
                    "restore it first: heddle runs restore " + run + ", or Restore in the studio's Library");
    if (extension.isEmpty()) requireResumable(record);
    const RunSpec spec = extended(readRunSpec(record), record, extension);
    // A final state is committed slightly before the engine thread releases the run.
    if (!queue_->isFree(run, isFinal(state) ? kReleaseTimeout : std::chrono::seconds(0)))
        throw Error(ErrorCode::Usage, fmt::format("the run is {}", name(state)), run, "it does not need to be resumed");
    attempts_->forgetEnd(run);
    const std::string device = deviceOf(spec, options_.engine);
    recorder_->write([&](Ledger& ledger, storage::RunStore& store) {
        if (!extension.isEmpty()) ledger.setSpec(store, run, canonicalJson(spec.toJson()));
        if (state != RunState::Queued) ledger.changeState(store, run, {RunState::Queued, "resume"});
    });
    enqueue(recorded(run), spec, device);
}

void RunSession::enqueue(const storage::RunRecord& run, const RunSpec& spec, const std::string& device) {
    queue_->add({run.id,
                 device,
                 run.queued,
                 {spec.train.deterministic, spec.train.precision == Precision::TensorFloat32, spec.train.threads}});
}

void RunSession::command(const std::string& run, RunVerb verb, const std::string& reason) {
    if (verb == RunVerb::Stop && withdraw(run, reason)) return;
    // Readers of the file may see a new state slightly earlier than this process.
    const RunState state = isAllowed(stateOf(run), verb) ? stateOf(run) : committedStateOf(run);
    if (!isAllowed(state, verb))
        throw Error(ErrorCode::Usage, fmt::format("a run in state {} cannot be {}", name(state), participle(verb)), run,
                    "heddle runs show prints its state");
    if (verb == RunVerb::Start) return resume(run);
    if (verb == RunVerb::Delete) return edit(DeleteRun{run});
    attempts_->command(run, commandOf(verb, reason));
}

/// Removes a waiting run from the queue; false if it is not waiting.
bool RunSession::withdraw(const std::string& run, const std::string& reason) {
    if (!queue_->remove(run)) return false;
    recorder_->write([&](Ledger& ledger, storage::RunStore& store) {
        ledger.changeState(store, run, {RunState::Stopped, reason});
    });
    attempts_->setEnd(run, {RunState::Stopped, reason, std::nullopt});
    return true;
}

void RunSession::ask(const std::string& run, const Json& question, std::function<void(bool ok, const Json&)> callback) {
    attempts_->ask(run, question, std::move(callback));
}

/// Refuses to remove a run while an engine thread has taken it from the queue but has not recorded that yet.
void RunSession::refuseWhileStarting(const std::string& run, RunState recorded) const {
    if (recorded == RunState::Queued && queue_->isActive(run))
        throw Error(ErrorCode::Failure, "the run is starting", run, "stop it before it is deleted");
}

void RunSession::edit(const Edit& edit) { this->edit({edit, storage::unixTime()}, 0); }

void RunSession::edit(const TimedEdit& edit, std::int64_t request) {
    const bool isRemoval = std::holds_alternative<DeleteRun>(edit.edit) || std::holds_alternative<TrashRun>(edit.edit);
    const std::string run = runOf(edit.edit);
    std::string superseded;
    std::map<std::string, double> positions;
    recorder_->write([&](Ledger& ledger, storage::RunStore& store) {
        if (isRemoval) refuseWhileStarting(run, ledger.state(run));
        superseded = applyEdit(ledger, store, edit);
        if (std::holds_alternative<MoveRun>(edit.edit))
            for (const auto& waits : waiting()) positions[waits] = ledger.run(waits).queued;
        if (isRemoval && superseded.empty()) queue_->remove(run);
        if (request != 0) store.answer(request, true, superseded);
    });
    if (!positions.empty()) queue_->move(positions);
    if (superseded.empty()) removeFolderOfDeleted(edit.edit, options_.database);
}

void RunSession::change(const std::function<void(storage::RunStore&)>& change) {
    recorder_->write([&](Ledger&, storage::RunStore& store) { change(store); });
}

std::string RunSession::recorderProblem() const {
    std::string problem = recorder_->problem();
    if (problem.empty()) return server_->problem();
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

RunState RunSession::stateOf(const std::string& run) {
    if (const auto state = recorder_->stateOf(run)) return *state;
    return runStateFromName(recorded(run).state).value_or(RunState::Interrupted);
}

/// The state after committing all events emitted so far.
RunState RunSession::committedStateOf(const std::string& run) {
    recorder_->write([](Ledger&, storage::RunStore&) {});
    return stateOf(run);
}

storage::RunRecord RunSession::recorded(const std::string& run) const {
    return recordOf(*storage::RunQuery::open(options_.database), run);
}

}  // namespace heddle::app
