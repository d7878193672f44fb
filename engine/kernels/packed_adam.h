// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_arguments.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace heddle {

/// A parameter of a packed update; all tensors are float32, contiguous and of one size.
struct PackedOperand {
    at::Tensor value, gradient, mean, square;
    at::Tensor reduced;      ///< its bfloat16 copy, also updated; undefined: none
    std::int64_t group = 0;  ///< index of its learning rate
};

/// The operands' table for the device: PackedParameter entries followed by PackedPart entries.
struct PackedTable {
    explicit PackedTable(const std::vector<PackedOperand>& operands);
    /// Pointers into a copy of `bytes` at `at`.
    cuda::PackedParameters at(const void* at) const;

    std::vector<std::byte> bytes;
    std::int64_t parameterCount = 0, partCount = 0;
};

/// Clipping and Adam or AdamW over all parameters of a model in three kernels, with the arithmetic of PyTorch's fused ones. An
/// update does not synchronise and can be captured.
class PackedAdam {
public:
    struct Settings {
        double beta1, beta2, epsilon, weightDecay, clip;
        bool decouples;  ///< decoupled weight decay (AdamW)
    };
    explicit PackedAdam(const Settings& settings) : settings_(settings) {}

    /// Whether the device has the kernels and they support all operands.
    static bool takes(const std::vector<PackedOperand>& operands);

    /// Float32 on the device: the groups' learning rates, the objective, and the counter of updates, which is incremented.
    struct Inputs {
        const at::Tensor &learningRates_G, &objective, &step;
    };
    struct Result {
        at::Tensor norm, notFinite, norms;   ///< float32: of all gradients, 0 or 1, of each gradient
        std::shared_ptr<const void> memory;  ///< memory read by a captured update; keep it while that may be replayed
    };
    Result update(const std::vector<PackedOperand>& operands, const Inputs& in);

private:
    std::shared_ptr<const void> onDevice(const PackedTable& table, const at::Device& device);

    Settings settings_;
    std::vector<std::byte> uploaded_;  // the table on the device, unless captured
    at::Tensor deviceTable_;
};

}  // namespace heddle
