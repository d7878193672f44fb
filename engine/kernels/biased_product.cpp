// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/biased_product.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/column_sums.h"
#include "engine/kernels/cuda_kernels.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace heddle {
namespace {

/// y itself, whose gradient is summed over its rows for the bias.
class BiasOfProduct : public torch::autograd::Function<BiasOfProduct> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* /*context*/, const at::Tensor& y,
                              const at::Tensor& /*bias_O*/) {
        return y.detach();
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* /*context*/,
                                                   const torch::autograd::variable_list& gradients) {
        const at::Tensor dy_NO = gradients[0].reshape({-1, gradients[0].size(-1)});
        return {dy_NO.view(gradients[0].sizes()), columnSumsFor({{1, dy_NO.size(1)}}, dy_NO)};
    }
};

}  // namespace

BiasedProduct::operator at::Tensor() const { return bias.defined() ? BiasOfProduct::apply(y, bias) : y; }

BiasedProduct biasedProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    return biasedProducts(x, weight, bias).front();
}

std::vector<BiasedProduct> biasedProducts(const at::Tensor& x, at::TensorList weights, at::TensorList biases) {
    const auto isOwed = [&](const at::Tensor& bias) {
        return bias.defined() && at::GradMode::is_enabled() && bias.requires_grad() && kernelsFor({x, bias});
    };
    std::vector<BiasedProduct> made;
    if (!std::all_of(biases.begin(), biases.end(), isOwed)) {
        for (std::size_t i = 0; i < weights.size(); ++i) made.emplace_back(affine(x, weights[i], biases[i]));
        return made;
    }
    const std::vector<at::Tensor> products = productsWithFixedBiases(x, weights, biases);
    for (std::size_t i = 0; i < products.size(); ++i) made.emplace_back(products[i], biases[i]);
    return made;
}

}  // namespace heddle
