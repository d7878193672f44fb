// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/sublayer.h"

#include <memory>
#include <vector>

namespace heddle {

/// The layers of an encoder or a decoder, with the norm after the last one if there is one.
class Stack {
public:
    using Layer = std::vector<Sublayer>;
    Stack(std::vector<Layer> layers, std::unique_ptr<Norm> finalNorm)
        : layers_(std::move(layers)), finalNorm_(std::move(finalNorm)) {}

    at::Tensor run(at::Tensor x_BSD, const MixContext& context, const Forward& f) const;

private:
    std::vector<Layer> layers_;
    std::unique_ptr<Norm> finalNorm_;  ///< null: none
};

}  // namespace heddle
