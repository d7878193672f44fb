// SPDX-License-Identifier: Apache-2.0
// Layer normalisation (Ba et al. 2016): y = γ ⊙ (x − mean) / √(var + ε) + β over the last axis, biased variance.
// x, y [B,S,D]; γ, β [D], 1 and 0 at the start.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#endif

namespace heddle {

namespace {

struct LayerNormOptions {
    NormPlace place{};
    double eps = 0;
};

const OptionFields<LayerNormOptions>& layerNormOptions() {
    static const auto kFields =
        OptionFields<LayerNormOptions>()
            .add(&LayerNormOptions::place,
                 fields::choice<NormPlace>("place",
                                           "Post-norm (after the residual connection) or pre-norm (before the sublayer)."))
            .add(&LayerNormOptions::eps, fields::number("eps", 1e-5, {1e-15, 1}, "ε, added to the variance."));
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
    b.formula = "y = γ ⊙ (x − μ) / √(σ² + ε) + β";
    b.shapes = "x, y [B,S,D]; γ, β [D]";
    b.reference = "Ba et al. 2016 (arXiv 1607.06450)";
    b.parameters = layerNormOptions().schema();
    b.parameterCount = [](const BlockContext& where, const Json&) { return 2 * where.dims.d; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

class LayerNorm final : public Norm, public AffineLayerNorm {
public:
    LayerNorm(const BuildContext& c, const LayerNormOptions& o)
        : place_(o.place), norm_(declareLayerNorm(c.scope, c.where.dims.d, o.eps)) {}

    Place place() const override { return place_; }

    at::Tensor normalise(const at::Tensor& x_BSD) const override { return norm_(x_BSD); }
    LayerNormParts parts() const override { return {norm_.weight_D, norm_.bias_D, norm_.eps}; }

private:
    Place place_;
    LayerNormMap norm_;
};

}  // namespace

std::unique_ptr<Block> makeLayerNorm(const BuildContext& context) {
    return std::make_unique<LayerNorm>(context, layerNormOptions().read(context.params));
}

#endif

}  // namespace heddle
