// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/sublayer.h"

#include <memory>
#include <vector>

namespace heddle {

/// One layer's sublayers.
using Layer = std::vector<Sublayer>;

/// x with its positions; on the device only where the position is a IncrementalPosition.
at::Tensor withPosition(const Position& position, const at::Tensor& x_BSD, const StepPosition& at);

/// The parts of an encoder or a decoder.
struct StackParts {
    ModulePart<Start> start;
    ModulePart<Share> share;
    std::vector<Layer> layers;           ///< one where the layers share their weights
    std::int64_t depth = 0;              ///< how many layers a pass goes through
    ModulePart<Norm> finalNorm;          ///< null: none
    const Position* position = nullptr;  ///< added before every layer; null: it entered with the input
};

/// An encoder or a decoder: h⁰, the layers in turn, the norm after the last one.
class Stack {
public:
    Stack() = default;
    explicit Stack(StackParts parts) : parts_(std::move(parts)) {}

    at::Tensor run(const at::Tensor& x_BSD, const MixContext& context, const Forward& f) const;
    /// The layers from any h⁰ on; `context.input_BSD` is then the caller's.
    at::Tensor runFrom(const at::Tensor& start_BSD, const MixContext& context, const Forward& f) const;
    /// Why the stack cannot go on from where it stopped (MixContext::cache) in such steps, with the path; empty: it can.
    std::string stepObstacle(const std::string& name, Steps steps) const;
    /// Why a device cannot capture a pass and replay it, with the path; empty: it can.
    std::string captureObstacle(const std::string& name) const;

private:
    StackParts parts_;
};

}  // namespace heddle
