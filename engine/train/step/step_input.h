// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/device_batch.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

/// Numbers that change from step to step, besides the batch.
struct StepNumbers {
    std::int64_t step = 0;
    double scale = 1;                  ///< of the loss: 1 / answers of the whole step
    std::vector<float> learningRates;  ///< one a group of the optimizer
    /// Positions of the batch that a watched step counts, into the flattened source and target; none: nobody watches the step.
    struct Sampled {
        std::vector<std::int64_t> source, target;
    };
    std::optional<Sampled> sampled = {};
};

/// Sizes of all that a step reads: steps of one shape do the same work at the same addresses.
using StepShape = std::array<std::int64_t, 16>;
StepShape shapeOf(const Batch& batch, const StepNumbers& numbers);
/// The shape of the same step where nobody watches it.
StepShape unwatched(const StepShape& shape);

/// All that a step reads and that changes from step to step, in one piece of the device's memory. set() brings it there in one
/// copy that nothing waits for; everything keeps its address, so that a recorded step finds the next step's values.
class StepInput {
public:
    /// Room for batches and numbers of this shape.
    StepInput(const StepShape& shape, const at::Device& device);
    /// Of the shape that this was made for.
    void set(const Batch& batch, const StepNumbers& numbers);

    const DeviceBatch& batch() const { return batch_; }
    const at::Tensor& step() const { return step_; }                        ///< int64 scalar on the device
    const at::Tensor& scale() const { return scale_; }                      ///< float64 scalar on the device
    const at::Tensor& learningRates_G() const { return learningRates_G_; }  ///< float32 on the device
    /// StepNumbers::sampled on the device, int64; undefined where nobody watches, or where there is no such side.
    const at::Tensor& sampledSource() const { return sampledSource_; }
    const at::Tensor& sampledTarget() const { return sampledTarget_; }
    bool isWatched() const;

private:
    at::Tensor take(at::ScalarType type, at::IntArrayRef sizes);

    StepShape shape_;
    at::Tensor bytes_;  // on the device
    std::int64_t taken_ = 0;
    DeviceBatch batch_;
    at::Tensor step_, scale_, learningRates_G_, sampledSource_, sampledTarget_;
};

}  // namespace heddle
