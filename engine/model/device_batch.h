// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/batch.h"
#include "engine/model/model.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace heddle {

/// A batch on the device: a tensor for each of HEDDLE_BATCH_COLUMNS, int64 or float32; undefined where the column is empty. B
/// rows, S/T widths, P numbers per patch, N labels.
struct DeviceBatch {
#define HEDDLE_DEVICE_COLUMN(member, tensor, Number, shape, padding) at::Tensor tensor;
    HEDDLE_BATCH_COLUMNS(HEDDLE_DEVICE_COLUMN)
#undef HEDDLE_DEVICE_COLUMN
    Padding sourcePadding = Padding::Possible, targetPadding = Padding::Possible;

    /// The tensor of the column with this BatchColumn::number.
    at::Tensor& column(std::size_t number);
    /// Returns the encoder's input: token ids with their types, or patches.
    ModelInput source() const;
    /// Returns the decoder's input.
    ModelInput target() const { return {targetIn_BT, {}, targetPadding, documents_BS, targetOrder_N}; }
};

/// Whether and where kPad is among the ids of so many rows.
Padding paddingAmong(const std::vector<std::int64_t>& ids, std::int64_t rows);

/// Copies the batch to the device; CUDA copies use pinned memory and are asynchronous. The host knows the number of labels, so
/// no synchronisation is needed.
DeviceBatch toDevice(const Batch& batch, const at::Device& device);

/// The batch as a training step on this device wants it: on CUDA with orders (withOrders()).
Batch orderedFor(const at::Device& device, Batch batch);

/// Copies row-major ids to a tensor [rows, width] on the device.
at::Tensor idsToDevice(const std::vector<std::int64_t>& ids, at::IntArrayRef sizes, const at::Device& device);

}  // namespace heddle
