// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/optimizer.h"

#include "engine/base/error.h"
#include "engine/device/step_phase.h"
#include "engine/device/torch_pch.h"
#include "engine/device/torch_private.h"
#include "engine/train/step/parameter_groups.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

namespace heddle {

Optimizer::Optimizer(const ParameterStore& parameters, const TrainSpec& spec, ReducedParameters* copies)
    : decoupled_(spec.optimizer != OptimizerKind::Adam),
      beta1_(spec.betas[0]),
      beta2_(spec.betas[1]),
      epsilon_(spec.epsilon),
      clip_(spec.clip),
      packed_({beta1_, beta2_, epsilon_, spec.weightDecay, clip_, decoupled_}),
      muon_(spec.muon, spec.precision == Precision::BFloat16 ? at::kBFloat16 : at::kFloat),
      copies_(copies) {
    if (parameters.entries().empty())
        throwInvalid("the model has no parameters to train", "variant", "choose a variant to train");
    std::map<std::tuple<double, double, bool>, std::vector<std::size_t>, std::greater<>> bySettings;
    for (const ParameterSettings& one : parameterSettings(parameters, spec)) {
        bySettings[{one.rate, one.weightDecay, one.isMuons}].push_back(slots_.size());
        const at::Tensor zeros = at::zeros_like(one.tensor.detach());
        slots_.push_back({one.path, one.tensor, zeros, one.isMuons ? at::Tensor() : at::zeros_like(zeros), 0});
    }
    const auto scalar = at::TensorOptions(at::kFloat).device(slots_.front().parameter.device());
    step_ = at::zeros({}, scalar);
    for (const auto& [settings, slots] : bySettings) {
        for (const std::size_t i : slots) slots_[i].group = std::ssize(groups_);
        const auto& [rate, weightDecay, isMuons] = settings;
        groups_.push_back({rate, weightDecay, isMuons, slots});
    }
    isPackable_ = std::all_of(groups_.begin(), groups_.end(),
                              [&](const Group& group) { return !group.isMuons && group.weightDecay == spec.weightDecay; });
}

std::vector<float> Optimizer::learningRates(double learningRate) const {
    std::vector<float> rates;
    for (const Group& group : groups_) rates.push_back(static_cast<float>(learningRate * group.rate));
    return rates;
}

void Optimizer::releaseGradients() {
    for (Slot& slot : slots_) slot.parameter.mutable_grad().reset();
}

void Optimizer::updateByAdam(const Group& group, const Factors& factors) {
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
    torch_private::fusedAdam(tensors, {factors.learningRate, factors.divisor, factors.notFinite, beta1_, beta2_,
                                       group.weightDecay, epsilon_, decoupled_});
}

void Optimizer::updateByMuon(const Group& group, const Factors& factors) {
    std::vector<MuonMatrix> matrices;
    for (const std::size_t i : group.slots) {
        const Slot& slot = slots_[i];
        if (slot.parameter.grad().defined()) matrices.push_back({slot.parameter, slot.parameter.grad(), slot.mean});
    }
    muon_.update(matrices, {factors.learningRate, factors.divisor, factors.notFinite, group.weightDecay});
}

std::vector<PackedOperand> Optimizer::operands() const {
    std::vector<PackedOperand> present;
    if (!isPackable_) return present;
    for (const Slot& slot : slots_) {
        if (!slot.parameter.grad().defined()) continue;
        const at::Tensor reduced = copies_ ? copies_->of(slot.parameter) : at::Tensor();
        present.push_back({slot.parameter, slot.parameter.grad(), slot.mean, slot.square, reduced, slot.group});
    }
    return present;
}

Optimizer::Update Optimizer::update(const at::Tensor& learningRates_G, const at::Tensor& objective) {
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

Optimizer::Norms Optimizer::normsOfGradients(const at::Tensor& objective) const {
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

/// Uses PyTorch's kernels, once for each group.
Optimizer::Update Optimizer::updateByGroups(const at::Tensor& learningRates_G, const at::Tensor& objective) {
    const Norms found = normsOfGradients(objective);
    step_ += 1;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const at::Tensor rate = learningRates_G[static_cast<std::int64_t>(g)];
        const Factors factors{rate, found.divisor, found.notFinite};
        if (groups_[g].isMuons)
            updateByMuon(groups_[g], factors);
        else
            updateByAdam(groups_[g], factors);
    }
    return {found.norm, found.notFinite, {}, found.norms, nullptr};
}

Optimizer::Update Optimizer::update(double learningRate, const at::Tensor& objective) {
    return update(at::tensor(learningRates(learningRate)).to(step_.device()), objective);
}

NamedTensors Optimizer::state() const {
    NamedTensors tensors{{"step", step_}};
    for (const Slot& slot : slots_) {
        if (!slot.square.defined()) {
            tensors.emplace(slot.path + ".momentum", slot.mean);
            continue;
        }
        tensors.emplace(slot.path + ".exp_avg", slot.mean);
        tensors.emplace(slot.path + ".exp_avg_sq", slot.square);
    }
    return tensors;
}

void Optimizer::restore(const NamedTensors& state, const std::string& where) { copyInto(this->state(), state, where); }

}  // namespace heddle
