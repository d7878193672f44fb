// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"
#include "engine/model/model.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace heddle {

/// A batch on the device. B rows, S/T widths, N answers; what a task does not use is undefined.
struct DeviceBatch {
    at::Tensor source_BS, types_BS, targetIn_BT;  ///< int64 ids, kPad at the ends; token types
    at::Tensor patches_BSP;                       ///< float32, P numbers a patch
    at::Tensor positions_N;                       ///< into the flattened [B·T], or [B·S] without a decoder; ascending
    at::Tensor targets_N;                         ///< ids or classes that are wanted
    at::Tensor numbers_B;                         ///< float32
    Padding sourcePadding = Padding::Possible, targetPadding = Padding::Possible;
};

/// What the host knows of these ids: whether kPad is among them.
Padding paddingAmong(const std::vector<std::int64_t>& ids);

/// Copies to the device; a CUDA copy goes through pinned memory and does not wait. The number of answers is known on the host,
/// so that nothing asks the device for it.
DeviceBatch toDevice(const Batch& batch, const at::Device& device);

/// Ids [rows, width] on the device, from row-major host values.
at::Tensor idsToDevice(const std::vector<std::int64_t>& ids, at::IntArrayRef sizes, const at::Device& device);

}  // namespace heddle
