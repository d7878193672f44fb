// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace heddle {

/// Sums the gradients and losses of a step's micro-batches at addresses that stay, so that captured micro-batches add to them.
/// Without it autograd would add the parts of a gradient in an order that depends on how many micro-batches a process computes:
/// a parameter that is used several times (a tied table) gets several parts. One thread.
class GradientSum {
public:
    /// Keeps references to the parameters, and as much memory as they have.
    explicit GradientSum(std::vector<at::Tensor> parameters);

    /// Makes all sums 0, at the beginning of a step.
    void clear();
    /// Adds the parameters' gradients, which are those of one micro-batch, and the scalars (float32 [3]), then removes the
    /// gradients from the parameters. Returns, for each parameter, whether it had one.
    std::vector<bool> add(const at::Tensor& scalars_3);
    /// Notes which parameters had a gradient in a micro-batch of this step. `gradients` is what add() returned, for a replayed
    /// micro-batch when it was captured.
    void count(const std::vector<bool>& gradients);
    const std::vector<bool>& counted() const { return counted_; }  ///< which parameters have had a gradient in this step
    /// Makes the sums their gradients.
    void setGradients() const;
    const at::Tensor& scalars_3() const { return scalars_; }

    /// Σ of the squares of the parameters' present gradients, float32.
    at::Tensor squareOfGradients() const;

private:
    std::vector<at::Tensor> parameters_, sums_;
    at::Tensor scalars_;
    std::vector<bool> counted_;
};

}  // namespace heddle
