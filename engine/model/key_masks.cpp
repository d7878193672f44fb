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
    if (choice.hidesFuture()) {
        const at::Tensor position_S = at::arange(keys_, options_.dtype(at::kLong));
        const at::Tensor future_SS = position_S.unsqueeze(0) > position_S.unsqueeze(1);
        hidden = hidden.defined() ? hidden.logical_or(future_SS) : future_SS;
    }
    if (!hidden.defined()) return {};
    return {hidden, at::zeros(hidden.sizes(), options_).masked_fill_(hidden, kHiddenScore)};
}

}  // namespace heddle
