// SPDX-License-Identifier: Apache-2.0
// Gated feed-forward network (Shazeer 2020, eq. 5 and 6; sigmoid: Dauphin et al. 2017):
//   y = W₂(act(W₁x + b₁) ⊙ (W₃x + b₃)) + b₂    x, y [B,S,D]; W₁, W₃ [F,D], W₂ [D,F]; dropout before W₂
// With 2/3 of the width f it has as many weights as the plain network. With gain the product is multiplied by m
// [F], 1 at the start; with inner_norm a norm follows (engine/blocks/ffn/inner_norm.h).
#include "engine/blocks/ffn/inner_norm.h"

namespace heddle {

namespace {

struct GluOptions {
    Activation act{};
    bool bias = true, gain = false;
    double innerDropout = 0;
    InnerNorm innerNorm{};
};

const OptionFields<GluOptions>& gluOptions() {
    static const auto kFields =
        OptionFields<GluOptions>()
            .add(&GluOptions::act,
                 fields::choice("act",
                                {Activation::Sigmoid, Activation::Gelu, Activation::GeluTanh, Activation::Silu,
                                 Activation::Relu, Activation::Tanh, Activation::None, Activation::Relu2},
                                "Activation of the gate: sigmoid (GLU), gelu or gelu_tanh (GEGLU), silu "
                                "(SwiGLU), relu (ReGLU), tanh, none (bilinear), or relu2, the square of ReLU."))
            .add(&GluOptions::bias, fields::flag("bias", true, "Whether the maps have a bias."))
            .add(&GluOptions::innerDropout,
                 fields::number("inner_dropout", 0.1, fields::kDropout, "Dropout probability before the last map."))
            .add(&GluOptions::innerNorm, innerNormField())
            .add(&GluOptions::gain,
                 fields::flag("gain", false, "Whether the product is multiplied by a learned vector, which starts at 1."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeGluFeedForward() {
    BlockDescriptor b;
    b.title = "Gated feed-forward network";
    b.summary =
        "Gated linear unit (GLU variants, Shazeer 2020): a feed-forward network whose hidden layer is the product of an "
        "activated and a linear map of the input.";
    b.formulaOf = gluOptions().reading([](const GluOptions& o) -> std::string {
        const std::string gate = activated(o.act, "W₁x" + partIf(o.bias, " + b₁"));
        const std::string hidden = partIf(o.gain, "m ⊙ ") + gate + " ⊙ (W₃x" + partIf(o.bias, " + b₃") + ")";
        const bool isNormed = o.innerNorm != InnerNorm::None;
        return "y = W₂" + (isNormed ? " " + innerNormed(o.innerNorm, hidden) : "(" + hidden + ")") + partIf(o.bias, " + b₂") +
               innerNormMeaning(o.innerNorm);
    });
    b.shapes = "x, y [B,S,D]; W₁, W₃ [F,D], W₂ [D,F]; m, γ, β [F]";
    b.reference =
        "Shazeer 2020 (arXiv 2002.05202), eq. 5 and 6; Dauphin et al. 2017 (arXiv 1612.08083); Shleifer et al. 2021 "
        "(NormFormer, arXiv 2110.09456) for inner_norm; gain is ff_glu_mult_bias of x-transformers";
    b.parameters = gluOptions().schema();
    b.parameterCount = gluOptions().on([](const BlockContext& where, const GluOptions& o) {
        const auto [d, f] = std::pair(where.dims.d, where.dims.f);
        return 3 * d * f + (o.bias ? 2 * f + d : 0) + (o.gain ? f : 0) + innerNormCount(where, o.innerNorm);
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 6.0 * static_cast<double>(where.dims.d * where.dims.f);
    };
    b.exposures = {{tap::kGate, "feed-forward gate", Exposure::Quantity::Scalar, "BSF", -1, 4, true, false, true}};
    return b;
}

#else

namespace {

class GluFeedForward final : public FeedForward {
public:
    GluFeedForward(const BuildContext& c, const GluOptions& o)
        : path_(c.scope.path()), act_(o.act), dropout_(o.innerDropout), norm_(c, o.innerNorm) {
        const WithBias bias{o.bias};
        if (o.gain) gain_F_ = c.scope.declare("gain", {c.where.dims.f}, {Initial::Kind::Ones});
        gate_ = declareLinear(c.scope / "gate", c.where.dims.d, c.where.dims.f, bias);
        in_ = declareLinear(c.scope / "in", c.where.dims.d, c.where.dims.f, bias);
        out_ = declareBranchEnd(c.scope / "out", c.where.dims.f, c.where.dims.d, bias);
    }

    BiasedProduct transform(const at::Tensor& x_BSD, const Forward& f) const override {
        const at::Tensor gate_BSF = f.pass(path_, tap::kGate, activated(act_, gate_.product(x_BSD)));
        const at::Tensor product_BSF = gate_BSF * in_(x_BSD);
        const at::Tensor hidden_BSF = norm_(gain_F_.defined() ? product_BSF * gain_F_ : product_BSF);
        return out_.product(f.dropout(hidden_BSF, dropout_, path_ + ".inner"));
    }

private:
    std::string path_;
    Activation act_;
    double dropout_;
    InnerNormMap norm_;
    at::Tensor gain_F_;  ///< m; undefined: none
    Linear gate_, in_, out_;
};

}  // namespace

std::unique_ptr<Block> makeGluFeedForward(const BuildContext& context) {
    return std::make_unique<GluFeedForward>(context, gluOptions().read(context.params));
}

#endif

}  // namespace heddle
