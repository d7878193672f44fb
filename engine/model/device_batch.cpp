// SPDX-License-Identifier: Apache-2.0
#include "engine/model/device_batch.h"

#include "engine/device/pinned_memory.h"
#include "engine/device/torch_pch.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace heddle {

namespace {

template <typename Number>
at::Tensor copied(const std::vector<Number>& values, at::IntArrayRef sizes, const at::Device& device) {
    const auto type = std::is_floating_point_v<Number> ? at::kFloat : at::kLong;
    const auto host = device.is_cuda() ? pinnedTensor(sizes, type) : at::empty(sizes, at::TensorOptions(type));
    std::copy(values.begin(), values.end(), host.template mutable_data_ptr<Number>());
    return host.to(device, /*non_blocking=*/true);
}

}  // namespace

Padding paddingAmong(const std::vector<std::int64_t>& ids, std::int64_t rows) {
    Padding found = Padding::None;
    if (ids.empty()) return found;
    const std::int64_t width = std::ssize(ids) / rows;
    for (auto row = ids.begin(); row != ids.end(); row += width) {
        const auto end = row + width, first = std::find(row, end, kPad);
        if (first == end) continue;
        found = Padding::Possible;
        if (std::any_of(first, end, [](std::int64_t id) { return id != kPad; })) return Padding::Anywhere;
    }
    return found;
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
    if (!patches_BSP.defined()) input.order_N = sourceOrder_N;
    return input;
}

Batch orderedFor(const at::Device& device, Batch batch) { return device.is_cuda() ? withOrders(std::move(batch)) : batch; }

DeviceBatch toDevice(const Batch& batch, const at::Device& device) {
    DeviceBatch made;
    forEachBatchColumn([&](const auto& column) {
        const auto& values = batch.*column.values;
        if (values.empty()) return;
        const auto count = static_cast<std::int64_t>(values.size());
        made.column(column.number) = copied(values, columnSizes(column.shape, count, batch.rows, batch.sourceWidth), device);
    });
    made.sourcePadding = paddingAmong(batch.source, batch.rows);
    made.targetPadding = paddingAmong(batch.targetIn, batch.rows);
    return made;
}

}  // namespace heddle
