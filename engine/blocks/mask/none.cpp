// SPDX-License-Identifier: Apache-2.0
// Every query sees every key, padding too. See engine/blocks/key_mask.h.
#include "engine/blocks/key_mask.h"

namespace heddle {

namespace {

constexpr MaskForm kUnmasked{};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoMask() {
    BlockDescriptor b = describeMask(kUnmasked);
    b.title = "No mask";
    b.summary = "No mask: every query attends to every key, including padding.";
    b.formula = "visible(q, k) = true";
    b.shapes = "visible [B,H,Q,K]";
    b.reference = "Atinuke paper (Oketunji 2024), listing: no mask of any kind";
    return b;
}

#else

std::unique_ptr<Block> makeNoMask(const BuildContext&) { return makeMask(kUnmasked); }

#endif

}  // namespace heddle
