// SPDX-License-Identifier: Apache-2.0
// BERT's masked-language-model head (Devlin et al. 2019, appendix A.1; sizes: variants.md section 6):
//   z = E LN(act(W h + b)) + c    h [...,W]; W [D,W]; E [V,D], the embedding table if tied; c [V]; z [...,V]
// Without inner_bias neither the dense layer nor the layer normalisation has a shift (ModernBERT, Warner et al. 2024).
#include "engine/blocks/head/output_head.h"
#ifdef HEDDLE_MODULES
#include "engine/kernels/affine.h"
#endif

namespace heddle {

namespace {

struct MlmHeadOptions {
    Activation act{};
    double eps = 0;
    bool bias = true, tied = false, innerBias = true;
};

const OptionFields<MlmHeadOptions>& mlmHeadOptions() {
    static const auto kFields =
        OptionFields<MlmHeadOptions>()
            .add(&MlmHeadOptions::act,
                 fields::choice("act", {Activation::Gelu, Activation::GeluTanh, Activation::Relu, Activation::Tanh},
                                "Activation of the dense layer."))
            .add(&MlmHeadOptions::eps,
                 fields::number("eps", 1e-5, {1e-15, 1}, "ε, added to the variance in the layer normalisation."))
            .add(&MlmHeadOptions::bias, fields::flag("bias", true, "Whether there is a bias for every word."))
            .add(&MlmHeadOptions::tied,
                 fields::flag("tied", false, "Whether E is the embedding table (needs embed.source tied_out or tied_all)."))
            .add(&MlmHeadOptions::innerBias,
                 fields::flag("inner_bias", true, "Whether the dense layer and the layer normalisation have a shift."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeMlmHead() {
    BlockDescriptor b;
    b.title = "Masked-language-model head";
    b.summary =
        "Masked-language-model head (BERT, Devlin et al. 2019): a dense layer with activation and layer normalisation, then "
        "one logit per word.";
    b.formulaOf = mlmHeadOptions().reading([](const MlmHeadOptions& o) -> std::string {
        return "z = E LN(" + activated(o.act, "W h" + partIf(o.innerBias, " + b")) + ")" + partIf(o.bias, " + c");
    });
    b.shapes = "h [B,S,W]; W [D,W]; E [V,D]; c [V]; z [B,S,V]";
    b.reference = "Devlin et al. 2019 (arXiv 1810.04805) (public code: transform, then the embedding table)";
    b.parameters = mlmHeadOptions().schema();
    b.usesVocabulary = true;
    b.parameterCount = mlmHeadOptions().on([](const BlockContext& where, const MlmHeadOptions& o) {
        const auto [d, v] = std::pair(where.dims.d, where.dims.vocabTgt);
        return d * streamWidth(where) + (o.innerBias ? 3 : 1) * d + (o.tied ? 0 : d * v) + (o.bias ? v : 0);
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(where.dims.d * (streamWidth(where) + where.dims.vocabTgt));
    };
    b.outputs = HeadOutputs::Words;
    return b;
}

#else

namespace {

class MlmHead final : public Head {
public:
    MlmHead(const BuildContext& c, const MlmHeadOptions& o) : act_(o.act), scaled_(c.where.dims) {
        const auto [d, v] = std::pair(c.where.dims.d, c.where.dims.vocabTgt);
        const WithBias inner{o.innerBias};
        dense_ = declareLinear(c.scope / "dense", streamWidth(c.where), d, inner);
        norm_ = declareLayerNorm(c.scope / "norm", d, o.eps, inner);
        words_.weight = c.scope.factor(c.tied.defined() ? c.tied : c.scope.declare("weight", {v, d}));
        if (o.bias) words_.bias = c.scope.factor(c.scope.declare("bias", {v}, {Initial::Kind::Default, 0, d}));
    }

    at::Tensor logits(const at::Tensor& hidden) const override {
        return paddedAffine(scaled_(norm_(activated(act_, dense_.product(hidden)))), words_.weight, words_.bias);
    }

private:
    Activation act_;
    OutputFactor scaled_;
    Linear dense_, words_;
    LayerNormMap norm_;
};

}  // namespace

std::unique_ptr<Block> makeMlmHead(const BuildContext& context) {
    return std::make_unique<MlmHead>(context, mlmHeadOptions().read(context.params));
}

#endif

}  // namespace heddle
