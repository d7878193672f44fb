// SPDX-License-Identifier: Apache-2.0
// The scaled dot product with rotary positions (Su et al. 2021, eq. 16 and 34): scorer "dot" with relative "rotary", whose file
// has the formula, under the name that it had before there was a slot for relative positions.
#include "engine/blocks/relative/relative.h"
#include "engine/blocks/scorer/projected_scorer.h"

namespace heddle {

namespace {

struct RotaryScorerOptions : BiasOptions, RotaryForm {};

const OptionFields<RotaryScorerOptions>& rotaryScorerOptions() {
    static const auto kFields =
        OptionFields<RotaryScorerOptions>().add(&RotaryScorerOptions::base, rotaryBaseField()).add(projectedScorerOptions());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeRotaryScorer() {
    BlockDescriptor b = describeProjectedScorer();
    b.title = "Rotary dot product";
    b.summary =
        "Rotary position embedding, RoPE (Su et al. 2021): scaled dot-product scores of queries and keys rotated by angles "
        "proportional to their positions.";
    b.formulaOf = rotaryScorerOptions().reading([](const RotaryScorerOptions& o) -> std::string {
        return o.bias ? "s_ij = R_i (W_q q_i + b_q) · R_j (W_k k_j + b_k) / √d_k"
                      : "s_ij = (R_i W_q q_i) · (R_j W_k k_j) / √d_k";
    });
    b.reference = "Su et al. 2021 (RoFormer, arXiv 2104.09864), eq. 16 and 34; use with position none";
    b.reading = "The same as scorer dot with relative rotary, which newer variants use.";
    b.parameters = rotaryScorerOptions().schema();
    b.check = rotaryScorerOptions().on([](const BlockContext& where, const RotaryScorerOptions& o) -> std::optional<Problem> {
        auto problem = needsPairs(where, o);
        if (problem)
            problem->next = where.sublayer == SublayerName::Cross ? "use scorer dot on cross-attention"
                                                                  : "choose an even key_dim, or scorer dot";
        return problem;
    });
    b.isPerHead = true;
    return b;
}

#else

std::unique_ptr<Block> makeRotaryScorer(const BuildContext& context) {
    const RotaryScorerOptions o = rotaryScorerOptions().read(context.params);
    return makePlacedScorer(context, o, makeRotary(context, o));
}

#endif

}  // namespace heddle
