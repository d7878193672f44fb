// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace torch::autograd {
struct AutogradContext;
}

namespace heddle {

/// affine() in a scope of reduced copies (engine/kernels/reduced.h): the product of the copies of x and of the weights, in
/// bfloat16. x gets its gradient through its copy; those of float32 weights [O,I] and biases [O] are float32, on CUDA as the
/// product sums them up, elsewhere rounded to bfloat16 once.
at::Tensor reducedAffine(const at::Tensor& x, at::TensorList weights, at::TensorList biases);

/// Whether the arguments of a function on (x, weights, biases) want gradients.
struct FactorGradients {
    bool ofWeights = false, ofBiases = false;
    static FactorGradients wantedBy(const torch::autograd::AutogradContext& context, std::size_t weights, std::size_t biases);
};

/// What backward of such a function, with one more argument, gives back for each of its arguments: {dx, dW, db} of the factors
/// behind each other; `rows` of each weight.
std::vector<at::Tensor> partsOfGradients(const std::vector<at::Tensor>& made, const std::vector<std::int64_t>& rows,
                                         std::size_t biases);

}  // namespace heddle
