// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/report/emitter.h"
#include "engine/train/step/optimizer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle {

/// Where gradients are large and where they vanish. At every `every`-th step it emits series "grad_norm" with a path: the L2
/// norm, before clipping, of the gradient of each module ("encoder.layers.0.self.scorer"), of each layer ("encoder.layers.0")
/// and of each stack ("encoder"); squares add up to the square of what encloses them. Parameters without a gradient in a step
/// count as zero.
class GradientWatch {
public:
    /// `every`: 0 watches nothing.
    explicit GradientWatch(std::int64_t every) : every_(every) {}

    bool isDue(std::int64_t step) const { return every_ > 0 && step % every_ == 0; }
    /// Keeps the norms of a step on its device: reads no value.
    void take(std::int64_t step, const AdamOptimizer::Update& update);
    /// Whether enough has been taken to be worth an emission.
    bool isFull() const { return taken_.size() >= kKept; }
    /// Emits what was taken. Waits for the device.
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
