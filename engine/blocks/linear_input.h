// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"

#include <vector>

namespace heddle {

/// The shared input x [B,S,D] of several projections. Projections named in the constructor are computed by one matrix product
/// over their concatenated weights: one kernel, and one sum for the gradient of x. Values equal those of single products up to
/// rounding.
class LinearInput {
public:
    LinearInput() = default;
    LinearInput(at::Tensor x_BSD) : x_BSD_(std::move(x_BSD)) {}  // NOLINT(google-explicit-constructor): a tensor is one
    /// Computes `maps`, which must outlive this; on the CPU without those that stay apart there (Linear::isApartOnCpu).
    LinearInput(at::Tensor x_BSD, const std::vector<const Linear*>& maps);

    const at::Tensor& x() const { return x_BSD_; }
    /// map(x).
    at::Tensor by(const Linear& map) const;

private:
    struct Made {
        const Linear* map;
        at::Tensor y_BSD;
    };
    at::Tensor x_BSD_;
    std::vector<Made> made_;
};

/// Returns a list of the weights, and one of the biases, of maps that one product computes. The parameter store keeps each list
/// contiguous. Maps that stay apart on the CPU come last. Returns nothing for fewer than two maps.
std::vector<std::vector<at::Tensor>> jointParameters(const std::vector<const Linear*>& maps);

}  // namespace heddle
