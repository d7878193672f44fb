// SPDX-License-Identifier: Apache-2.0
// Layer normalisation (Ba et al. 2016): y = γ ⊙ (x − mean) / √(var + ε) + β over the last axis, biased variance.
// x, y [B,S,D]; γ, β [D], 1 and 0 at the start; with place sandwich or both one pair for each of the two norms.
#include "engine/blocks/norm/norm_options.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#endif

namespace heddle {

namespace {

struct LayerNormOptions {
    NormPlace place{};
    double eps = 0;
    bool bias = true;
};

const OptionFields<LayerNormOptions>& layerNormOptions() {
    static const auto kFields =
        OptionFields<LayerNormOptions>()
            .add(&LayerNormOptions::place, normPlaceField())
            .add(&LayerNormOptions::eps, fields::number("eps", 1e-5, {1e-15, 1}, "ε, added to the variance."))
            .add(&LayerNormOptions::bias, fields::flag("bias", true, "Whether there is a shift β."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeLayerNorm() {
    BlockDescriptor b;
    b.title = "Layer normalisation";
    b.summary =
        "Layer normalisation (Ba et al. 2016): normalises every vector to mean 0 and variance 1, then applies a learned scale "
        "and shift.";
    b.formulaOf = layerNormOptions().reading(
        [](const LayerNormOptions& o) { return "y = γ ⊙ (x − μ) / √(σ² + ε)" + partIf(o.bias, " + β"); });
    b.shapes = "x, y [B,S,D]; γ, β [D]";
    b.reference = "Ba et al. 2016 (arXiv 1607.06450)";
    b.parameters = layerNormOptions().schema();
    b.parameterCount = layerNormOptions().on([](const BlockContext& where, const LayerNormOptions& o) {
        return where.dims.d * (o.bias ? 2 : 1) * (hasSecondNorm(where, o.place) ? 2 : 1);
    });
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

class LayerNorm : public Norm {
public:
    LayerNorm(const BuildContext& c, const LayerNormOptions& o) : place_(o.place) {
        const WithBias bias{o.bias};
        norm_ = declareLayerNorm(c.scope, c.where.dims.d, o.eps, bias);
        output_ = hasSecondNorm(c.where, o.place) ? declareLayerNorm(c.scope / "output", c.where.dims.d, o.eps, bias) : norm_;
    }

    Place place() const override { return place_; }
    at::Tensor normalise(const at::Tensor& x_BSD) const override { return norm_(x_BSD); }
    at::Tensor normaliseAgain(const at::Tensor& s_BSD) const override { return output_(s_BSD); }

protected:
    const LayerNormMap& norm() const { return norm_; }

private:
    Place place_;
    LayerNormMap norm_, output_;
};

/// The fused paths need a shift.
class ShiftedLayerNorm final : public LayerNorm, public AffineLayerNorm {
public:
    using LayerNorm::LayerNorm;
    LayerNormParts parts() const override { return {norm().weight_D, norm().bias_D, norm().eps}; }
};

}  // namespace

std::unique_ptr<Block> makeLayerNorm(const BuildContext& context) {
    const LayerNormOptions o = layerNormOptions().read(context.params);
    if (o.bias) return std::make_unique<ShiftedLayerNorm>(context, o);
    return std::make_unique<LayerNorm>(context, o);
}

#endif

}  // namespace heddle
