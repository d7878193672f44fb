// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/dataset.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace heddle {

/// A batch on the device. B rows, S/T widths, N target positions that are not padding: only those reach the head and the loss.
struct DeviceBatch {
    at::Tensor source_BS, targetIn_BT;  ///< int64 ids, kPad at the ends
    at::Tensor positions_N;             ///< into the flattened [B·T], ascending
    at::Tensor targets_N;               ///< ids to be predicted there
};

/// Copies to the device; a CUDA copy goes through pinned memory and does not wait. The positions are found on the host, so that
/// their number is known without asking the device.
DeviceBatch toDevice(const Batch& batch, const at::Device& device);

/// Ids [rows, width] on the device, from row-major host values.
at::Tensor idsToDevice(const std::vector<std::int64_t>& ids, at::IntArrayRef sizes, const at::Device& device);

}  // namespace heddle
