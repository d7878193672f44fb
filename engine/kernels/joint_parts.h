// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

/// The parts of x [..., Σ widths] along the last axis, views of x; differentiable. Backward concatenates their gradients, or
/// finds them side by side already: where their producers wrote them into placeOfGradient(), or one producer laid all of them
/// out as the parts lie (shortAttention()).
std::vector<at::Tensor> jointParts(const at::Tensor& x, const std::vector<std::int64_t>& widths);

/// For the backward function of an autograd function: uninitialised memory for the gradient of input number `input` of the
/// function (among its tensors), which has the sizes and the type of `like`: a part of the gradient of the whole, whose rows
/// are apart in memory. Undefined where the input is none of jointParts(), or where the part has another gradient in this
/// backward pass, too. Who gets a place fills it and returns it as the gradient.
at::Tensor placeOfGradient(std::size_t input, const at::Tensor& like);

/// Likewise for the gradients of several inputs at once, which are all the parts of one x: the gradient of x.
at::Tensor wholeOfGradients(const std::vector<std::size_t>& inputs, const at::TensorOptions& options);

}  // namespace heddle
