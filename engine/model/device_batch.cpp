// SPDX-License-Identifier: Apache-2.0
#include "engine/model/device_batch.h"

#include "engine/device/torch_pch.h"

#include <algorithm>
#include <array>
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

}  // namespace

Padding paddingAmong(const std::vector<std::int64_t>& ids) {
    return std::find(ids.begin(), ids.end(), kPad) == ids.end() ? Padding::None : Padding::Possible;
}

at::Tensor idsToDevice(const std::vector<std::int64_t>& ids, at::IntArrayRef sizes, const at::Device& device) {
    return copied(ids, sizes, device);
}

at::Tensor& DeviceBatch::column(std::size_t number) {
#define HEDDLE_TENSOR_OF_COLUMN(member, tensor, Number, shape, padding) &DeviceBatch::tensor,
    static constexpr std::array kTensors{HEDDLE_BATCH_COLUMNS(HEDDLE_TENSOR_OF_COLUMN)};
#undef HEDDLE_TENSOR_OF_COLUMN
    return this->*kTensors.at(number);
}

ModelInput DeviceBatch::source() const {
    ModelInput input{patches_BSP.defined() ? patches_BSP : source_BS, types_BS, sourcePadding};
    if (!targetIn_BT.defined()) input.documents_BS = documents_BS;
    return input;
}

DeviceBatch toDevice(const Batch& batch, const at::Device& device) {
    DeviceBatch made;
    forEachBatchColumn([&](const auto& column) {
        const auto& values = batch.*column.values;
        if (values.empty()) return;
        const auto count = static_cast<std::int64_t>(values.size());
        made.column(column.number) = copied(values, columnSizes(column.shape, count, batch.rows, batch.sourceWidth), device);
    });
    made.sourcePadding = paddingAmong(batch.source);
    made.targetPadding = paddingAmong(batch.targetIn);
    return made;
}

}  // namespace heddle
