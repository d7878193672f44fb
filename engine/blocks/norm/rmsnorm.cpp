// SPDX-License-Identifier: Apache-2.0
// Root-mean-square normalisation (Zhang and Sennrich 2019, eq. 4): y = γ ⊙ x / √(mean(x²) + ε) over the last axis.
// x, y [B,S,D]; γ [D], 1 at the start, or without gain: γ = 1; with place sandwich or both one γ for each of the two norms.
#include "engine/blocks/norm/norm_options.h"

namespace heddle {

namespace {

struct RmsNormOptions {
    NormPlace place{};
    double eps = 0;
    bool gain = true;
};

const OptionFields<RmsNormOptions>& rmsNormOptions() {
    static const auto kFields =
        OptionFields<RmsNormOptions>()
            .add(&RmsNormOptions::place, normPlaceField())
            .add(&RmsNormOptions::eps, fields::number("eps", 1e-6, {1e-15, 1}, "ε, added to the mean square."))
            .add(&RmsNormOptions::gain, fields::flag("gain", true, "Whether there is a learned scale γ."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeRmsNorm() {
    BlockDescriptor b;
    b.title = "Root-mean-square normalisation";
    b.summary =
        "RMSNorm (Zhang and Sennrich 2019): divides every vector by the root mean square of its components, then applies a "
        "learned scale.";
    b.formulaOf = rmsNormOptions().reading(
        [](const RmsNormOptions& o) { return "y = " + partIf(o.gain, "γ ⊙ ") + "x / √(mean(x²) + ε)"; });
    b.shapes = "x, y [B,S,D]; γ [D]";
    b.reference = "Zhang and Sennrich 2019 (arXiv 1910.07467), eq. 4";
    b.parameters = rmsNormOptions().schema();
    b.parameterCount = rmsNormOptions().on([](const BlockContext& where, const RmsNormOptions& o) {
        return !o.gain ? 0 : where.dims.d * (hasSecondNorm(where, o.place) ? 2 : 1);
    });
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

class RmsNorm final : public Norm {
public:
    RmsNorm(const BuildContext& c, const RmsNormOptions& o) : place_(o.place), eps_(o.eps) {
        if (!o.gain) return;
        weight_D_ = declareGain(c.scope, c);
        output_D_ = hasSecondNorm(c.where, o.place) ? declareGain(c.scope / "output", c) : weight_D_;
    }

    Place place() const override { return place_; }
    at::Tensor normalise(const at::Tensor& x_BSD) const override { return scaled(x_BSD, weight_D_); }
    at::Tensor normaliseAgain(const at::Tensor& s_BSD) const override { return scaled(s_BSD, output_D_); }

private:
    static at::Tensor declareGain(const ParameterScope& scope, const BuildContext& c) {
        return scope.declare("weight", {c.where.dims.d}, {Initial::Kind::Ones});
    }

    at::Tensor scaled(const at::Tensor& x_BSD, const at::Tensor& weight_D) const {
        const at::Tensor scale_BS1 = (x_BSD.square().mean(-1, true) + eps_).rsqrt();
        return (weight_D.defined() ? weight_D * x_BSD : x_BSD) * scale_BS1;
    }

    Place place_;
    double eps_;
    at::Tensor weight_D_, output_D_;  // undefined: no gain
};

}  // namespace

std::unique_ptr<Block> makeRmsNorm(const BuildContext& context) {
    return std::make_unique<RmsNorm>(context, rmsNormOptions().read(context.params));
}

#endif

}  // namespace heddle
