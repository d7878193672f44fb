// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace heddle {

/// Values of one step computed on the device.
struct StepValues {
    float objective = 0;     ///< mean over the step's target tokens
    float nll = 0;           ///< Σ -log p over the step's target tokens, nats
    float correct = 0;       ///< target tokens predicted right
    float gradientNorm = 0;  ///< before clipping
    float notFinite = 0;     ///< 1: the update was not made
};

/// A ring buffer on the device that steps write and the host drains, so that steps never synchronise.
class StepRing {
public:
    explicit StepRing(const at::Device& device);

    static constexpr std::int64_t kCapacity = 64;  ///< steps between two drains at most
    /// Appends the five scalars of a step, in the order of StepValues, on the device.
    void write(const std::vector<at::Tensor>& scalars);
    /// Tells the host that a step was written: a replayed graph writes without calling write().
    void count();
    std::int64_t size() const { return pending_; }
    /// The values since the last drain, oldest first. Waits for the device.
    std::vector<StepValues> drain();

private:
    bool writeInOneKernel(const std::vector<at::Tensor>& scalars);

    at::Tensor values_;         // [kCapacity, 5]
    at::Tensor cursor_;         // int64 [1], on the device: a captured step advances it itself
    std::int64_t pending_ = 0;  // steps counted since the last drain
};

}  // namespace heddle
