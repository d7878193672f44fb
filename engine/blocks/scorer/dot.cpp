// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product scores (Vaswani et al. 2017, eq. 1), several heads of free width:
//   s_h = (W_q q)_h · (W_k k)_h / c    shapes in engine/blocks/scorer/projected_scorer.h
// c = √E (sqrt_dk), √D (sqrt_d: the listing of the Atinuke paper) or 1. The mask is applied later, after all terms.
#include "engine/blocks/scorer/projected_scorer.h"

namespace heddle {

enum class DotScale { SqrtKeyDim, SqrtD, One };
template <>
struct ChoiceWords<DotScale> {
    static constexpr ChoiceWord<DotScale> kAll[] = {
        {"sqrt_dk", DotScale::SqrtKeyDim}, {"sqrt_d", DotScale::SqrtD}, {"one", DotScale::One}};
};

namespace {

struct DotOptions : BiasOptions {
    DotScale scale{};
};

const OptionFields<DotOptions>& dotOptions() {
    static const auto kFields =
        OptionFields<DotOptions>()
            .add(&DotOptions::scale, fields::choice<DotScale>("scale", "Divisor of the dot product: √d_k, √d or 1."))
            .add(projectedScorerOptions());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

namespace {

std::string divisor(DotScale scale) {
    switch (scale) {
    case DotScale::SqrtKeyDim: return " / √d_k";
    case DotScale::SqrtD: return " / √d";
    case DotScale::One: break;
    }
    return "";
}

}  // namespace

BlockDescriptor describeDotScorer() {
    BlockDescriptor b = describeProjectedScorer();
    b.title = "Scaled dot product";
    b.summary =
        "Scaled dot-product attention (Vaswani et al. 2017): the score is the dot product of the projected query and key in "
        "each head, divided by a scale.";
    b.formulaOf = dotOptions().reading([](const DotOptions& o) -> std::string {
        return (o.bias ? "s = (W_q q + b_q)(W_k k + b_k)ᵀ" : "s = (W_q q)(W_k k)ᵀ") + divisor(o.scale);
    });
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762), eq. 1";
    b.parameters = dotOptions().schema();
    b.isPerHead = b.takesRelative = true;
    return b;
}

#else

namespace {

double factorOf(DotScale scale, const Dims& dims) {
    switch (scale) {
    case DotScale::SqrtKeyDim: return scoreScale(dims);
    case DotScale::SqrtD: return 1 / std::sqrt(static_cast<double>(dims.base().d)) / dims.keyRatio();
    case DotScale::One: break;
    }
    return 1 / dims.keyRatio();
}

}  // namespace

std::unique_ptr<Block> makeDotScorer(const BuildContext& context) {
    const DotOptions o = dotOptions().read(context.params);
    return std::make_unique<ProjectedScorer>(context, o, factorOf(o.scale, context.where.dims));
}

#endif

}  // namespace heddle
