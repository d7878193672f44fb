// SPDX-License-Identifier: Apache-2.0
#include "engine/train/device_batch.h"

#include "engine/device/torch_pch.h"
#include "engine/model/model.h"

namespace heddle {

at::Tensor idsToDevice(const std::vector<std::int64_t>& ids, at::IntArrayRef sizes, const at::Device& device) {
    const auto host = at::empty(sizes, at::TensorOptions(at::kLong).pinned_memory(device.is_cuda()));
    std::copy(ids.begin(), ids.end(), host.mutable_data_ptr<std::int64_t>());
    return host.to(device, /*non_blocking=*/true);
}

DeviceBatch toDevice(const Batch& batch, const at::Device& device) {
    std::vector<std::int64_t> positions, targets;
    positions.reserve(static_cast<std::size_t>(batch.targetTokens));
    targets.reserve(static_cast<std::size_t>(batch.targetTokens));
    for (std::size_t i = 0; i < batch.targetOut.size(); ++i) {
        if (batch.targetOut[i] == kPad) continue;
        positions.push_back(static_cast<std::int64_t>(i));
        targets.push_back(batch.targetOut[i]);
    }
    const auto count = static_cast<std::int64_t>(targets.size());
    return {idsToDevice(batch.source, {batch.rows, batch.sourceWidth}, device),
            idsToDevice(batch.targetIn, {batch.rows, batch.targetWidth}, device), idsToDevice(positions, {count}, device),
            idsToDevice(targets, {count}, device)};
}

}  // namespace heddle
