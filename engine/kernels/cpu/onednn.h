// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <utility>

/// oneDNN's float32 products on the CPU through operators that torch registers but does not declare in a header, on tensors in
/// oneDNN's layout. Not differentiable. oneDNN caches a primitive per shape, 0.2 MiB each.
namespace heddle::onednn {

/// Whether this torch has these operators.
bool isThere();

/// a [M,K] times the transpose of b [N,K], plus a bias [N] or none: [M,N]. Either operand may be a transposed view.
at::Tensor timesTransposed(const at::Tensor& a_MK, const at::Tensor& b_NK, const std::optional<at::Tensor>& bias_N);

/// The gradients of y = x Wᵀ + b: of the weight, dyᵀ x [O,I], and of the bias, the sum of dy's rows [O] (undefined when not
/// `withBias`). dy [N,O], x [N,I].
std::pair<at::Tensor, at::Tensor> parameterGradients(const at::Tensor& dy_NO, const at::Tensor& x_NI, bool withBias);

}  // namespace heddle::onednn
