// SPDX-License-Identifier: Apache-2.0
#include "app/session/host/attempt_runner.h"

#include "app/session/process/errors.h"
#include "app/session/process/own_surroundings.h"
#include "app/session/recorder/system_sampler.h"
#include "app/session/runs/checkpoint_folders.h"
#include "app/session/runs/chosen_checkpoint.h"
#include "app/session/runs/find_run.h"
#include "app/session/runs/recorded.h"
#include "engine/base/device_lost.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/links.h"
#include "engine/run/attempt_facts.h"
#include "storage/owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

namespace heddle::app {

/// Forwards the events of one attempt to the recorder. Remembers what is needed to end the attempt: the last state, and whether
/// failure and memory events were emitted. Engine thread only.
class AttemptRunner::Sink final : public EventSink {
public:
    Sink(AttemptRunner& runner, Attempt& attempt, const storage::AttemptRecord& record, double systemEvery)
        : runner_(runner),
          attempt_(attempt),
          run_(record.run),
          number_(record.attempt),
          step_(record.firstStep),
          system_(record, std::chrono::duration<double>(systemEvery),
                  [&runner](Event event) { runner.recorder_.emit(std::move(event)); }) {}

    Pressure emit(Event event) override {
        step_ = std::max(step_, event.step);  // the test split is reported for the best step
        system_.follow(event);
        if (const auto* change = std::get_if<StateChanged>(&event.body)) {
            state_ = change->state;
            runner_.setLive(attempt_, *change);
            if (isFinal(state_)) system_.finish();
        }
        hasMemoryEvent_ = hasMemoryEvent_ || std::holds_alternative<MemoryMeasured>(event.body);
        hasFailureEvent_ = hasFailureEvent_ || std::holds_alternative<Failure>(event.body);
        return runner_.recorder_.emit(std::move(event));
    }
    Pressure pressure() const override { return runner_.recorder_.pressure(); }

    /// Emits what the engine did not, so that every attempt has its memory, its failure and its final state.
    void end(const End& end, const std::optional<RunsAtOnce>& runsAtOnce) {
        if (!hasMemoryEvent_) emitNow(measureMemory());
        if (runsAtOnce) emitNow(*runsAtOnce);
        if (end.error && !hasFailureEvent_)
            emitNow(Failure{static_cast<int>(end.error->code()), end.error->problem(), end.error->where(),
                            "what was recorded and every checkpoint", end.error->next()});
        if (!isAllowed(state_, end.state) && isAllowed(state_, RunState::Stopping))
            emitNow(StateChanged{RunState::Stopping, end.reason});
        if (state_ != end.state) emitNow(StateChanged{end.state, end.reason});
    }

private:
    void emitNow(EventBody body) {
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
        emit({run_, number_, step_, seconds.count(), std::move(body)});
    }

    AttemptRunner& runner_;
    Attempt& attempt_;
    const std::string run_;
    const std::int64_t number_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::int64_t step_;
    RunState state_ = RunState::Preparing;
    bool hasFailureEvent_ = false, hasMemoryEvent_ = false;
    SystemSampler system_;
};

void AttemptRunner::expect(const std::string& run) {
    const std::lock_guard lock(mutex_);
    attempts_[run] = std::make_unique<Attempt>();
}

void AttemptRunner::train(const std::string& run, const std::function<std::optional<RunsAtOnce>()>& runsAtOnce) {
    Attempt* attempt = nullptr;
    {
        const std::lock_guard lock(mutex_);
        attempt = attempts_.at(run).get();
    }
    finish(run, trainAttempt(run, *attempt, runsAtOnce));
}

AttemptRunner::End AttemptRunner::trainAttempt(const std::string& run, Attempt& attempt,
                                               const std::function<std::optional<RunsAtOnce>()>& runsAtOnce) {
    std::optional<Sink> sink;
    End end;
    try {
        const auto record = recordOf(*storage::RunQuery::open(options_.database), run);
        const RunSpec spec = readRunSpec(record);
        TrainRequest request;
        request.runId = run;
        request.attempt = record.attempts + 1;
        request.spec = spec;
        request.runFolder = options_.artifacts + "/" + requireRunId(run);
        request.cacheFolder = options_.cacheFolder;
        request.processes = options_.processes;
        requireFirst(run);
        const auto engine = options_.engine();
        AttemptStart start = prepare(record, spec, request);
        start.attempt.torch = engine->torchVersion();
        recorder_.write([&](Ledger& ledger, storage::RunStore& store) { ledger.beginAttempt(store, start); });
        sink.emplace(*this, attempt, start.attempt, spec.record.systemEvery);
        end.state = engine->train(request, *sink, attempt.mailbox).state;
    } catch (const DeviceLostError& error) {
        end = {RunState::Failed, error.problem(), error, true};
    } catch (...) {
        const Error error = asError(std::current_exception(), "run " + run);
        const bool isResumable = error.code() == ErrorCode::Resumable;
        end = {isResumable ? RunState::Interrupted : RunState::Failed, error.problem(), error, false};
    }
    if (sink) sink->end(end, runsAtOnce());  // else the attempt could not begin: nothing is recorded, the run stays queued
    return end;
}

/// Throws if the processes of the run have trained an attempt already: all but this one ended with it.
void AttemptRunner::requireFirst(const std::string& run) {
    if (options_.processes.isAlone()) return;
    const std::lock_guard lock(mutex_);
    if (std::exchange(hasMet_, true))
        throw Error(ErrorCode::Usage, fmt::format("the {} processes have trained their run", options_.processes.size), run,
                    "start them again with heddle resume " + run);
}

/// Adds a note if the last attempt had another number of processes.
void AttemptRunner::noteProcesses(const storage::AttemptRecord& last, std::vector<std::string>& notes) const {
    const std::int64_t before = attemptFacts(last.context).processes;
    if (before != options_.processes.size)
        notes.push_back(
            fmt::format("{} instead of {} processes: they add the gradients of a step in another order, so that "
                        "steps are equal up to rounding, not bit for bit",
                        options_.processes.size, before));
}

AttemptStart AttemptRunner::prepare(const storage::RunRecord& record, const RunSpec& spec, TrainRequest& request) {
    const std::string& artifacts = options_.artifacts;
    // This check comes before anything is removed or read there, because the database may come from elsewhere.
    if (const auto problem = linkProblem(artifacts, record.id + "/tokenizer"); !problem.empty())
        throw Error(ErrorCode::InvalidInput, problem, "run " + record.id,
                    "replace the link by the folder itself, or use another database");
    const auto query = storage::RunQuery::open(options_.database);
    const auto checkpoints = query->checkpoints(record.id);
    // The folder of a checkpoint with a damaged record would look like one without row.
    if (query->damages().empty()) sweepRunFolder(artifacts, record.id, checkpoints);
    createFolderDurably(request.runFolder);

    AttemptStart start;
    auto& attempt = start.attempt;
    attempt.run = record.id;
    attempt.attempt = request.attempt;
    attempt.started = storage::unixTime();
    attempt.device = spec.train.device;
    attempt.host = storage::hostName();
    attempt.program = HEDDLE_VERSION;
    attempt.threads = spec.train.threads;
    attempt.context = beginningContext(ownSurroundings(), options_.jobs, options_.processes.size);
    start.keepLast = spec.train.keepLast;
    start.maxMib = spec.record.maxMib;
    if (request.attempt == 1) return start;

    auto choice = newestVerified(artifacts, checkpoints);
    start.notes = std::move(choice.skipped);
    if (choice.checkpoint) {
        request.resumeFrom = artifacts + "/" + choice.checkpoint->folder;
        request.precision = recordedPrecision(*query, record.id);
        attempt.firstStep = choice.checkpoint->step;
        if (!start.notes.empty())
            start.notes.push_back(fmt::format("resuming from the checkpoint of step {}", attempt.firstStep));
    } else {
        start.notes.emplace_back("no usable checkpoint: starting again at step 0");
    }
    if (const auto attempts = query->attempts(record.id); !attempts.empty()) noteProcesses(attempts.back(), start.notes);
    request.interventions = recordedInterventions(*query, record.id, start.notes);
    start.replay = ReplayCheck::load(*query, record.id, request.attempt, attempt.firstStep);
    return start;
}

void AttemptRunner::finish(const std::string& run, const End& end) {
    // Waits while the disk is full; the run's events are queued and will be written later.
    while (!recorder_.waitCommitted(std::chrono::milliseconds(200))) {
        const std::lock_guard lock(mutex_);
        if (stopping_) break;
    }
    std::vector<OnAnswer> unanswered;
    {
        const std::lock_guard lock(mutex_);
        for (const auto question : attempts_.at(run)->questions)
            if (auto node = questions_.extract(question)) unanswered.push_back(std::move(node.mapped()));
        attempts_.at(run)->end = end;
    }
    for (const auto& callback : unanswered) try {
            callback(false, "the run ended before it could answer");
        } catch (const std::exception&) {  // nobody is left to tell: the asker's own callback failed, or the recorder has ended
        }
}

void AttemptRunner::released(const std::string& run) {
    const std::lock_guard lock(mutex_);
    const auto attempt = attempts_.extract(run);
    ended_.insert_or_assign(run, attempt.mapped()->end.value());
}

void AttemptRunner::setLive(Attempt& attempt, const StateChanged& change) {
    const std::lock_guard lock(mutex_);
    attempt.live = change;
}

/// The caller must hold the lock.
AttemptRunner::Attempt& AttemptRunner::attemptOf(const std::string& run, const char* problem, const char* next) {
    const auto found = attempts_.find(run);
    if (found == attempts_.end() || found->second->end) throw Error(ErrorCode::Usage, problem, run, next);
    return *found->second;
}

void AttemptRunner::ask(const std::string& run, const Json& question, OnAnswer callback) {
    const std::lock_guard lock(mutex_);
    Attempt& attempt =
        attemptOf(run, "only a run in training can answer questions", "open a finished run with heddle translate");
    const std::uint64_t number = nextQuestion_++;
    questions_[number] = std::move(callback);
    attempt.questions.push_back(number);
    attempt.mailbox.put(AskCommand{number, question});
}

void AttemptRunner::deliver(const Answer& answer) {
    OnAnswer callback;
    {
        const std::lock_guard lock(mutex_);
        if (auto node = questions_.extract(answer.question)) callback = std::move(node.mapped());
    }
    if (callback) callback(answer.ok, answer.value);
}

void AttemptRunner::command(const std::string& run, Command command) {
    const std::lock_guard lock(mutex_);
    attemptOf(run, "the run is not active here", "start it with heddle resume").mailbox.put(std::move(command));
}

void AttemptRunner::stopAll(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [run, attempt] : attempts_) attempt->mailbox.put(StopCommand{reason});
}

void AttemptRunner::checkpointAll() {
    const std::lock_guard lock(mutex_);
    for (const auto& [run, attempt] : attempts_)
        if (std::error_code failed; std::filesystem::is_directory(std::filesystem::path(options_.artifacts) / run, failed))
            attempt->mailbox.put(CheckpointCommand{});
}

std::optional<AttemptRunner::End> AttemptRunner::ended(const std::string& run) const {
    const std::lock_guard lock(mutex_);
    const auto found = ended_.find(run);
    return found == ended_.end() ? std::nullopt : std::optional(found->second);
}

void AttemptRunner::setEnd(const std::string& run, End end) {
    const std::lock_guard lock(mutex_);
    ended_.insert_or_assign(run, std::move(end));
}

void AttemptRunner::forgetEnd(const std::string& run) {
    const std::lock_guard lock(mutex_);
    ended_.erase(run);
}

std::map<std::string, std::string> AttemptRunner::held() const {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::string> held;
    for (const auto& [run, attempt] : attempts_) {
        const auto& [state, reason] = attempt->live;
        if (state == RunState::Paused && (reason == "recorder" || reason == "database")) held[run] = reason;
    }
    return held;
}

}  // namespace heddle::app
