// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// What a mask hides. Hidden keys get the score kHiddenScore after all other score terms (variants.md section 0).
struct MaskForm {
    bool padding = false;
    bool future = false;      ///< hides the keys after the query
    std::int64_t window = 0;  ///< hides the keys this many positions or more away from the query; 0: none
    std::int64_t sinks = 0;   ///< that many first keys are not hidden by the window
};

#ifdef HEDDLE_MODULES
std::unique_ptr<Block> makeMask(MaskForm form);
#else
/// The common part of the descriptors: count, check.
BlockDescriptor describeMask(MaskForm form);
#endif

}  // namespace heddle
