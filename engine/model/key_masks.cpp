// SPDX-License-Identifier: Apache-2.0
#include "engine/device/torch_pch.h"
#include "engine/model/mixer.h"

namespace heddle {

const AttentionMask& KeyMasks::of(const Mask& choice) const {
    auto& made = made_[(choice.hidesPadding() ? 1U : 0U) + (choice.hidesFuture() ? 2U : 0U)];
    if (!made) made = make(choice);
    return *made;
}

AttentionMask KeyMasks::make(const Mask& choice) const {
    at::Tensor hidden;
    if (choice.hidesPadding() && padding_BK_.defined()) hidden = padding_BK_.unsqueeze(1).unsqueeze(1);
    const bool isOnDevice = queries_.onDevice_1.defined();
    if (choice.hidesFuture() && (isOnDevice || queries_.first + 1 < keys_)) {  // the last query of a sequence has no future
        const at::Tensor position_K = at::arange(keys_, options_.dtype(at::kLong));
        const at::Tensor query_Q =
            isOnDevice ? queries_.onDevice_1 : position_K.narrow(0, queries_.first, keys_ - queries_.first);
        const at::Tensor future_QK = position_K.unsqueeze(0) > query_Q.unsqueeze(1);
        hidden = hidden.defined() ? hidden.logical_or(future_QK) : future_QK;
    }
    if (!hidden.defined()) return {};
    return {hidden, at::zeros(hidden.sizes(), options_).masked_fill_(hidden, kHiddenScore)};
}

}  // namespace heddle
