// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/gradient_sum.h"

#include "engine/device/torch_pch.h"
#include "engine/device/torch_private.h"

#include <utility>

namespace heddle {

GradientSum::GradientSum(std::vector<at::Tensor> parameters)
    : parameters_(std::move(parameters)),
      scalars_(at::zeros({3}, parameters_.front().options().dtype(at::kFloat).requires_grad(false))),
      counted_(parameters_.size()) {
    for (const at::Tensor& parameter : parameters_) sums_.push_back(at::zeros_like(parameter.detach()));
}

void GradientSum::clear() {
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> all = sums_;
    all.push_back(scalars_);
    torch_private::setToZero(all);
    counted_.assign(counted_.size(), false);
}

std::vector<bool> GradientSum::add(const at::Tensor& scalars_3) {
    const at::NoGradGuard noGrad;
    std::vector<bool> found;
    std::vector<at::Tensor> sums{scalars_}, parts{scalars_3};
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        at::Tensor& gradient = parameters_[i].mutable_grad();
        found.push_back(gradient.defined());
        if (!gradient.defined()) continue;
        sums.push_back(sums_[i]);
        parts.push_back(std::exchange(gradient, {}));
    }
    torch_private::addTo(sums, parts);
    return found;
}

void GradientSum::count(const std::vector<bool>& gradients) {
    for (std::size_t i = 0; i < counted_.size(); ++i)
        if (gradients[i]) counted_[i] = true;
}

void GradientSum::setGradients() const {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        if (counted_[i]) parameters_[i].mutable_grad() = sums_[i];
}

at::Tensor GradientSum::squareOfGradients() const {
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> present;
    for (const at::Tensor& parameter : parameters_)
        if (parameter.grad().defined()) present.push_back(parameter.grad());
    return at::stack(torch_private::norms(present)).square().sum();
}

}  // namespace heddle
