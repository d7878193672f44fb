// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"
#include "engine/model/model.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace heddle {

/// A batch on the device. B rows, S/T widths, N labels; tensors that a task does not use are undefined.
struct DeviceBatch {
    at::Tensor source_BS, types_BS, targetIn_BT;  ///< int64 ids, right-padded with kPad; token types
    at::Tensor patches_BSP;                       ///< float32, P numbers per patch
    at::Tensor positions_N;                       ///< into the flattened [B·T], or [B·S] without a decoder; ascending
    at::Tensor targets_N;                         ///< target ids or classes
    at::Tensor numbers_B;                         ///< float32
    Padding sourcePadding = Padding::Possible, targetPadding = Padding::Possible;
};

/// Whether kPad is among these ids.
Padding paddingAmong(const std::vector<std::int64_t>& ids);

/// Copies the batch to the device; CUDA copies use pinned memory and are asynchronous. The host knows the number of labels, so
/// no synchronisation is needed.
DeviceBatch toDevice(const Batch& batch, const at::Device& device);

/// Copies row-major ids to a tensor [rows, width] on the device.
at::Tensor idsToDevice(const std::vector<std::int64_t>& ids, at::IntArrayRef sizes, const at::Device& device);

}  // namespace heddle
