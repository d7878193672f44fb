// SPDX-License-Identifier: Apache-2.0
// The header of every block file. Block files are compiled twice: in heddle_core for the descriptor (describe…(), without
// torch), and with HEDDLE_MODULES in heddle_engine for the module (make…()). The block's options (options.h) come first,
// because both halves read them.
#pragma once

#include "engine/blocks/options.h"

#ifdef HEDDLE_MODULES
#include "engine/blocks/block.h"
#include "engine/device/torch_pch.h"
#endif

/// Tap names shared by several blocks. BlockDescriptor::exposures describes the values and ranges.
namespace heddle::tap {

inline constexpr const char* kScore = "score";  ///< before normalisation
inline constexpr const char* kDelta = "delta";  ///< the term that a unit adds to its input
inline constexpr const char* kGate = "gate";    ///< an elementwise factor
inline constexpr const char* kUpdateGate = "update_gate";
inline constexpr const char* kResetGate = "reset_gate";
inline constexpr const char* kInputGate = "input_gate";
inline constexpr const char* kUpdate = "update";  ///< the candidate state

}  // namespace heddle::tap
