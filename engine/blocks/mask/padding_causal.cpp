// SPDX-License-Identifier: Apache-2.0
// Hides padding and the keys after the query. Hidden keys get the score kHiddenScore, last of all (variants.md section 0).
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describePaddingCausalMask() {
    BlockDescriptor b;
    b.title = "Padding and causal mask";
    b.summary = "Hides padding and the keys after the query.";
    b.formula = "visible(q, k) = k is a token, k ≤ q";
    b.shapes = "visible [B,1,S,S]";
    b.reference = "Vaswani et al. 2017, section 3.2.3";
    b.parameterCount = [](const BlockContext&, const Json&) { return 0; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.sublayer != "cross") return std::nullopt;
        return Problem{"", "keys of another sequence are neither before nor after a query", "use padding or none"};
    };
    return b;
}

#else

namespace {

class PaddingCausalMask final : public Mask {
public:
    bool hidesPadding() const override { return true; }
    bool hidesFuture() const override { return true; }
};

}  // namespace

std::unique_ptr<Block> makePaddingCausalMask(const BuildContext&) { return std::make_unique<PaddingCausalMask>(); }

#endif

}  // namespace heddle
