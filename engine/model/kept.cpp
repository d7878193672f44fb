// SPDX-License-Identifier: Apache-2.0
#include "engine/model/kept.h"

#include "engine/device/torch_pch.h"

namespace heddle {

void GrowingTensor::append(const at::Tensor& x_BHKE) {
    const std::int64_t count = x_BHKE.size(2);
    if (!room_BHCE_.defined()) {
        room_BHCE_ = x_BHKE.contiguous();
    } else {
        if (used_ + count > room_BHCE_.size(2)) {
            std::vector<std::int64_t> sizes = x_BHKE.sizes().vec();
            sizes[2] = 2 * (used_ + count);
            const at::Tensor larger_BHCE = x_BHKE.new_empty(sizes);
            larger_BHCE.narrow(2, 0, used_).copy_(all());
            room_BHCE_ = larger_BHCE;
        }
        room_BHCE_.narrow(2, used_, count).copy_(x_BHKE);
    }
    used_ += count;
}

at::Tensor GrowingTensor::all() const { return room_BHCE_.narrow(2, 0, used_); }

void GrowingTensor::select(const at::Tensor& rows_B) {
    if (room_BHCE_.defined()) room_BHCE_ = room_BHCE_.index_select(0, rows_B);
}

KeptAttention& KeptAttentions::next(KeptAttention::Of of) {
    if (next_ == all_.size()) all_.emplace_back().of = of;
    return all_[next_++];
}

void KeptAttentions::select(KeptAttention::Of of, const at::Tensor& rows_B) {
    for (KeptAttention& one : all_) {
        if (one.of != of) continue;
        one.keys.select(rows_B);
        one.values.select(rows_B);
    }
}

}  // namespace heddle
