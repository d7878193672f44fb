// SPDX-License-Identifier: Apache-2.0
#include "engine/device/torch_pch.h"
#include "engine/model/mixer.h"

namespace heddle {

const at::Tensor& AttentionMask::hidden() const {
    if (!hidden_) hidden_ = makeHidden();
    return *hidden_;
}

const at::Tensor& AttentionMask::bias() const {
    if (bias_) return *bias_;
    bias_ = at::Tensor();
    if (!hidden().defined()) return *bias_;
    // With kHiddenScore at every key, fused attention in bfloat16 gave infinite gradients (H100, LibTorch 2.11).
    const at::Tensor isEmpty = hidden().all(-1, /*keepdim=*/true);
    bias_ =
        at::zeros(hidden().sizes(), keys_.options()).masked_fill_(hidden().logical_and(isEmpty.logical_not()), kHiddenScore);
    return *bias_;
}

bool AttentionMask::isCausal() const {
    return hidesFuture_ && keys_.queries().first == 0 && !keys_.queries().onDevice_1.defined();
}

at::Tensor AttentionMask::makeHidden() const {
    const at::Tensor& padding_BK = keys_.padding();
    const std::int64_t keys = keys_.keys(), first = keys_.queries().first;
    const at::Tensor& onDevice_1 = keys_.queries().onDevice_1;
    at::Tensor hidden;
    if (hidesPadding_ && padding_BK.defined()) hidden = padding_BK.unsqueeze(1).unsqueeze(1);
    // The last query of a sequence has no future.
    if (!hidesFuture_ || (!onDevice_1.defined() && first + 1 >= keys)) return hidden;
    const at::Tensor position_K = at::arange(keys, keys_.options().dtype(at::kLong));
    const at::Tensor query_Q = onDevice_1.defined() ? onDevice_1 : position_K.narrow(0, first, keys - first);
    const at::Tensor future_QK = position_K.unsqueeze(0) > query_Q.unsqueeze(1);
    return hidden.defined() ? hidden.logical_or(future_QK) : future_QK;
}

const AttentionMask& KeyMasks::of(const Mask& choice) const {
    auto& made = made_[(choice.hidesPadding() ? 1U : 0U) + (choice.hidesFuture() ? 2U : 0U)];
    if (!made) made.emplace(*this, choice.hidesPadding(), choice.hidesFuture());
    return *made;
}

}  // namespace heddle
