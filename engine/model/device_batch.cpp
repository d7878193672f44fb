// SPDX-License-Identifier: Apache-2.0
#include "engine/model/device_batch.h"

#include "engine/device/torch_pch.h"

#include <algorithm>
#include <type_traits>

namespace heddle {

namespace {

template <typename Number>
at::Tensor copied(const std::vector<Number>& values, at::IntArrayRef sizes, const at::Device& device) {
    const auto type = std::is_floating_point_v<Number> ? at::kFloat : at::kLong;
    const auto host = at::empty(sizes, at::TensorOptions(type).pinned_memory(device.is_cuda()));
    std::copy(values.begin(), values.end(), host.template mutable_data_ptr<Number>());
    return host.to(device, /*non_blocking=*/true);
}

/// [rows, width, …]; undefined when the batch has no such values.
template <typename Number>
at::Tensor copiedRows(const std::vector<Number>& values, std::int64_t rows, const at::Device& device) {
    if (values.empty()) return {};
    return copied(values, {rows, static_cast<std::int64_t>(values.size()) / rows}, device);
}

template <typename Number>
at::Tensor copiedList(const std::vector<Number>& values, const at::Device& device) {
    return values.empty() ? at::Tensor() : copied(values, {static_cast<std::int64_t>(values.size())}, device);
}

}  // namespace

Padding paddingAmong(const std::vector<std::int64_t>& ids) {
    return std::find(ids.begin(), ids.end(), kPad) == ids.end() ? Padding::None : Padding::Possible;
}

at::Tensor idsToDevice(const std::vector<std::int64_t>& ids, at::IntArrayRef sizes, const at::Device& device) {
    return copied(ids, sizes, device);
}

DeviceBatch toDevice(const Batch& batch, const at::Device& device) {
    DeviceBatch made{copiedRows(batch.source, batch.rows, device),
                     copiedRows(batch.types, batch.rows, device),
                     copiedRows(batch.targetIn, batch.rows, device),
                     copiedRows(batch.patches, batch.rows, device),
                     copiedList(batch.positions, device),
                     copiedList(batch.targets, device),
                     copiedList(batch.numbers, device),
                     paddingAmong(batch.source),
                     paddingAmong(batch.targetIn)};
    if (made.patches_BSP.defined()) made.patches_BSP = made.patches_BSP.view({batch.rows, batch.sourceWidth, -1});
    return made;
}

}  // namespace heddle
