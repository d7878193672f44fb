// SPDX-License-Identifier: Apache-2.0
// Norm of the heads' outputs (differential attention, Ye et al. 2025, eq. 4; NormFormer, Shleifer et al. 2021, section 2,
// scales heads):
//   y_g = c γ ⊙ x_g / √(mean(x_g²) + ε)
// x, y [B,S,H·E] the merged heads, x_g those of a group of `heads` heads; γ [heads·E], 1 at the start, the same for all groups;
// c = 1, or with scale differential 1 − λ₀ of the layer (engine/blocks/normaliser/differential.h).
#include "engine/blocks/adjuster/before_projection.h"
#include "engine/blocks/normaliser/differential.h"

namespace heddle {

enum class HeadNormScale { One, Differential };
template <>
struct ChoiceWords<HeadNormScale> {
    static constexpr ChoiceWord<HeadNormScale> kAll[] = {{"one", HeadNormScale::One},
                                                         {"differential", HeadNormScale::Differential}};
};

namespace {

struct HeadNormOptions {
    std::int64_t heads = 1;
    double eps = 0;
    HeadNormScale scale{};
};

const OptionFields<HeadNormOptions>& headNormOptions() {
    static const auto kFields =
        OptionFields<HeadNormOptions>()
            .add(&HeadNormOptions::heads,
                 fields::integer("heads", 1, {1, 1024}, "Number of neighbouring heads that are normalised together."))
            .add(&HeadNormOptions::eps, fields::number("eps", 1e-5, {1e-15, 1}, "ε, added to the mean square."))
            .add(&HeadNormOptions::scale,
                 fields::choice<HeadNormScale>(
                     "scale", "Factor c: 1, or 1 − λ₀ of differential attention, which depends on the layer."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeHeadNormAdjuster() {
    BlockDescriptor b;
    b.title = "Norm of the heads' outputs";
    b.summary =
        "Head norm (differential attention, Ye et al. 2025): RMSNorm of the values that each head, or each group of heads, has "
        "mixed, before the output projection.";
    b.formulaOf = headNormOptions().reading([](const HeadNormOptions& o) -> std::string {
        return "y_g = " + partIf(o.scale == HeadNormScale::Differential, "(0.2 + 0.6 exp(−0.3 l)) ") +
               "γ ⊙ x_g / √(mean(x_g²) + ε)";
    });
    b.shapes = "x, y [B,S,H·E]; x_g a group of heads; γ as wide as a group; l the layer, from 0";
    b.reference = "Ye et al. 2025 (Differential Transformer, arXiv 2410.05258), eq. 4";
    b.parameters = headNormOptions().schema();
    b.parameterCount =
        headNormOptions().on([](const BlockContext& where, const HeadNormOptions& o) { return o.heads * where.dims.valueDim; });
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    b.check = headNormOptions().on([](const BlockContext& where, const HeadNormOptions& o) -> std::optional<Problem> {
        if (auto problem = needsProjection(where, "norm")) return problem;
        if (where.dims.heads % o.heads == 0) return std::nullopt;
        return Problem{"heads", std::to_string(o.heads) + " heads do not divide " + std::to_string(where.dims.heads) + " heads",
                       "choose a number that divides dims.heads"};
    });
    placeBeforeProjection(b);
    return b;
}

#else

namespace {

class HeadNormAdjuster final : public Adjuster {
public:
    HeadNormAdjuster(const BuildContext& c, const HeadNormOptions& o)
        : width_(o.heads * c.where.dims.valueDim),
          eps_(o.eps),
          scale_(o.scale == HeadNormScale::One ? 1 : 1 - differentialStart(c.where.layer)),
          weight_(c.scope.declare("weight", {width_}, {Initial::Kind::Ones})) {}

    Place place() const override { return Place::BeforeOutputProjection; }

    at::Tensor adjust(const at::Tensor& x_BSD, const at::Tensor&, const Forward&) const override {
        const at::Tensor groups = x_BSD.unflatten(-1, {-1, width_});
        const at::Tensor normed = weight_ * groups * (groups.square().mean(-1, true) + eps_).rsqrt();
        return (scale_ == 1 ? normed : normed * scale_).flatten(-2);
    }

private:
    std::int64_t width_;  // of a group
    double eps_, scale_;
    at::Tensor weight_;
};

}  // namespace

std::unique_ptr<Block> makeHeadNormAdjuster(const BuildContext& context) {
    return std::make_unique<HeadNormAdjuster>(context, headNormOptions().read(context.params));
}

#endif

}  // namespace heddle
