// SPDX-License-Identifier: Apache-2.0
#include "engine/model/attention.h"

#include "engine/blocks/sublayer_exposures.h"
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"

namespace heddle {

AttentionMask maskFromHidden(const at::Tensor& hidden, at::ScalarType type) {
    return {hidden, at::zeros(hidden.sizes(), hidden.options().dtype(type)).masked_fill_(hidden, kHiddenScore)};
}

AttentionMask paddingMask(const at::Tensor& ids_BK, at::ScalarType type) {
    return maskFromHidden(ids_BK.eq(kPad).unsqueeze(1).unsqueeze(1), type);
}

AttentionMask causalMask(std::int64_t length, const at::TensorOptions& options) {
    const at::Tensor position_S = at::arange(length, options.dtype(at::kLong));
    return maskFromHidden(position_S.unsqueeze(0) > position_S.unsqueeze(1), c10::typeMetaToScalarType(options.dtype()));
}

struct Attention::Inputs {
    const at::Tensor& query_BQD;
    const at::Tensor& keys_BKD;
    const AttentionMask& mask;
};

Attention::Attention(std::string path, Keys keys, std::unique_ptr<Scorer> scorer, std::unique_ptr<Value> value,
                     std::shared_ptr<const Dropout> dropout)
    : path_(std::move(path)), keys_(keys), scorer_(std::move(scorer)), value_(std::move(value)), dropout_(std::move(dropout)) {}

at::Tensor Attention::mix(const at::Tensor& u_BSD, const Adjuster* inner, const MixContext& context, const Forward& f) const {
    const Inputs in =
        keys_ == Keys::Self ? Inputs{u_BSD, u_BSD, context.self} : Inputs{u_BSD, context.memory_BKD, context.cross};
    if (mustUseReference(f)) return mixByReference(in, inner, f);
    const at::Tensor fused = mixFused(in, inner, f);
    if (!fused.defined()) return mixByReference(in, inner, f);
    if (f.wants(path_, kAttentionWeight) || scorer_->isWatched(f)) {
        const at::NoGradGuard forTheTapsAlone;
        weights(in, f);
    }
    return fused;
}

bool Attention::mustUseReference(const Forward& f) const {
    return f.path == Forward::Path::Reference || dropout_->dropsAttention(f) || f.replaces(path_, kAttentionWeight) ||
           scorer_->isReplaced(f);
}

at::Tensor Attention::weights(const Inputs& in, const Forward& f) const {
    at::Tensor scores_BHQK = scorer_->score(in.query_BQD, in.keys_BKD, f);
    if (in.mask.hidden.defined()) scores_BHQK = scores_BHQK.masked_fill(in.mask.hidden, kHiddenScore);
    return f.pass(path_, kAttentionWeight, at::softmax(scores_BHQK, -1));
}

at::Tensor Attention::mixByReference(const Inputs& in, const Adjuster* inner, const Forward& f) const {
    return value_->aggregate(dropout_->attention(weights(in, f), f), in.keys_BKD, inner, f);
}

/// Undefined where scorer or value is not of the form that the fused operator computes.
at::Tensor Attention::mixFused(const Inputs& in, const Adjuster* inner, const Forward& f) const {
    const at::Tensor v_BHKE = value_->heads(in.keys_BKD);
    if (!v_BHKE.defined()) return {};
    const auto product = scorer_->product(in.query_BQD, in.keys_BKD);
    if (!product) return {};
    std::optional<at::Tensor> bias;
    if (in.mask.bias.defined()) bias = in.mask.bias;
    const at::Tensor mixed_BHQE =
        at::scaled_dot_product_attention(product->q_BHQE, product->k_BHKE, v_BHKE, bias, 0.0, false, product->scale);
    return value_->merge(mixed_BHQE, inner, f);
}

}  // namespace heddle
