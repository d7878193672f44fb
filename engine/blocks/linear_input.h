// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"

#include <vector>

namespace heddle {

/// What several linear maps read, x [B,S,D]. Maps that are told beforehand are made together, by one product whose weights
/// stand below each other: one kernel instead of several, and the gradient of x comes as one sum. Values differ from those of
/// single products by rounding alone.
class LinearInput {
public:
    LinearInput(at::Tensor x_BSD) : x_BSD_(std::move(x_BSD)) {}  // NOLINT(google-explicit-constructor): a tensor is one
    /// Makes `maps`, which must outlive this.
    LinearInput(at::Tensor x_BSD, const std::vector<const Linear*>& maps);

    const at::Tensor& x() const { return x_BSD_; }
    /// What `map` makes of x.
    at::Tensor by(const Linear& map) const;

private:
    struct Made {
        const Linear* map;
        at::Tensor y_BSD;
    };
    at::Tensor x_BSD_;
    std::vector<Made> made_;
};

}  // namespace heddle
