// SPDX-License-Identifier: Apache-2.0
// A toy translation run, some steps old, that inspections open.
#pragma once

#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/run/inspection.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/evaluation.h"
#include "tests/unit/engine/tasks/task_run.h"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace heddle::test {

inline constexpr const char* kHead = "encoder.layers.0.self";
inline constexpr const char* kGate = "decoder.layers.0.cross.residual.gate";

inline std::map<std::string, double> byMetric(const std::vector<EvaluationDone::Value>& values) {
    std::map<std::string, double> all;
    for (const auto& value : values)
        if (value.metric != "decode_seconds") all[value.metric] = value.value;
    return all;
}

inline const MetricEffect& metric(const EffectReport& report, const std::string& name) {
    for (const MetricEffect& effect : report.metrics)
        if (effect.metric == name) return effect;
    throw std::runtime_error("no metric " + name);
}

/// It has two layers.
class Inspection : public TaskRun {
protected:
    Inspection() : spec(test::toySpec(folder.path(), test::toyPairs(24), test::toyPairs(20))) {
        spec.variant = VariantSpec::parse(
            {{"preset", "eau-full"},
             {"dims", {{"d", 16}, {"f", 32}, {"heads", 2}, {"layers_enc", 2}, {"layers_dec", 2}, {"max_len", 24}}},
             {"defaults", {{"score", {{"rule", "add"}, {"source", "accumulated"}}}}}},
            builtinCatalogue());
        spec.train.epochs = 0;
        spec.train.steps = 60;
        spec.train.lr = 1e-2;
    }

    std::string trainedFolder() {
        if (checkpoint.empty()) checkpoint = folder / "run/step-" + std::to_string(train(spec).step);
        return checkpoint;
    }
    std::unique_ptr<InspectionSession> open(std::function<bool()> stop = {}) {
        InspectionRequest request;
        request.spec = spec;
        request.checkpointFolder = trainedFolder();
        request.runFolder = folder / "run";
        request.cacheFolder = folder / "cache";
        request.device = "cpu";
        request.stopRequested = std::move(stop);
        return engine->openInspection(request);
    }
    EvaluationReport evaluate() {
        EvaluationRequest request;
        request.spec = spec;
        request.checkpointFolder = trainedFolder();
        request.cacheFolder = folder / "cache";
        request.device = "cpu";
        return engine->evaluate(request);
    }
    /// The checkpoint's model with weights that `edit` changes, on the first validation examples.
    Evaluation byHand(const std::function<void(const NamedTensors&)>& edit) {
        const std::string step = trainedFolder();
        const RunData data = loadRunData(spec, {folder / "cache", tokenizerFolderOf(step), {}}, {});
        const auto model = buildModel(spec.variant.resolve(data.sourceWords(), data.targetWords()), spec.seed);
        const NamedTensors weights = readCheckpointWeights(step);
        edit(weights);
        copyInto(namedParameters(model->parameters()), weights, step);
        const auto task = makeTask(spec, data);
        return *Evaluator(*model, *task, DecodeOptions{at::kCPU}).evaluate(data.valid, Depth::Scored);
    }

    RunSpec spec;
    std::string checkpoint;
    std::unique_ptr<Engine> engine = test::createEngine();
};

}  // namespace heddle::test
