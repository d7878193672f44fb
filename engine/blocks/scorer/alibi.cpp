// SPDX-License-Identifier: Apache-2.0
// The scaled dot product with linear biases (Press et al. 2022, section 3): scorer "dot" with relative "alibi", whose file has
// the formula, under the name that it had before there was a slot for relative positions.
#include "engine/blocks/relative/relative.h"
#include "engine/blocks/scorer/projected_scorer.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeAlibiScorer() {
    BlockDescriptor b = describeProjectedScorer();
    b.title = "Dot product with linear biases";
    b.summary =
        "ALiBi (Press et al. 2022): scaled dot-product scores minus a penalty proportional to the distance, with a fixed slope "
        "per head.";
    b.formulaOf = [product = biasFormula("s_ij = (W_q q_i + b_q) · (W_k k_j + b_k)", "s_ij = (W_q q_i) · (W_k k_j)")](
                      const Json& params) { return product(params) + " / √d_k − m_h |i − j|, " + alibiSlopes(); };
    b.reference = "Press et al. 2022 (ALiBi, arXiv 2108.12409), section 3; use with position none";
    b.reading = "The same as scorer dot with relative alibi, which newer variants use.";
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        auto problem = needsDistance(where);
        if (problem) problem->next = "use scorer dot on cross-attention";
        return problem;
    };
    return b;
}

#else

std::unique_ptr<Block> makeAlibiScorer(const BuildContext& context) {
    return makePlacedScorer(context, projectedScorerOptions().read(context.params), makeAlibi(context));
}

#endif

}  // namespace heddle
