// SPDX-License-Identifier: Apache-2.0
// Position-wise feed-forward network (Vaswani et al. 2017, eq. 2):
//   y = W₂ act(W₁x + b₁) + b₂    x, y [B,S,D]; W₁ [F,D], W₂ [D,F]; dropout after the activation
// With inner_norm a norm follows the activation, before dropout (engine/blocks/ffn/inner_norm.h).
#include "engine/blocks/ffn/inner_norm.h"
#ifdef HEDDLE_MODULES
#include "engine/kernels/product_epilogues.h"
#endif

namespace heddle {

namespace {

struct MlpOptions {
    Activation act{};
    bool bias = true;
    double innerDropout = 0;
    InnerNorm innerNorm{};
};

const OptionFields<MlpOptions>& mlpOptions() {
    static const auto kFields =
        OptionFields<MlpOptions>()
            .add(&MlpOptions::act,
                 fields::choice(
                     "act",
                     {Activation::Relu, Activation::Gelu, Activation::GeluTanh, Activation::Tanh, Activation::Relu2,
                      Activation::Silu},
                     "Activation function; gelu is exact (erf), gelu_tanh its tanh approximation, relu2 the square of ReLU."))
            .add(&MlpOptions::bias, fields::flag("bias", true, "Whether both maps have a bias."))
            .add(&MlpOptions::innerDropout,
                 fields::number("inner_dropout", 0.1, fields::kDropout, "Dropout probability after the activation."))
            .add(&MlpOptions::innerNorm, innerNormField());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeMlpFeedForward() {
    BlockDescriptor b;
    b.title = "Feed-forward network";
    b.summary =
        "Position-wise feed-forward network (Vaswani et al. 2017): two linear maps with an activation between them, the same "
        "at every position.";
    b.formulaOf = mlpOptions().reading([](const MlpOptions& o) -> std::string {
        const std::string hidden = activated(o.act, "W₁x" + partIf(o.bias, " + b₁"));
        return "y = W₂ " + innerNormed(o.innerNorm, hidden) + partIf(o.bias, " + b₂") + innerNormMeaning(o.innerNorm);
    });
    b.shapes = "x, y [B,S,D]; W₁ [F,D], W₂ [D,F]; γ, β [F]";
    b.reference =
        "Vaswani et al. 2017 (arXiv 1706.03762), eq. 2; So et al. 2021 (Primer, arXiv 2109.08668), section 4.1, for relu2; "
        "Shleifer et al. 2021 (NormFormer, arXiv 2110.09456) for inner_norm";
    b.parameters = mlpOptions().schema();
    b.parameterCount = mlpOptions().on([](const BlockContext& where, const MlpOptions& o) {
        const auto [d, f] = std::pair(where.dims.d, where.dims.f);
        return 2 * d * f + (o.bias ? f + d : 0) + innerNormCount(where, o.innerNorm);
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 4.0 * static_cast<double>(where.dims.d * where.dims.f);
    };
    return b;
}

#else

namespace {

class MlpFeedForward final : public FeedForward {
public:
    MlpFeedForward(const BuildContext& c, const MlpOptions& o)
        : stream_(c.scope.path() + ".inner"), act_(o.act), dropout_(o.innerDropout), norm_(c, o.innerNorm) {
        const WithBias bias{o.bias};
        in_ = declareLinear(c.scope / "in", c.where.dims.d, c.where.dims.f, bias);
        out_ = declareBranchEnd(c.scope / "out", c.where.dims.f, c.where.dims.d, bias);
    }

    BiasedProduct transform(const at::Tensor& x_BSD, const Forward& f) const override {
        const bool isOfFusedForm = act_ == Activation::Relu && !norm_.isThere();
        if (!isOfFusedForm || !f.training || dropout_ == 0 || f.path == Forward::Path::Reference)
            return out_.product(f.dropout(norm_(activated(act_, in_.product(x_BSD))), dropout_, stream_));
        return throughReluDropout(x_BSD, {{in_.weight, in_.bias}, {out_.weight, out_.bias}, f.key(stream_), dropout_});
    }

private:
    std::string stream_;
    Activation act_;
    double dropout_;
    InnerNormMap norm_;
    Linear in_, out_;
};

}  // namespace

std::unique_ptr<Block> makeMlpFeedForward(const BuildContext& context) {
    return std::make_unique<MlpFeedForward>(context, mlpOptions().read(context.params));
}

#endif

}  // namespace heddle
