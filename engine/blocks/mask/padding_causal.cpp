// SPDX-License-Identifier: Apache-2.0
// Hides padding and the keys after the query. See engine/blocks/mask/key_mask.h.
#include "engine/blocks/mask/key_mask.h"

namespace heddle {

namespace {

constexpr MaskForm kPaddingCausalForm{.padding = true, .future = true};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describePaddingCausalMask() {
    BlockDescriptor b = describeMask(kPaddingCausalForm);
    b.title = "Padding and causal mask";
    b.summary = "Padding and causal mask (Vaswani et al. 2017): hides the keys that are padding and every key after the query.";
    b.formula = "visible(q, k) = k is a token, k ≤ q";
    b.shapes = "visible [B,1,S,S]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762), section 3.2.3";
    return b;
}

#else

std::unique_ptr<Block> makePaddingCausalMask(const BuildContext&) { return makeMask(kPaddingCausalForm); }

#endif

}  // namespace heddle
