// SPDX-License-Identifier: Apache-2.0
// Talking heads (Shazeer et al. 2020, section 3): heads mix their logits before the softmax and their weights after it,
//   p = P_w softmax(P_l z)    z, p [B,H,Q,K]; P_l, P_w [H,H], over the heads
// A hidden key gets exactly 0 in every head. The mixed weights of a row need not sum to 1.
#include "engine/blocks/block_file.h"
#include "engine/spec/variant_spec.h"

namespace heddle {

enum class MixingStart { Drawn, Identity };
template <>
struct ChoiceWords<MixingStart> {
    static constexpr ChoiceWord<MixingStart> kAll[] = {{"drawn", MixingStart::Drawn}, {"identity", MixingStart::Identity}};
};

namespace {

struct TalkingHeadsOptions {
    MixingStart start{};
};

const OptionFields<TalkingHeadsOptions>& talkingHeadsOptions() {
    static const auto kFields = OptionFields<TalkingHeadsOptions>().add(
        &TalkingHeadsOptions::start,
        fields::choice<MixingStart>("start",
                                    "Initial mixing matrices: drawn as init says, or the identity (standard attention)."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeTalkingHeadsNormaliser() {
    BlockDescriptor b;
    b.title = "Talking heads";
    b.summary =
        "Talking-heads attention (Shazeer et al. 2020): mixes the heads by a learned linear map before the softmax and by "
        "another after it.";
    b.formula = "p = P_w softmax(P_l z)";
    b.shapes = "z, p [B,H,Q,K]; P_l, P_w [H,H]";
    b.reference = "Shazeer et al. 2020 (arXiv 2003.02436), section 3";
    b.parameters = talkingHeadsOptions().schema();
    b.parameterCount = [](const BlockContext& where, const Json&) { return 2 * where.dims.heads * where.dims.heads; };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 4.0 * static_cast<double>(where.dims.heads * where.dims.heads * where.sequenceLength());
    };
    b.exposures = {{kAttentionWeight, "attention weight, mixed over the heads: may be negative", Exposure::Quantity::Weight,
                    "BHQK", -1, 1, false, true, true}};
    b.mixesHeads = true;
    return b;
}

#else

namespace {

class TalkingHeadsNormaliser final : public Normaliser {
public:
    TalkingHeadsNormaliser(const BuildContext& c, const TalkingHeadsOptions& o)
        : logits_HH_(declareMixing(c, o, "logits")), weights_HH_(declareMixing(c, o, "weights")) {}

    at::Tensor normalise(const at::Tensor& logits_BHQK) const override {
        const at::Tensor isHidden_BHQK = logits_BHQK.le(kHiddenScore / 2);
        const at::Tensor mixed_BHQK = mixed(logits_BHQK.masked_fill(isHidden_BHQK, 0), logits_HH_);
        return mixed(at::softmax(mixed_BHQK.masked_fill(isHidden_BHQK, kHiddenScore), -1), weights_HH_);
    }

private:
    static at::Tensor declareMixing(const BuildContext& c, const TalkingHeadsOptions& o, const std::string& name) {
        Initial start;
        if (o.start == MixingStart::Identity) start = {Initial::Kind::Identity, 1};
        return (c.scope / name).declare("weight", {c.where.dims.heads, c.where.dims.heads}, start);
    }

    static at::Tensor mixed(const at::Tensor& x_BHQK, const at::Tensor& mixing_HH) {
        return at::linear(x_BHQK.movedim(1, -1), mixing_HH).movedim(-1, 1);
    }

    at::Tensor logits_HH_, weights_HH_;
};

}  // namespace

std::unique_ptr<Block> makeTalkingHeadsNormaliser(const BuildContext& context) {
    return std::make_unique<TalkingHeadsNormaliser>(context, talkingHeadsOptions().read(context.params));
}

#endif

}  // namespace heddle
