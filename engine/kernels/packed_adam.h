// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_arguments.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace heddle {

/// A parameter in an update of many: float32, contiguous, all of one size.
struct PackedOperand {
    at::Tensor value, gradient, mean, square;
    at::Tensor reduced;      ///< its bfloat16 copy, written beside it; undefined: it has none
    std::int64_t group = 0;  ///< whose learning rate it has
};

/// The table of the operands as a device reads it: PackedParameter and PackedPart, one behind the other.
struct PackedTable {
    explicit PackedTable(const std::vector<PackedOperand>& operands);
    /// Its parts, where a copy of `bytes` lies at `at`.
    cuda::PackedParameters at(const void* at) const;

    std::vector<std::byte> bytes;
    std::int64_t parameterCount = 0, partCount = 0;
};

/// Clipping and Adam or AdamW over all parameters of a model in three kernels, whose arithmetic is that of PyTorch's fused
/// ones. An update waits for nothing and can be recorded.
class PackedAdam {
public:
    struct Settings {
        double beta1, beta2, epsilon, weightDecay, clip;
        bool decouples;  ///< the weight decay from the gradient: AdamW
    };
    explicit PackedAdam(const Settings& settings) : settings_(settings) {}

    /// Whether their device has the kernels and these take all operands.
    static bool takes(const std::vector<PackedOperand>& operands);

    /// Float32 on the device: the groups' rates, a scalar, and the scalar counter of updates, which is counted up.
    struct Inputs {
        const at::Tensor &learningRates_G, &objective, &step;
    };
    struct Made {
        at::Tensor norm, notFinite, norms;   ///< float32: of all gradients, 0 or 1, of each gradient
        std::shared_ptr<const void> memory;  ///< what a captured update reads: as long as that may be replayed
    };
    Made update(const std::vector<PackedOperand>& operands, const Inputs& in);

private:
    std::shared_ptr<const void> onDevice(const PackedTable& table, const at::Device& device);

    Settings settings_;
    std::vector<std::byte> sent_;  // the table that the device has, outside of recordings
    at::Tensor there_;
};

}  // namespace heddle
