// SPDX-License-Identifier: Apache-2.0
// Hides the keys after the query; padding at the end of a sequence is after every token. Hidden keys get the score
// kHiddenScore, last of all (variants.md section 0).
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeCausalMask() {
    BlockDescriptor b;
    b.title = "Causal mask";
    b.summary = "Hides the keys after the query; padding at the end of a sequence is after every token.";
    b.formula = "visible(q, k) = k ≤ q";
    b.shapes = "visible [S,S]";
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

class CausalMask final : public Mask {
public:
    bool hidesPadding() const override { return false; }
    bool hidesFuture() const override { return true; }
};

}  // namespace

std::unique_ptr<Block> makeCausalMask(const BuildContext&) { return std::make_unique<CausalMask>(); }

#endif

}  // namespace heddle
