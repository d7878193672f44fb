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
    return hides_.future && hides_.window == 0 && (!hides_.padding || keys_.isPaddedAtEndOnly()) &&
           keys_.queries().first == 0 && !keys_.queries().onDevice_1.defined() && !keys_.documents().number_BS.defined();
}

at::Tensor AttentionMask::makeHidden() const {
    const at::Tensor& padding_BK = keys_.padding();
    const std::int64_t keys = keys_.keys(), first = keys_.queries().first;
    const at::Tensor& onDevice_1 = keys_.queries().onDevice_1;
    at::Tensor hidden;
    if (hides_.padding && padding_BK.defined()) hidden = padding_BK.unsqueeze(1).unsqueeze(1);
    const auto alsoHide = [&](const at::Tensor& more_QK) { hidden = hidden.defined() ? hidden.logical_or(more_QK) : more_QK; };
    const DocumentPlaces& documents = keys_.documents();
    if (documents.number_BS.defined())
        alsoHide((documents.number_BS.unsqueeze(1) != documents.number_BS.unsqueeze(2)).unsqueeze(1));
    // The last query of a sequence has no future.
    const bool hidesFuture = hides_.future && (onDevice_1.defined() || first + 1 < keys);
    if (!hidesFuture && hides_.window == 0) return hidden;
    const at::Tensor position_K = at::arange(keys, keys_.options().dtype(at::kLong));
    const at::Tensor query_Q = onDevice_1.defined() ? onDevice_1 : position_K.narrow(0, first, keys - first);
    if (hidesFuture) alsoHide(position_K.unsqueeze(0) > query_Q.unsqueeze(1));
    if (hides_.window > 0) {
        const at::Tensor isFar_QK = (position_K.unsqueeze(0) - query_Q.unsqueeze(1)).abs() >= hides_.window;
        const at::Tensor place_K = documents.place_BS.defined() ? documents.place_BS.unsqueeze(1).unsqueeze(1) : position_K;
        alsoHide(hides_.sinks > 0 ? isFar_QK.logical_and(place_K >= hides_.sinks) : isFar_QK);
    }
    return hidden;
}

DocumentPlaces placesIn(const at::Tensor& documents_BS) {
    if (!documents_BS.defined()) return {};
    // The position of a token is the number of those before it in its document.
    const at::Tensor isSame_BSS = documents_BS.unsqueeze(2).eq(documents_BS.unsqueeze(1));
    return {documents_BS, isSame_BSS.tril(-1).sum(-1)};
}

const AttentionMask& KeyMasks::of(const Mask& choice) const {
    // A window over the whole sequence hides nothing. Without it, the fused paths for masks without a window can be used.
    const std::int64_t window = choice.window() < keys_ ? choice.window() : 0;
    const AttentionMask::Hides hides{choice.hidesPadding(), choice.hidesFuture(), window, window > 0 ? choice.sinks() : 0};
    return made_.try_emplace(hides, *this, hides).first->second;
}

}  // namespace heddle
