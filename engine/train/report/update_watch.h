// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"
#include "engine/train/report/emitter.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Emits series "update_ratio" with a path at every `every`-th step: the L2 norm of the update, ‖θ_t − θ_{t−1}‖, divided by
/// that of the weights before it, of each matrix ("encoder.layers.0.self.scorer.q.weight"), module, layer and stack. Parameters
/// that are frozen have no part; what was all zeros has no ratio (NaN). A watched step takes the memory of the weights once
/// more.
class UpdateWatch {
public:
    /// Keeps references to the store's tensors; call after Model::to(device). `every`: 0 disables it.
    UpdateWatch(const ParameterStore& parameters, std::int64_t every);

    bool isDue(std::int64_t step) const { return every_ > 0 && step % every_ == 0; }
    /// Copies the weights before a step that is due.
    void begin();
    /// Stores the norms after that step on its device, without synchronisation.
    void end(std::int64_t step);
    /// Whether enough steps are stored for an emission.
    bool isFull() const { return taken_.size() >= kKept; }
    /// Emits the stored ratios. Waits for the device.
    void emit(Emitter& emitter);

private:
    static constexpr std::size_t kKept = 16;
    struct Taken {
        std::int64_t step;
        at::Tensor norms_2P;  // of the updates and of the weights before them
    };
    std::int64_t every_;
    std::vector<std::string> paths_;
    std::vector<bool> isMatrix_;
    std::vector<at::Tensor> parameters_, before_;
    std::vector<Taken> taken_;
};

}  // namespace heddle
