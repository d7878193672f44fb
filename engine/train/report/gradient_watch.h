// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/report/emitter.h"
#include "engine/train/step/optimizer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle {

/// Emits series "grad_norm" with a path at every `every`-th step: the L2 norm, before clipping, of the gradient of each module
/// ("encoder.layers.0.self.scorer"), each layer ("encoder.layers.0") and each stack ("encoder"). The squares of parts sum to
/// the square of the whole. Parameters without a gradient in a step count as zero.
class GradientWatch {
public:
    /// `every`: 0 disables it.
    explicit GradientWatch(std::int64_t every) : every_(every) {}

    bool isDue(std::int64_t step) const { return every_ > 0 && step % every_ == 0; }
    /// Stores the norms of a step on its device, without synchronisation.
    void take(std::int64_t step, const Optimizer::Update& update);
    /// Whether enough steps are stored for an emission.
    bool isFull() const { return taken_.size() >= kKept; }
    /// Emits the stored norms. Waits for the device.
    void emit(Emitter& emitter);

private:
    static constexpr std::size_t kKept = 16;
    struct Taken {
        std::int64_t step;
        std::vector<std::string> paths;
        at::Tensor norms;  // [paths]
    };
    std::int64_t every_;
    std::vector<Taken> taken_;
};

}  // namespace heddle
