// SPDX-License-Identifier: Apache-2.0
// Language-model head (Vaswani et al. 2017, section 3.4): z = W h + b    h [...,W]; W [V,W], V the target vocabulary; z [...,V]
// Tied: W is the target embedding table and is counted there.
#include "engine/blocks/head/output_head.h"
#ifdef HEDDLE_MODULES
#include "engine/kernels/affine.h"
#endif

namespace heddle {

namespace {

struct LmHeadOptions {
    bool bias = true, tied = false;
};

const OptionFields<LmHeadOptions>& lmHeadOptions() {
    static const auto kFields =
        OptionFields<LmHeadOptions>()
            .add(&LmHeadOptions::bias, fields::flag("bias", true, "Whether there is a bias for every word."))
            .add(&LmHeadOptions::tied,
                 fields::flag("tied", false,
                              "Whether W is the target embedding table (needs embed.source tied_out or tied_all)."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeLmHead() {
    BlockDescriptor b;
    b.title = "Language-model head";
    b.summary = "Language-model head (Vaswani et al. 2017): one logit per word of the target vocabulary at every position.";
    b.formulaOf = lmHeadOptions().reading([](const LmHeadOptions& o) -> std::string {
        return std::string(o.tied ? "z = E h" : "z = W h") + partIf(o.bias, " + b");
    });
    b.shapes = "h [B,S,W]; W [V,W], tied E [V,W]; z [B,S,V]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762), section 3.4";
    b.parameters = lmHeadOptions().schema();
    b.usesVocabulary = true;
    b.parameterCount = lmHeadOptions().on([](const BlockContext& where, const LmHeadOptions& o) {
        const std::int64_t v = where.dims.vocabTgt;
        return (o.tied ? 0 : streamWidth(where) * v) + (o.bias ? v : 0);
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(streamWidth(where) * where.dims.vocabTgt);
    };
    b.check = lmHeadOptions().on([](const BlockContext& where, const LmHeadOptions& o) -> std::optional<Problem> {
        if (!o.tied || streamWidth(where) == where.dims.d) return std::nullopt;
        return Problem{"tied", "the hidden state is wider than the embedding table", "set head.tied to false, or use head mlm"};
    });
    b.outputs = HeadOutputs::Words;
    return b;
}

#else

namespace {

class LmHead final : public Head {
public:
    LmHead(const BuildContext& c, const LmHeadOptions& o) : scaled_(c.where.dims) {
        const auto [d, v] = std::pair(streamWidth(c.where), c.where.dims.vocabTgt);
        linear_.weight = c.scope.factor(c.tied.defined() ? c.tied : c.scope.declare("weight", {v, d}));
        if (o.bias) linear_.bias = c.scope.factor(c.scope.declare("bias", {v}, {Initial::Kind::Default, 0, d}));
    }

    at::Tensor logits(const at::Tensor& hidden) const override {
        return paddedAffine(scaled_(hidden), linear_.weight, linear_.bias);
    }
    bool readsReduced() const override { return scaled_.isOne(); }

private:
    OutputFactor scaled_;
    Linear linear_;
};

}  // namespace

std::unique_ptr<Block> makeLmHead(const BuildContext& context) {
    return std::make_unique<LmHead>(context, lmHeadOptions().read(context.params));
}

#endif

}  // namespace heddle
