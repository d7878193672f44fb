// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/optimizer.h"

#include "engine/base/error.h"
#include "engine/device/step_phase.h"
#include "engine/device/torch_pch.h"
#include "engine/device/torch_private.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

namespace heddle {

namespace {

/// The layer of a parameter: 1 for the lowest layer of a stack, 0 below the layers, `layers` + 1 above them and for the head.
std::int64_t layerOf(const std::string& path, std::int64_t layers) {
    constexpr std::string_view kLayers = ".layers.";
    if (const auto at = path.find(kLayers); at != std::string::npos) return std::stoll(path.substr(at + kLayers.size())) + 1;
    return path.starts_with("embed") || path.starts_with("position") ? 0 : layers + 1;
}

std::int64_t countLayers(const ParameterStore& parameters) {
    std::int64_t layers = 0;
    for (const auto& [path, tensor] : parameters.entries())
        if (path.find(".layers.") != std::string::npos) layers = std::max(layers, layerOf(path, 0));
    return layers;
}

}  // namespace

AdamOptimizer::AdamOptimizer(const ParameterStore& parameters, const TrainSpec& spec, ReducedParameters* copies)
    : decoupled_(spec.optimizer == OptimizerKind::AdamW),
      beta1_(spec.betas[0]),
      beta2_(spec.betas[1]),
      epsilon_(spec.epsilon),
      weightDecay_(spec.weightDecay),
      clip_(spec.clip),
      packed_({beta1_, beta2_, epsilon_, weightDecay_, clip_, decoupled_}),
      copies_(copies) {
    if (parameters.entries().empty())
        throwInvalid("the model has no parameters to train", "variant", "choose a variant to train");
    const std::int64_t layers = countLayers(parameters);
    std::map<double, std::vector<std::size_t>, std::greater<>> byShare;
    for (const auto& [path, tensor] : parameters.entries()) {
        if (!tensor.requires_grad()) continue;
        const auto below = static_cast<double>(layers + 1 - layerOf(path, layers));
        byShare[std::pow(spec.start.layerDecay, below)].push_back(slots_.size());
        slots_.push_back({path, tensor, at::zeros_like(tensor.detach()), at::zeros_like(tensor.detach()), 0});
    }
    const auto scalar = at::TensorOptions(at::kFloat).device(slots_.front().parameter.device());
    step_ = at::zeros({}, scalar);
    for (const auto& [share, slots] : byShare) {
        for (const std::size_t i : slots) slots_[i].group = std::ssize(groups_);
        groups_.push_back({share, slots});
    }
}

std::vector<float> AdamOptimizer::learningRates(double learningRate) const {
    std::vector<float> rates;
    for (const Group& group : groups_) rates.push_back(static_cast<float>(learningRate * group.share));
    return rates;
}

void AdamOptimizer::releaseGradients() {
    for (Slot& slot : slots_) slot.parameter.mutable_grad().reset();
}

void AdamOptimizer::updateGroup(const Group& group, const Factors& factors) {
    torch_private::AdamTensors tensors;
    for (const std::size_t i : group.slots) {
        const Slot& slot = slots_[i];
        if (!slot.parameter.grad().defined()) continue;  // not used in this step's forward pass
        tensors.parameters.push_back(slot.parameter);
        tensors.gradients.push_back(slot.parameter.grad());
        tensors.means.push_back(slot.mean);
        tensors.squares.push_back(slot.square);
        tensors.steps.push_back(step_);
    }
    if (tensors.parameters.empty()) return;
    torch_private::fusedAdam(tensors, {factors.learningRate, factors.divisor, factors.notFinite, beta1_, beta2_, weightDecay_,
                                       epsilon_, decoupled_});
}

/// Operands of the parameters used in this step's forward pass.
std::vector<PackedOperand> AdamOptimizer::operands() const {
    std::vector<PackedOperand> present;
    for (const Slot& slot : slots_) {
        if (!slot.parameter.grad().defined()) continue;
        const at::Tensor reduced = copies_ ? copies_->of(slot.parameter) : at::Tensor();
        present.push_back({slot.parameter, slot.parameter.grad(), slot.mean, slot.square, reduced, slot.group});
    }
    return present;
}

AdamOptimizer::Update AdamOptimizer::update(const at::Tensor& learningRates_G, const at::Tensor& objective) {
    const at::NoGradGuard noGrad;
    Update made;
    if (const auto present = operands(); PackedAdam::takes(present)) {
        PackedAdam::Result packed = packed_.update(present, {learningRates_G, objective, step_});
        made = {packed.norm, packed.notFinite, {}, packed.norms, std::move(packed.memory)};
    } else {
        made = updateByGroups(learningRates_G, objective);
        if (copies_) copies_->rewrite();
    }
    for (const Slot& slot : slots_)
        if (slot.parameter.grad().defined()) made.paths.emplace_back(slot.path);
    releaseGradients();
    return made;
}

AdamOptimizer::Norms AdamOptimizer::normsOfGradients(const at::Tensor& objective) const {
    const StepPhaseScope phase(StepPhase::Clip);
    std::vector<at::Tensor> gradients;
    for (const Slot& slot : slots_)
        if (slot.parameter.grad().defined()) gradients.push_back(slot.parameter.grad());
    const auto norms = at::stack(torch_private::norms(gradients));
    const auto norm = at::linalg_vector_norm(norms);
    const auto notFinite = at::isfinite(norm + objective).logical_not().to(at::kFloat);
    // The kernel divides gradients by this, so clipping needs no separate pass. The 1e-6 is PyTorch's.
    const auto divisor = clip_ > 0 ? ((norm + 1e-6) / clip_).clamp_min(1.0) : at::ones_like(norm);
    return {norms, norm, notFinite, divisor};
}

/// Uses PyTorch's kernels, once per learning rate.
AdamOptimizer::Update AdamOptimizer::updateByGroups(const at::Tensor& learningRates_G, const at::Tensor& objective) {
    const Norms found = normsOfGradients(objective);
    step_ += 1;
    for (std::size_t g = 0; g < groups_.size(); ++g)
        updateGroup(groups_[g], {learningRates_G[static_cast<std::int64_t>(g)], found.divisor, found.notFinite});
    return {found.norm, found.notFinite, {}, found.norms, nullptr};
}

AdamOptimizer::Update AdamOptimizer::update(double learningRate, const at::Tensor& objective) {
    return update(at::tensor(learningRates(learningRate)).to(step_.device()), objective);
}

NamedTensors AdamOptimizer::state() const {
    NamedTensors tensors{{"step", step_}};
    for (const Slot& slot : slots_) {
        tensors.emplace(slot.path + ".exp_avg", slot.mean);
        tensors.emplace(slot.path + ".exp_avg_sq", slot.square);
    }
    return tensors;
}

void AdamOptimizer::restore(const NamedTensors& state, const std::string& where) { copyInto(this->state(), state, where); }

}  // namespace heddle
