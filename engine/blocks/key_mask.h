// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// The masks differ in what they hide. Hidden keys get the score kHiddenScore, last of all (variants.md section 0).
struct MaskForm {
    bool padding = false;
    bool future = false;  ///< keys after the query
};

#ifdef HEDDLE_MODULES
std::unique_ptr<Block> makeMask(MaskForm form);
#else
/// What all masks have in common: count, check.
BlockDescriptor describeMask(MaskForm form);
#endif

}  // namespace heddle
