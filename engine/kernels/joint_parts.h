// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

/// Splits x [..., Σ widths] along the last axis into views; differentiable. The backward pass concatenates the gradients of the
/// parts, unless they lie side by side already: their producers wrote them into placeOfGradient().
std::vector<at::Tensor> jointParts(const at::Tensor& x, const std::vector<std::int64_t>& widths);

/// Called by the backward function of an autograd function, for its tensor number `input`. Returns uninitialised memory for the
/// gradient of this input, with the sizes and the type of `like`: a part of the gradient of the whole, so its rows are not
/// adjacent. Returns undefined if the input is no part, or if the part already has a gradient in this backward pass. The caller
/// fills the memory and returns it as the gradient.
at::Tensor placeOfGradient(std::size_t input, const at::Tensor& like);

/// The same for an input that is splitHeads() of a part. The memory has the sizes [B,H,S,E] of `like`.
at::Tensor placeOfHeads(std::size_t input, const at::Tensor& like_BHSE);

/// Likewise for the gradients of several inputs at once, which are all the parts of one x: the gradient of x.
at::Tensor wholeOfGradients(const std::vector<std::size_t>& inputs, const at::TensorOptions& options);

}  // namespace heddle
