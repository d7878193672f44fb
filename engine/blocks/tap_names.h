// SPDX-License-Identifier: Apache-2.0
// Names that taps of more than one block have (BlockDescriptor::exposures): the same name is the same thing in every view.
#pragma once

namespace heddle::tap {

inline constexpr const char* kScore = "score";  ///< before normalisation
inline constexpr const char* kDelta = "delta";  ///< what a unit adds to its input
inline constexpr const char* kGate = "gate";    ///< in (0, 1), elementwise
inline constexpr const char* kUpdateGate = "update_gate";
inline constexpr const char* kResetGate = "reset_gate";
inline constexpr const char* kInputGate = "input_gate";
inline constexpr const char* kUpdate = "update";  ///< the candidate state

}  // namespace heddle::tap
