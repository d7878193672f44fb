// SPDX-License-Identifier: Apache-2.0
#include "engine/model/attention_cache.h"

#include "engine/device/torch_pch.h"

namespace heddle {

void GrowingTensor::append(const at::Tensor& x_BHKE, const StepPosition& at) {
    if (at.onDevice_1.defined()) {
        buffer_BHCE_.index_copy_(2, at.onDevice_1, x_BHKE);
        used_ = fixedCapacity_;
        return;
    }
    const std::int64_t count = x_BHKE.size(2);
    if (!buffer_BHCE_.defined() && fixedCapacity_ == 0) {
        buffer_BHCE_ = x_BHKE.contiguous();
    } else {
        std::vector<std::int64_t> sizes = x_BHKE.sizes().vec();
        if (!buffer_BHCE_.defined()) {
            sizes[2] = fixedCapacity_;
            buffer_BHCE_ = x_BHKE.new_zeros(sizes);
        } else if (used_ + count > buffer_BHCE_.size(2)) {
            sizes[2] = 2 * (used_ + count);
            const at::Tensor larger_BHCE = x_BHKE.new_empty(sizes);
            larger_BHCE.narrow(2, 0, used_).copy_(all());
            buffer_BHCE_ = larger_BHCE;
        }
        buffer_BHCE_.narrow(2, used_, count).copy_(x_BHKE);
    }
    used_ += count;
}

at::Tensor GrowingTensor::all() const { return buffer_BHCE_.narrow(2, 0, used_); }

void GrowingTensor::clear() {
    used_ = 0;
    if (buffer_BHCE_.defined()) buffer_BHCE_.zero_();  // hidden positions have weight 0, but 0 · NaN is NaN
}

void GrowingTensor::select(const at::Tensor& rows_B) {
    if (!buffer_BHCE_.defined()) return;
    const at::Tensor selected_BHCE = buffer_BHCE_.index_select(0, rows_B);
    if (fixedCapacity_ > 0)
        buffer_BHCE_.copy_(selected_BHCE);
    else
        buffer_BHCE_ = selected_BHCE;
}

CachedAttention& AttentionCache::next(CachedAttention::Of of) {
    if (next_ == all_.size()) {
        const GrowingTensor empty(of == CachedAttention::Of::Stream ? capacity_.stream : capacity_.memory);
        all_.push_back({of, empty, empty});
    }
    return all_[next_++];
}

void AttentionCache::select(CachedAttention::Of of, const at::Tensor& rows_B) {
    for (CachedAttention& one : all_) {
        if (one.of != of) continue;
        one.keys.select(rows_B);
        one.values.select(rows_B);
    }
}

void AttentionCache::clear() {
    for (CachedAttention& one : all_) {
        one.keys.clear();
        one.values.clear();
    }
}

}  // namespace heddle
