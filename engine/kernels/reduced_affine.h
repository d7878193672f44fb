// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/column_sums.h"
#include "engine/kernels/product_epilogues.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace torch::autograd {
struct AutogradContext;
}

namespace heddle {

/// affine() in a scope of reduced copies (engine/kernels/reduced.h): the bfloat16 product of the copies of x and of the
/// weights. x gets its gradient through its copy. Gradients of float32 weights [O,I] and biases [O] are float32: on CUDA
/// directly from the product, elsewhere rounded to bfloat16 once.
at::Tensor reducedAffine(const at::Tensor& x, at::TensorList weights, at::TensorList biases);
/// One such product for each weight and bias. The biases get no gradient. One backward function makes the gradient of x: each
/// product adds to that of the products before.
std::vector<at::Tensor> reducedProducts(const at::Tensor& x, at::TensorList weights, at::TensorList biases);

/// Whether the open ReducedScope computes products of this x.
bool isReducedProduct(const at::Tensor& x, const at::Tensor& weight);

/// Which arguments of a function on (x, weights, biases) need gradients.
struct FactorGradients {
    bool ofWeights = false, ofBiases = false;
    static FactorGradients wantedBy(const torch::autograd::AutogradContext& context, std::size_t weights, std::size_t biases);
};

/// x16 Wᵀ + b [..., O] of bfloat16 factors; b undefined: none.
at::Tensor productOfReduced(const at::Tensor& x16, const at::Tensor& weight16_OI, const at::Tensor& bias16_O);

/// dyᵀ x in float32, of bfloat16 operands.
at::Tensor weightGradient(const at::Tensor& dy_NO, const at::Tensor& x_NI);

/// What is wanted of that and of the sums of dy over its rows, which are the gradients of these inputs; as columnSumsFor(), an
/// undefined tensor where they are added up later.
ParameterGradients parameterGradients(const at::Tensor& dy_NO, const at::Tensor& x_NI, const FactorGradients& wanted,
                                      const std::vector<SummedInput>& biases);

/// Splits {dx, dW, db} of concatenated factors into the results of backward, one per argument and one for a further argument;
/// `rows`: of each weight.
std::vector<at::Tensor> partsOfGradients(const std::vector<at::Tensor>& made, const std::vector<std::int64_t>& rows,
                                         std::size_t biases);

}  // namespace heddle
