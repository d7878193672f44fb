// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/step_memory.h"

#include "engine/base/error.h"
#include "engine/device/memory_meter.h"
#include "engine/device/meta_device.h"
#include "engine/device/module_scope.h"
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/spec/catalogue.h"
#include "engine/tasks/head_pieces.h"
#include "engine/train/step/optimizer.h"

#include <algorithm>
#include <optional>

namespace heddle {
namespace {

/// Word ids [rows,length] on the device, none of them padding; they have no values on the meta device.
at::Tensor words(std::int64_t rows, std::int64_t length, std::int64_t vocabulary, c10::DeviceType device) {
    constexpr std::int64_t kFirst = 4;  // after the special ones
    if (device == c10::kMeta) return at::empty({rows, length}, at::TensorOptions(at::kLong).device(device));
    return at::arange(rows * length, at::kLong).remainder(vocabulary - kFirst).add(kFirst).view({rows, length});
}

/// The source side: word ids [B,S], or patches [B,S,P] without a class token.
at::Tensor sourceOf(const ResolvedVariant& variant, const BatchShape& shape, std::int64_t length, c10::DeviceType device) {
    const std::optional<PatchForm> patches = readsOf(variant).patches;
    if (!patches) return words(shape.sentences, length, variant.dims.vocabSrc, device);
    const std::int64_t before = patches->hasClassToken ? 1 : 0;
    return at::ones({shape.sentences, length - before, patches->numbers()}, at::TensorOptions(at::kFloat).device(device));
}

bool outputsVocabulary(const ResolvedVariant& variant) {
    return builtinCatalogue().at("head", variant.globals.at("head").id).usesVocabulary;
}

/// The head's input in training: [N,W] for a head that outputs a vocabulary, else as it pools.
at::Tensor headInput(const Model& model, const ModelInput& source, const ModelInput& target) {
    Forward f;
    f.training = true;
    const at::Tensor hidden_BSW = headInputOf(model, source, target, f);
    if (!outputsVocabulary(model.variant())) return hidden_BSW;
    // A training step gathers the positions that have a label.
    static const std::string kHead = "head";
    const ModuleScope scope(kHead);
    const at::Tensor rows_ND = hidden_BSW.flatten(0, 1);
    return rows_ND.index_select(0, at::arange(rows_ND.size(0), target.ids_BS.options().dtype(at::kLong)));
}

/// Stores the bytes that are live after the forward pass and were not before it, without the logits.
void noteActivations(const MemoryMeter& meter, const std::map<std::string, std::int64_t>& before, std::int64_t ofLogits,
                     StepMemory& made) {
    made.activationBytes = -static_cast<double>(ofLogits);
    made.activationBytesByModule.clear();
    for (const auto& [module, bytes] : meter.liveByModule()) {
        const auto earlier = before.find(module);
        const auto added = static_cast<double>(bytes - (earlier == before.end() ? 0 : earlier->second));
        made.activationBytes += added;
        if (!module.empty()) made.activationBytesByModule[module] = added;
    }
    if (const auto head = made.activationBytesByModule.find("head"); head != made.activationBytesByModule.end())
        head->second -= static_cast<double>(ofLogits);
}

/// Bytes of the parameters and of what the optimizer keeps of each.
double bytesOf(const ParameterStore& parameters, const Optimizer& optimizer) {
    std::size_t bytes = 0;
    for (const auto& [path, tensor] : parameters.entries()) bytes += tensor.nbytes();
    for (const auto& [name, tensor] : optimizer.state())
        if (tensor.dim() > 0) bytes += tensor.nbytes();  // without the counter of steps
    return static_cast<double>(bytes);
}

/// The head's forward pass and loss, and the backward pass of the whole model; returns the objective.
class HeadStep {
public:
    HeadStep(const Model& model, std::function<void(const at::Tensor& logits)> afterForward)
        : model_(model), afterForward_(std::move(afterForward)) {}

    at::Tensor run(const at::Tensor& input) const {
        if (outputsVocabulary(model_.variant())) {
            const HeadFunctions work{[this](const at::Tensor& rows) { return logits(rows); },
                                     [](const at::Tensor& logits_RV, std::int64_t first) { return lossOf(logits_RV, first); }};
            return backwardInPieces(input, labelsAtOnce(model_.variant()), work).objective;
        }
        const at::Tensor made = logits(input);
        at::Tensor objective = made.detach().square().mean();
        made.backward(at::ones_like(made));
        return objective;
    }

private:
    at::Tensor logits(const at::Tensor& input) const {
        at::Tensor made = model_.logits(input);
        afterForward_(made);
        return made;
    }

    static LossSums lossOf(const at::Tensor& logits_RV, std::int64_t first) {
        const at::Tensor labels_R =
            at::arange(first, first + logits_RV.size(0), logits_RV.options().dtype(at::kLong)).remainder(logits_RV.size(1));
        LossOptions options{0.1, 1.0 / static_cast<double>(logits_RV.size(0))};
        options.gradient = LossOptions::Gradient::OverLogits;  // as in a training step
        return crossEntropyWithGradient(logits_RV, labels_R, options);
    }

    const Model& model_;
    std::function<void(const at::Tensor&)> afterForward_;
};

}  // namespace

StepMemory measureStepMemory(const ResolvedVariant& variant, const BatchShape& shape, c10::DeviceType device) {
    if (device == c10::kMeta) reportMetaMemory();
    MemoryMeter meter(device);
    const auto model = device == c10::kMeta ? outlineModel(variant) : buildModel(variant, 1);
    model->to(device);  // joins weights that products read together, as a run does
    TrainSpec train;
    train.optimizer = shape.optimizer;
    Optimizer optimizer(model->parameters(), train);
    meter.forgetPeak();
    const auto lengthOr = [&](std::int64_t length) { return length > 0 ? length : variant.dims.maxLen; };
    const at::Tensor source = sourceOf(variant, shape, lengthOr(shape.source), device);
    const at::Tensor target =
        words(shape.sentences, lengthOr(shape.target), std::max<std::int64_t>(variant.dims.vocabTgt, 5), device);
    const auto before = meter.liveByModule();
    StepMemory made;
    made.stateBytes = bytesOf(model->parameters(), optimizer);
    const HeadStep head(*model, [&](const at::Tensor& logits) {
        noteActivations(meter, before, static_cast<std::int64_t>(logits.nbytes()), made);
    });
    const auto inputOf = [&](const at::Tensor& ids) {
        return ModelInput{ids, {}, Padding::Possible, shape.documents ? at::zeros_like(ids) : at::Tensor()};
    };
    const at::Tensor objective = head.run(headInput(*model, inputOf(source), inputOf(target)));
    optimizer.update(1e-4, objective);
    made.peakBytes = static_cast<double>(meter.peak());
    return made;
}

}  // namespace heddle
