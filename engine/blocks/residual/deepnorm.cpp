// SPDX-License-Identifier: Apache-2.0
// DeepNorm (Wang et al. 2022, figure 2): the residual connection before a post-norm,
//   y = α r + s    r, s, y [B,S,D]; the norm slot then gives LN(α r + s)
// and initial matrices of the values, the output projection and the feed-forward network times β. With N encoder and M decoder
// layers
//   one stack of N layers: α = (2N)^¼, β = (8N)^−¼
//   encoder of a pair: α = 0.81 (N⁴M)^(1/16), β = 0.87 (N⁴M)^(−1/16)      decoder of a pair: α = (3M)^¼, β = (12M)^−¼
#include "engine/blocks/residual/weighed_stream.h"

#include <cmath>

namespace heddle {

namespace {

struct DeepNormOptions {
    std::optional<double> alpha, beta;
};

const OptionFields<DeepNormOptions>& deepNormOptions() {
    static const auto kFields =
        OptionFields<DeepNormOptions>()
            .add(&DeepNormOptions::alpha,
                 fields::derivable(fields::number("alpha", nullptr, {1e-3, 1e3},
                                                  "α, the weight of the residual stream; null: by the numbers of layers.")))
            .add(&DeepNormOptions::beta,
                 fields::derivable(fields::number("beta", nullptr, {1e-3, 1e3},
                                                  "β, the factor of the initial matrices of values, output projection and "
                                                  "feed-forward network; null: by the numbers of layers.")));
    return kFields;
}

struct DeepNormScales {
    double alpha = 1, beta = 1;
};

/// The table of figure 2.
DeepNormScales scalesOf(const BlockContext& where) {
    const bool isDecoder = where.stack == StackName::Decoder;
    const auto n = static_cast<double>(where.dims.layersEnc), m = static_cast<double>(where.dims.layersDec);
    if (where.topology != Topology::EncoderDecoder) {
        const double layers = isDecoder ? m : n;
        return {std::pow(2 * layers, 0.25), std::pow(8 * layers, -0.25)};
    }
    if (isDecoder) return {std::pow(3 * m, 0.25), std::pow(12 * m, -0.25)};
    const double both = std::pow(std::pow(n, 4) * m, 1.0 / 16);
    return {0.81 * both, 0.87 / both};
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeDeepNormResidual() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "DeepNorm";
    b.summary =
        "DeepNorm (Wang et al. 2022): weighs the residual stream by α before the post-norm and starts the sublayer's values, "
        "output projection and feed-forward network from matrices times β, both by the numbers of layers.";
    b.formula = "y = α r + s";
    b.shapes = "r, s, y [B,S,D]";
    b.reference = "Wang et al. 2022 (DeepNet, arXiv 2203.00555), figure 2";
    b.reading =
        "Reading. Figure 2 draws from a normal distribution (Xavier normal with gain β); here β is a factor of whatever the "
        "slot init draws. Queries and keys start as without DeepNorm, and so do the other slots.";
    b.parameters = deepNormOptions().schema();
    b.branchGain = deepNormOptions().on(
        [](const BlockContext& where, const DeepNormOptions& o) { return o.beta.value_or(scalesOf(where).beta); });
    b.fits = [](const Neighbours& beside, const Json&) -> std::optional<Problem> {
        if (!beside.isPreNorm || beside.isPostNorm) return std::nullopt;
        return Problem{
            "",
            "DeepNorm is a residual connection before a post-norm; in pre-norm the stream would grow by α in every sublayer",
            "set norm.place to post, or residual to add"};
    };
    return b;
}

#else

std::unique_ptr<Block> makeDeepNormResidual(const BuildContext& context) {
    const DeepNormOptions options = deepNormOptions().read(context.params);
    return std::make_unique<WeighedStreamResidual>(options.alpha.value_or(scalesOf(context.where).alpha));
}

#endif

}  // namespace heddle
