// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/device_batch.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

/// What is computed at once. A step of several micro-batches, or of several processes, is MicroBatch for each of them and then
/// Update, without a batch.
enum class StepPart { Whole, MicroBatch, Update };

/// Per-step values besides the batch.
struct StepNumbers {
    std::int64_t step = 0;
    double scale = 1;                  ///< factor of the loss: 1 / labels of the whole step
    std::vector<float> learningRates;  ///< one per group of the optimizer
    /// Sampled positions of a watched step in the flattened source and target; none: not watched.
    struct Sampled {
        std::vector<std::int64_t> source, target;
    };
    std::optional<Sampled> sampled = {};
    StepPart part = StepPart::Whole;
    std::int64_t microBatch = 0;  ///< its number in the step
    double share = 1;             ///< sentences of this micro-batch ÷ sentences of the step
};

/// Sizes of a step's inputs; steps of one shape do the same work at the same addresses.
struct StepShape {
    std::int64_t rows = 0, sourceWidth = 0, targetWidth = 0;
    std::array<std::int64_t, kBatchColumns> entries{};  ///< number of entries of each column of the batch
    Padding sourcePadding = Padding::Possible, targetPadding = Padding::Possible;
    std::int64_t rates = 0;
    StepPart part = StepPart::Whole;
    bool isWatched = false;
    std::int64_t sampledSource = 0, sampledTarget = 0;
    bool operator==(const StepShape&) const = default;
};
StepShape shapeOf(const Batch& batch, const StepNumbers& numbers);
/// The shape of the same step when not watched.
StepShape unwatched(const StepShape& shape);

/// All changing inputs of a step in one device buffer. set() fills it with one asynchronous copy; addresses are fixed, so that
/// a captured step reads the next step's values.
class StepInput {
public:
    /// Allocates the buffer for this shape.
    StepInput(const StepShape& shape, const at::Device& device);
    /// Fills the buffer. The batch must have the shape that was given to the constructor.
    void set(const Batch& batch, const StepNumbers& numbers);

    const DeviceBatch& batch() const { return batch_; }
    const at::Tensor& step() const { return step_; }          ///< int64 scalar on the device
    const at::Tensor& counters() const { return counters_; }  ///< step + 2³² · micro-batch (RandomKey), the same type
    const at::Tensor& scale() const { return scale_; }        ///< float64 scalar on the device
    const at::Tensor& share() const { return share_; }        ///< the same type
    const at::Tensor& learningRates_G() const { return learningRates_G_; }  ///< float32 on the device
    /// StepNumbers::sampled on the device, int64; undefined: not watched, or no such side.
    const at::Tensor& sampledSource() const { return sampledSource_; }
    const at::Tensor& sampledTarget() const { return sampledTarget_; }
    bool isWatched() const { return shape_.isWatched; }
    StepPart part() const { return shape_.part; }

private:
    at::Tensor nextSlice(at::ScalarType type, at::IntArrayRef sizes);

    StepShape shape_;
    at::Tensor bytes_;  // on the device
    std::int64_t taken_ = 0;
    DeviceBatch batch_;
    at::Tensor step_, counters_, scale_, share_, learningRates_G_, sampledSource_, sampledTarget_;
};

}  // namespace heddle
