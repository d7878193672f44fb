// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/temporary_folder.h"
#include "engine/run/engine.h"
#include "engine/run/train_bench.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace heddle::app {

/// A small run of the preset eau-base; nothing reads the data files that it names.
RunSpec smallSpec(const std::string& name, std::int64_t steps);

/// An engine without a model: it obeys the mailbox and emits the events of an engine. The loss depends on the step alone, so
/// that replayed steps are equal; checkpoints are folders with three small files.
class FakeEngine final : public Engine {
public:
    std::atomic<int> stepMilliseconds = 0;
    std::atomic<std::int64_t> checkpointEvery = 10;
    std::atomic<std::int64_t> failAt = 0;      ///< throws Error(Diverged) at this step
    std::atomic<std::int64_t> loseAt = 0;      ///< throws DeviceLostError at this step, once
    std::atomic<std::int64_t> differFrom = 0;  ///< from this step on the loss is another one
    std::atomic<std::int64_t> trainedFrom = -1;
    std::atomic<std::int64_t> stepsTaken = 0;
    std::atomic<int> trained = 0;
    std::atomic<std::int64_t> interruptAt = 0;         ///< at this step the process gets SIGINT, as from Ctrl-C
    Workload benched;                                  ///< of the last benchTraining
    Precision precisionAsked = Precision::Auto;        ///< of the last attempt
    std::vector<InterventionsAt> interventionsGiven;   ///< to it
    std::function<float(const RunSpec&)> stepSeconds;  ///< of the series step_seconds; none: there is no such series
    std::function<std::vector<std::string>(const RunSpec&)> dataHashes;      ///< of an attempt; none: it has none
    std::function<std::vector<EvaluationDone>(const RunSpec&)> evaluations;  ///< said at the end of an attempt that completes
    std::function<std::vector<EvaluationDone>(std::int64_t)> evaluationsAfter;  ///< said after a step

    TrainOutcome train(const TrainRequest& request, EventSink& sink, Mailbox& mailbox) override;
    std::function<TrainOutcome(const JoinRequest&)> joining;  ///< what join() does
    TrainOutcome join(const JoinRequest& request, Mailbox&) override { return joining ? joining(request) : TrainOutcome{}; }
    std::function<void(const RunSpec&)> rehearsal;  ///< what rehearse() does
    Rehearsal rehearse(const RunSpec& spec, const RehearsalFolders&) override {
        if (rehearsal) rehearsal(spec);
        return {100, 10, 10 * spec.train.epochs, 40, 50, 1000};
    }
    std::unique_ptr<InferenceSession> openInference(const RunSpec&, const std::string&, const std::string&,
                                                    const std::string&) override;
    std::function<EvaluationReport(const EvaluationRequest&)> evaluator;  ///< what evaluate() does
    EvaluationReport evaluate(const EvaluationRequest& request) override {
        return evaluator ? evaluator(request) : EvaluationReport{};
    }
    std::atomic<int> averaged = 0;  ///< calls of averageCheckpoints()
    CheckpointWritten averageCheckpoints(const AverageRequest& request) override;
    bool importFails = false, exportFails = false;  ///< after they have written something
    ImportedWeights importWeights(const WeightsImport& request) override;
    ExportedWeights exportWeights(const WeightsExport& request) override;
    std::unique_ptr<InspectionSession> openInspection(const InspectionRequest&) override;
    std::function<std::vector<VerifyCheck>(const VerifyRequest&)> verifier;  ///< what verify() does
    std::vector<VerifyCheck> verify(const VerifyRequest& request) override {
        return verifier ? verifier(request) : std::vector<VerifyCheck>{};
    }
    TrainBenchRow benchTraining(const TrainBenchRequest& request) override {
        benched = request.workload;
        return {};
    }
    std::vector<BuiltModule> builtModules(const VariantSpec&, std::int64_t, std::int64_t) override { return {}; }
    StepMemory measureStepMemory(const VariantSpec&, const BatchShape&) override { return {}; }
    std::string torchVersion() const override { return "fake"; }
    std::vector<DeviceInfo> found{{"cpu", "fake processor", 0}};  ///< what devices() finds
    std::vector<DeviceInfo> devices() const override { return found; }
};

/// Writes a checkpoint folder <runFolder>/step-N and describes it.
CheckpointWritten writeFakeCheckpoint(const std::string& runFolder, std::int64_t step, const std::vector<std::string>& kinds);

}  // namespace heddle::app
