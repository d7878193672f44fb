// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/app/session/fake_engine.h"

#include "engine/base/device_lost.h"
#include "engine/base/error.h"
#include "engine/base/sha256.h"
#include "engine/run/inspection.h"
#include "engine/spec/catalogue.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

std::string writeFile(const fs::path& file, const std::string& contents) {
    std::ofstream(file, std::ios::binary) << contents;
    return sha256Hex(contents);
}

float lossOf(std::int64_t step, std::int64_t differFrom) {
    const bool differs = differFrom > 0 && step >= differFrom;
    return 10.0F / static_cast<float>(step + 1) + (differs ? 1e-6F : 0.0F);
}

/// One attempt: the loop of a trainer, as far as the session can see it.
class Attempt {
public:
    Attempt(FakeEngine& engine, const TrainRequest& request, EventSink& sink, Mailbox& mailbox)
        : engine_(engine), request_(request), sink_(sink), mailbox_(mailbox) {}

    TrainOutcome run() {
        say(StateChanged{RunState::Preparing, ""});
        if (!request_.resumeFrom.empty()) step_ = std::stoll(fs::path(request_.resumeFrom).filename().string().substr(5));
        engine_.trainedFrom = step_;
        engine_.precisionAsked = request_.precision;
        engine_.interventionsGiven = request_.interventions;
        AttemptDescribed attempt;
        attempt.threads = 1;
        attempt.device = "cpu";
        attempt.totalSteps = request_.spec.train.steps;
        if (engine_.dataHashes) attempt.dataHashes = engine_.dataHashes(request_.spec);
        say(attempt);
        say(StateChanged{RunState::Running, "started"});
        if (step_ == 0) save("step");
        while (step_ < request_.spec.train.steps && !stop_) {
            takeStep();
            serve();
        }
        if (!stop_ && engine_.evaluations)
            for (auto& evaluation : engine_.evaluations(request_.spec)) say(std::move(evaluation));
        save("last");
        return {stop_ ? RunState::Stopped : RunState::Completed, step_, 0, 0};
    }

private:
    void takeStep() {
        ++step_;
        ++engine_.stepsTaken;
        if (step_ == engine_.failAt)
            throw Error(ErrorCode::Diverged, "the loss is not a finite number", "step " + std::to_string(step_),
                        "lower train.lr");
        if (step_ == engine_.loseAt && engine_.loseAt.exchange(0) > 0) throw DeviceLostError("illegal address", "training");
        StepBlock block;
        block.series.push_back({"loss", "", step_, 1, {lossOf(step_, engine_.differFrom)}, true});
        block.series.push_back({"tokens_per_second", "", step_, 1, {static_cast<float>(getpid() + engine_.trained)}, false});
        if (engine_.stepSeconds)
            block.series.push_back({"step_seconds", "", step_, 1, {engine_.stepSeconds(request_.spec)}, false});
        say(std::move(block));
        if (engine_.evaluationsAfter)
            for (auto& evaluation : engine_.evaluationsAfter(step_)) say(std::move(evaluation));
        if (step_ % engine_.checkpointEvery == 0) save("step");
        if (step_ == engine_.interruptAt) waitForTheEnd();
        std::this_thread::sleep_for(std::chrono::milliseconds(engine_.stepMilliseconds));
    }
    void waitForTheEnd() {
        std::raise(SIGINT);
        while (!stop_)
            if (const auto command = mailbox_.waitFor(std::chrono::milliseconds(5))) execute(*command);
    }
    void serve() {
        while (sink_.pressure() >= EventSink::Pressure::Pause && !stop_)
            pause(sink_.pressure() == EventSink::Pressure::Pause ? "recorder" : "database");
        while (auto command = mailbox_.take()) execute(*command);
    }
    void execute(const Command& command) {
        if (const auto* paused = std::get_if<PauseCommand>(&command)) pause(paused->reason);
        if (std::holds_alternative<CheckpointCommand>(command)) save("step");
        if (const auto* asked = std::get_if<AskCommand>(&command)) answer(*asked);
        if (const auto* stopped = std::get_if<StopCommand>(&command)) {
            stop_ = true;
            say(StateChanged{RunState::Stopping, stopped->reason});
        }
    }
    void answer(const AskCommand& command) {
        if (isInterventionQuestion(command.question)) {
            const InterventionChange change = readInterventionChange(command.question);
            say(Intervened{change.add, change.add, change.remove});
        }
        say(Answer{command.number, true, {{"step", step_}}});
    }
    void pause(const std::string& reason) {
        say(StateChanged{RunState::Paused, reason});
        while (!stop_) {
            if (reason != "user" && sink_.pressure() == EventSink::Pressure::None) break;
            const auto command = mailbox_.waitFor(std::chrono::milliseconds(5));
            if (!command) continue;
            if (std::holds_alternative<ResumeCommand>(*command)) break;
            execute(*command);
        }
        if (!stop_) say(StateChanged{RunState::Running, reason});
    }
    void save(const std::string& kind) { say(writeFakeCheckpoint(request_.runFolder, step_, {kind})); }
    void say(EventBody body) {
        sink_.emit({request_.runId, request_.attempt, step_, 0.001 * static_cast<double>(step_), std::move(body)});
    }

    FakeEngine& engine_;
    const TrainRequest& request_;
    EventSink& sink_;
    Mailbox& mailbox_;
    std::int64_t step_ = 0;
    bool stop_ = false;
};

}  // namespace

RunSpec smallSpec(const std::string& name, std::int64_t steps) {
    Json document = asRunDocument(presetDocument("eau-base"));
    for (const auto* set :
         {"dims.d=16", "dims.f=32", "dims.heads=2", "dims.layers_enc=1", "dims.layers_dec=1", "train.device=cpu",
          "train.epochs=0", "data.train.source=/nowhere/a", "data.train.target=/nowhere/b"})
        applySet(document, set);
    applySet(document, "train.steps=" + std::to_string(steps));
    applySet(document, "name=" + Json(name).dump());
    return RunSpec::parse(document, builtinCatalogue());
}

namespace {

/// A checkpoint folder below the run's; `n` is in every file.
CheckpointWritten writeFolder(const fs::path& folder, const std::string& n, const std::vector<std::string>& kinds) {
    fs::create_directories(folder);
    const std::string state = R"({"step":)" + n + "}";
    const std::uint64_t bytes = 2 * (1 + n.size()) + state.size();
    return {kinds,
            (folder.parent_path().filename() / folder.filename()).string(),
            writeFile(folder / "weights.safetensors", "w" + n),
            writeFile(folder / "optimizer.safetensors", "o" + n),
            writeFile(folder / "state.json", state),
            bytes};
}

}  // namespace

CheckpointWritten writeFakeCheckpoint(const std::string& runFolder, std::int64_t step, const std::vector<std::string>& kinds) {
    return writeFolder(fs::path(runFolder) / ("step-" + std::to_string(step)), std::to_string(step), kinds);
}

ImportedWeights FakeEngine::importWeights(const WeightsImport& request) {
    ImportedWeights imported;
    imported.spec = smallSpec(request.name, 1);
    imported.checkpoint = writeFakeCheckpoint(request.runFolder, 0, {});
    imported.notes = {"a note"};
    if (importFails) throwInvalid("damaged", request.folder, "");
    return imported;
}

ExportedWeights FakeEngine::exportWeights(const WeightsExport& request) {
    std::ofstream(request.folder + "/config.json") << "{}";
    if (exportFails) throwInvalid("no BERT", request.folder, "");
    return {{"config.json"}, {}, "sha"};
}

CheckpointWritten FakeEngine::averageCheckpoints(const AverageRequest& request) {
    ++averaged;
    std::string name = "average";
    for (const std::int64_t step : request.steps) name += "-" + std::to_string(step);
    if (!request.file.empty()) {
        CheckpointWritten written;
        written.weightsSha256 = writeFile(request.file, name);
        written.bytes = name.size();
        return written;
    }
    return writeFolder(fs::path(request.runFolder) / name, "1", {name});
}

TrainOutcome FakeEngine::train(const TrainRequest& request, EventSink& sink, Mailbox& mailbox) {
    ++trained;
    return Attempt(*this, request, sink, mailbox).run();
}

std::unique_ptr<InferenceSession> FakeEngine::openInference(const RunSpec&, const std::string&, const std::string&,
                                                            const std::string&) {
    throw Error(ErrorCode::Failure, "a fake engine cannot translate", "test", "");
}

std::unique_ptr<InspectionSession> FakeEngine::openInspection(const InspectionRequest&) {
    throw Error(ErrorCode::Failure, "a fake engine has no model to inspect", "test", "");
}

}  // namespace heddle::app
