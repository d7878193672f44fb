// SPDX-License-Identifier: Apache-2.0
// Hides the keys after the query; padding at the end of a sequence is after every token. See engine/blocks/mask/key_mask.h.
#include "engine/blocks/mask/key_mask.h"

namespace heddle {

namespace {

constexpr MaskForm kCausalForm{.future = true};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeCausalMask() {
    BlockDescriptor b = describeMask(kCausalForm);
    b.title = "Causal mask";
    b.summary =
        "Causal mask (Vaswani et al. 2017): hides every key after the query; padding at the end of a sequence is hidden from "
        "every token, too.";
    b.formula = "visible(q, k) = k ≤ q";
    b.shapes = "visible [S,S]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762), section 3.2.3";
    return b;
}

#else

std::unique_ptr<Block> makeCausalMask(const BuildContext&) { return makeMask(kCausalForm); }

#endif

}  // namespace heddle
