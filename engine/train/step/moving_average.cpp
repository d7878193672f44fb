// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/moving_average.h"

#include "engine/device/torch_pch.h"
#include "engine/device/torch_private.h"

#include <cmath>

namespace heddle {

MovingAverage::MovingAverage(const ParameterStore& parameters, double decay) : decay_(decay) {
    for (const auto& [path, tensor] : parameters.entries()) {
        if (!tensor.requires_grad()) continue;
        paths_.push_back(path);
        parameters_.push_back(tensor);
        means_.push_back(at::zeros_like(tensor.detach()));
    }
}

void MovingAverage::add() {
    const at::NoGradGuard noGrad;
    torch_private::moveTowards(means_, parameters_, 1 - decay_);
}

NamedTensors MovingAverage::weights(std::int64_t updates) const {
    const at::NoGradGuard noGrad;
    const double sum = -std::expm1(static_cast<double>(updates) * std::log(decay_));  // of the weights of θ_1 … θ_t
    NamedTensors weights;
    for (std::size_t i = 0; i < paths_.size(); ++i)
        weights.emplace(paths_[i], updates == 0 ? parameters_[i].detach() : means_[i] / sum);
    return weights;
}

NamedTensors MovingAverage::state() const {
    NamedTensors state;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        state.emplace(paths_[i] + ".ema", means_[i]);
        state.emplace(paths_[i] + ".trained", parameters_[i]);
    }
    return state;
}

MovingAverage::Use::Use(const MovingAverage& average, std::int64_t updates) : average_(average) {
    const at::NoGradGuard noGrad;
    const NamedTensors weights = average.weights(updates);
    for (std::size_t i = 0; i < average.paths_.size(); ++i) {
        const at::Tensor& parameter = average.parameters_[i];
        trained_.push_back(parameter.detach().clone());
        at::Tensor(parameter).copy_(weights.at(average.paths_[i]));
    }
}

MovingAverage::Use::~Use() {
    const at::NoGradGuard noGrad;
    for (std::size_t i = 0; i < trained_.size(); ++i) at::Tensor(average_.parameters_[i]).copy_(trained_[i]);
}

}  // namespace heddle
