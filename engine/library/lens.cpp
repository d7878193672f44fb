// SPDX-License-Identifier: Apache-2.0
#include "engine/library/lens.h"

#include "engine/base/error.h"
#include "engine/blocks/connections.h"
#include "engine/device/device.h"
#include "engine/device/precision.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/spec/cost.h"
#include "engine/spec/task_kinds.h"
#include "engine/tasks/head_pieces.h"
#include "engine/train/loop/evaluation.h"

#include <algorithm>
#include <string>
#include <utility>

namespace heddle {
namespace {

/// Keeps the states of one stack, in the order of the pass.
class LayerStates final : public Taps {
public:
    explicit LayerStates(std::string stack) : prefix_(std::move(stack) + ".") {}
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        if (wants(module, exposure)) states_.emplace_back(module, value);
        return value;
    }
    bool wants(const std::string& module, const char* exposure) const override {
        return std::string_view(exposure) == kLayerState && module.starts_with(prefix_);
    }
    const std::vector<std::pair<std::string, at::Tensor>>& states() const { return states_; }

private:
    std::string prefix_;
    std::vector<std::pair<std::string, at::Tensor>> states_;
};

/// Sums over the positions of one layer.
struct LayerSums {
    std::string path;
    at::Tensor sums_4;  ///< float64: nats, right, same as the whole model, divergence
};

/// Adds a piece of rows. The whole model's log p and first choices are those of the same rows.
at::Tensor layerSumsOf(const at::Tensor& logits_RV, const at::Tensor& final_RV, const LossSums& loss) {
    const at::Tensor own_RV = logits_RV.to(at::kFloat).log_softmax(-1);
    const at::Tensor divergence = (final_RV.exp() * (final_RV - own_RV)).sum(-1).sum(at::kDouble);
    const at::Tensor same = own_RV.argmax(-1).eq(final_RV.argmax(-1)).sum();
    return at::stack({loss.nll.to(at::kDouble), loss.correct.to(at::kDouble), same.to(at::kDouble), divergence});
}

class LensSums {
public:
    explicit LensSums(const ModelOnExamples& on)
        : on_(on), rowsAtOnce_(labelsAtOnce(on.model.variant(), logitsAtOnce(on.options.device))) {}

    void add(const DeviceBatch& batch, const std::string& stack) {
        LayerStates taps(stack);
        Forward forward;
        forward.taps = &taps;
        at::Tensor headInput_NW;
        {
            const AutocastScope autocast(on_.options.device, on_.options.precision);
            headInput_NW = on_.task.headInput(on_.model, batch, forward);
        }
        std::vector<at::Tensor> rows;
        for (const auto& [path, state_BSW] : taps.states()) {
            if (layers_.size() == rows.size()) layers_.push_back({path, {}});
            rows.push_back(rowsAtPositions(state_BSW, batch));
        }
        for (std::int64_t first = 0; first < headInput_NW.size(0); first += rowsAtOnce_)
            addPiece(headInput_NW, rows, batch, first);
        positions_ += headInput_NW.size(0);
    }

    std::int64_t positions() const { return positions_; }
    std::vector<LensLayer> layers() const {
        std::vector<LensLayer> layers;
        const auto n = static_cast<double>(std::max<std::int64_t>(1, positions_));
        for (const LayerSums& one : layers_) {
            const at::Tensor sums_4 = one.sums_4.to(at::kCPU);
            const auto* const sums = sums_4.const_data_ptr<double>();
            layers.push_back({std::ssize(layers), one.path, sums[0] / n, sums[1] / n, sums[2] / n, sums[3] / n});
        }
        return layers;
    }

private:
    void addPiece(const at::Tensor& headInput_NW, const std::vector<at::Tensor>& rows, const DeviceBatch& batch,
                  std::int64_t first) {
        const std::int64_t count = std::min(rowsAtOnce_, headInput_NW.size(0) - first);
        const DeviceBatch labelled = withLabels(batch, first, count);
        const auto logitsOf = [&](const at::Tensor& all_NW) {
            const AutocastScope autocast(on_.options.device, on_.options.precision);
            return on_.model.logits(all_NW.narrow(0, first, count));
        };
        const at::Tensor final_RV = logitsOf(headInput_NW).to(at::kFloat).log_softmax(-1);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const at::Tensor logits_RV = logitsOf(rows[i]);
            const at::Tensor sums_4 = layerSumsOf(logits_RV, final_RV, on_.task.loss(logits_RV, labelled));
            layers_[i].sums_4 = layers_[i].sums_4.defined() ? layers_[i].sums_4 + sums_4 : sums_4;
        }
    }

    const ModelOnExamples& on_;
    std::int64_t rowsAtOnce_;
    std::vector<LayerSums> layers_;
    std::int64_t positions_ = 0;
};

[[noreturn]] void refuse(const std::string& why, const std::string& next) {
    throw Error(ErrorCode::Usage, "the layers of this model cannot be read by its head: " + why, "--lens", next);
}

}  // namespace

std::string lensStack(const RunSpec& spec, const ResolvedVariant& variant) {
    const TaskKind& kind = taskKind(spec.data.task);
    if (!kind.predictsTokens())
        refuse("a run of task " + kind.id + " predicts no tokens", "inspect its parts with --rank heads or --mean");
    std::string stack = variant.decoder.empty() ? "encoder" : "decoder";
    for (const ResolvedLayer& layer : layersOf(variant, stack))
        for (const ResolvedSublayer& sublayer : layer.sublayers)
            if (sublayer.slots.contains("recurrence"))
                refuse(sublayer.path + " is recurrent, and its input is no residual stream", "choose a run with attention");
    const auto share = variant.stackSlots.find(stack + ".share");
    if (share != variant.stackSlots.end() && builtinCatalogue().at("share", share->second.id).iterates)
        refuse(stack + ".share iterates one layer until it stands still, each time in another number of steps",
               "choose a run whose layers are distinct or shared");
    return stack;
}

bool readLayers(const ModelOnExamples& on, const std::string& stack, LensReport& report) {
    const at::NoGradGuard noGrad;
    LensSums sums(on);
    for (const auto& indices : Evaluator(on.model, on.task, on.options).batches(on.corpus)) {
        if (on.options.interrupted()) return false;
        sums.add(toDevice(on.task.makeEvaluationBatch(on.corpus, indices), on.options.device), stack);
    }
    report.positions = sums.positions();
    report.layers = sums.layers();
    return true;
}

}  // namespace heddle
