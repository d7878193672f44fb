// SPDX-License-Identifier: Apache-2.0
// Keel (Chen and Wei 2026): the residual connection between an inner norm of the sublayer's input and a post-norm,
//   y = α r + s    r, s, y [B,S,D]; with norm place both the sublayer gives h = N₂(α r + F(N₁(r)))
// α = L, the number of sublayers of the stack.
#include "engine/blocks/residual/weighed_stream.h"

namespace heddle {

namespace {

struct KeelOptions {
    std::optional<double> alpha;
};

const OptionFields<KeelOptions>& keelOptions() {
    static const auto kFields = OptionFields<KeelOptions>().add(
        &KeelOptions::alpha, fields::derivable(fields::number("alpha", nullptr, {1e-3, 1e5},
                                                              "α, the weight of the residual stream; null: the number of "
                                                              "sublayers of the stack.")));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeKeelResidual() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Keel";
    b.summary =
        "Keel (Chen and Wei 2026): weighs the residual stream by the number of sublayers before a post-norm, so that gradients "
        "reach the first layers of a deep stack; the sublayer's input has a norm of its own.";
    b.formula = "y = α r + s";
    b.shapes = "r, s, y [B,S,D]";
    b.reference = "Chen and Wei 2026 (arXiv 2601.19895)";
    b.reading =
        "Reading. The paper itself could not be opened here: the form is that of two public summaries and of a public "
        "implementation, which agree in h = N₂(α r + F(N₁(r))) and α = L. Whether the paper treats the first sublayer apart is "
        "not known; here it does not.";
    b.parameters = keelOptions().schema();
    b.fits = [](const Neighbours& beside, const Json&) -> std::optional<Problem> {
        if (beside.isPreNorm && beside.isPostNorm) return std::nullopt;
        return Problem{"", "Keel needs a norm of the sublayer's input and one after the residual connection",
                       "set norm.place to both, or residual to add"};
    };
    return b;
}

#else

std::unique_ptr<Block> makeKeelResidual(const BuildContext& context) {
    const auto sublayers = static_cast<double>(context.where.sublayers * context.where.passes);
    return std::make_unique<WeighedStreamResidual>(keelOptions().read(context.params).alpha.value_or(sublayers));
}

#endif

}  // namespace heddle
