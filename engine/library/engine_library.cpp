// SPDX-License-Identifier: Apache-2.0
// The interface of libheddle_engine.so. Only this file converts LibTorch's exceptions to heddle::Error.

#include "engine/base/check.h"
#include "engine/base/error.h"
#include "engine/bench/train_bench.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/exchange/exchange.h"
#include "engine/library/sessions.h"
#include "engine/library/torch_errors.h"
#include "engine/model/built_modules.h"
#include "engine/run/build_identity.h"
#include "engine/run/engine.h"
#include "engine/train/checkpoint/average.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/processes.h"
#include "engine/train/loop/trainer.h"
#include "engine/train/step/step_memory.h"
#include "engine/verify/verify.h"

#include <torch/version.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <utility>

namespace heddle {
namespace {

constexpr const char* kResume = "resume from the last checkpoint; report it if it comes again";

TrainOutcome trainAttempt(const TrainRequest& request, Emitter& emitter, Mailbox& mailbox) {
    Control control(mailbox, emitter);
    control.setState(RunState::Preparing, request.resumeFrom.empty() ? "new run" : "resume");
    const auto group = meet({request.processes, request.spec, request.cacheFolder});
    shareRequest(*group, request);
    Setup setup;
    try {
        setup = prepareTogether(
            group, request, [&] { return prepareTraining(request, emitter, [&] { return control.stopWhilePreparing(); }); });
    } catch (const Error&) {
        if (!control.stopRequested()) throw;
        return {RunState::Stopped, 0, 0, emitter.seconds()};
    }
    removeLeftovers(request.runFolder);
    Trainer trainer(request, setup, emitter, control);
    return tellingFailure(*group, [&] { return trainer.run(); });
}

TrainOutcome joinAttempt(const JoinRequest& joined, Mailbox& mailbox) {
    const auto group = meet(joined);
    const TrainRequest request = requestOfLeader(*group, joined);
    class NoSink final : public EventSink {
        Pressure emit(Event) override { return Pressure::None; }
        Pressure pressure() const override { return Pressure::None; }
    } sink;
    Emitter emitter(sink, request.runId, request.attempt);
    Control control(mailbox, emitter);
    control.setState(RunState::Preparing, "joining");
    Setup setup = prepareTogether(group, request, [&] { return prepareTraining(request, emitter, {}); });
    Trainer trainer(request, setup, emitter, control);
    return trainer.run();
}

/// A session whose questions run through LibTorch too.
template <class Session>
class TranslatingSession : public Session {
public:
    TranslatingSession(std::string where, std::unique_ptr<Session> session)
        : where_(std::move(where)), session_(std::move(session)) {}

protected:
    template <class Answer, class Request>
    Answer ask(Answer (Session::*question)(const Request&), const Request& request) {
        return translatingErrors(where_, [&] { return ((*session_).*question)(request); });
    }
    Session& session() const { return *session_; }

private:
    std::string where_;
    std::unique_ptr<Session> session_;
};

class TranslatingInference final : public TranslatingSession<InferenceSession> {
public:
    using TranslatingSession::TranslatingSession;

    std::vector<DecodedLine> translate(const DecodeRequest& request) override {
        return ask(&InferenceSession::translate, request);
    }
    std::vector<DecodedLine> generate(const DecodeRequest& request) override {
        return ask(&InferenceSession::generate, request);
    }
    std::vector<Labelled> classify(const std::vector<Unlabelled>& examples) override {
        return ask(&InferenceSession::classify, examples);
    }
    std::vector<std::string> classNames() const override { return session().classNames(); }
    std::string decodingObstacle() const override { return session().decodingObstacle(); }
    std::string decodingWarning() const override { return session().decodingWarning(); }
};

class TranslatingInspection final : public TranslatingSession<InspectionSession> {
public:
    using TranslatingSession::TranslatingSession;

    const InterventionTargets& targets() override { return session().targets(); }
    EffectReport effect(const EffectRequest& request) override { return ask(&InspectionSession::effect, request); }
    RankReport rank(const RankRequest& request) override { return ask(&InspectionSession::rank, request); }
    TextEffect outputs(const TextRequest& request) override { return ask(&InspectionSession::outputs, request); }
    Observation observe(const ObservationRequest& request) override { return ask(&InspectionSession::observe, request); }
    PatchReport patch(const PatchRequest& request) override { return ask(&InspectionSession::patch, request); }
    TextPatchReport patchText(const TextPatchRequest& request) override { return ask(&InspectionSession::patchText, request); }
    LabelsReport labels(const LabelsRequest& request) override { return ask(&InspectionSession::labels, request); }
    LensReport lens(const LensRequest& request) override { return ask(&InspectionSession::lens, request); }
};

class EngineLibrary final : public Engine {
public:
    TrainOutcome train(const TrainRequest& request, EventSink& sink, Mailbox& mailbox) override {
        Emitter emitter(sink, request.runId, request.attempt);
        try {
            return translatingErrors(
                "training", [&] { return trainAttempt(request, emitter, mailbox); }, kResume);
        } catch (const Error& error) {
            emitter.emit(Failure{static_cast<int>(error.code()), error.problem(), error.where(),
                                 "every checkpoint written so far", error.next()});
            throw;
        }
    }

    TrainOutcome join(const JoinRequest& request, Mailbox& mailbox) override {
        return translatingErrors(
            "training", [&] { return joinAttempt(request, mailbox); }, kResume);
    }

    Rehearsal rehearse(const RunSpec& spec, const RehearsalFolders& folders) override {
        return translatingErrors("rehearsal", [&] { return rehearseTraining(spec, folders); });
    }

    std::unique_ptr<InferenceSession> openInference(const RunSpec& spec, const std::string& runFolder,
                                                    const std::string& checkpointFolder, const std::string& device) override {
        auto session = translatingErrors(checkpointFolder,
                                         [&] { return openInferenceSession(spec, runFolder, checkpointFolder, device); });
        return std::make_unique<TranslatingInference>(checkpointFolder, std::move(session));
    }

    EvaluationReport evaluate(const EvaluationRequest& request) override {
        return translatingErrors(request.checkpointFolder, [&] { return evaluateRun(request); });
    }

    CheckpointWritten averageCheckpoints(const AverageRequest& request) override {
        return translatingErrors(request.runFolder, [&] { return heddle::averageCheckpoints(request); });
    }

    ImportedWeights importWeights(const WeightsImport& request) override {
        return translatingErrors(request.folder, [&] { return heddle::importWeights(request); });
    }

    ExportedWeights exportWeights(const WeightsExport& request) override {
        return translatingErrors(request.checkpointFolder, [&] { return heddle::exportWeights(request); });
    }

    std::unique_ptr<InspectionSession> openInspection(const InspectionRequest& request) override {
        auto session = translatingErrors(request.checkpointFolder, [&] { return openInspectionSession(request); });
        return std::make_unique<TranslatingInspection>(request.checkpointFolder, std::move(session));
    }

    std::vector<VerifyCheck> verify(const VerifyRequest& request) override {
        return translatingErrors("verify", [&] { return runChecks(request); });
    }

    TrainBenchRow benchTraining(const TrainBenchRequest& request) override {
        return translatingErrors("bench " + request.workload.name, [&] { return runTrainBench(request); });
    }

    std::vector<BuiltModule> builtModules(const VariantSpec& variant, std::int64_t vocabSrc, std::int64_t vocabTgt) override {
        return translatingErrors("variant",
                                 [&] { return heddle::builtModules(*buildModel(variant.resolve(vocabSrc, vocabTgt), 1)); });
    }

    StepMemory measureStepMemory(const VariantSpec& variant, const BatchShape& shape) override {
        return translatingErrors("variant", [&] { return heddle::measureStepMemory(variant.resolve(), shape); });
    }

    std::string torchVersion() const override { return TORCH_VERSION; }
    std::vector<DeviceInfo> devices() const override { return listDevices(); }
};

}  // namespace
}  // namespace heddle

extern "C" __attribute__((visibility("default"))) heddle::Engine* heddleCreateEngine(std::uint64_t identity) {
    // Required for deterministic algorithms; cuBLAS reads it when CUDA starts. Keeps a value set by the user.
    setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
    heddle::useCachingHostAllocator();
    return identity == heddle::engineIdentity() ? new heddle::EngineLibrary : nullptr;
}
