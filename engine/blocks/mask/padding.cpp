// SPDX-License-Identifier: Apache-2.0
// Hides the keys that are padding. See engine/blocks/mask/key_mask.h.
#include "engine/blocks/mask/key_mask.h"

namespace heddle {

namespace {

constexpr MaskForm kPaddingForm{.padding = true};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describePaddingMask() {
    BlockDescriptor b = describeMask(kPaddingForm);
    b.title = "Padding mask";
    b.summary = "Padding mask (Vaswani et al. 2017): hides the keys that are padding.";
    b.formula = "visible(q, k) = k is a token";
    b.shapes = "visible [B,1,1,K]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762), section 3.1";
    return b;
}

#else

std::unique_ptr<Block> makePaddingMask(const BuildContext&) { return makeMask(kPaddingForm); }

#endif

}  // namespace heddle
