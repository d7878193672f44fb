// SPDX-License-Identifier: Apache-2.0
// Names that taps of more than one block have. What a tap shows, and its range, stands in its block's
// BlockDescriptor::exposures.
#pragma once

namespace heddle::tap {

inline constexpr const char* kScore = "score";  ///< before normalisation
inline constexpr const char* kDelta = "delta";  ///< what a unit adds to its input
inline constexpr const char* kGate = "gate";    ///< what something is multiplied with, elementwise
inline constexpr const char* kUpdateGate = "update_gate";
inline constexpr const char* kResetGate = "reset_gate";
inline constexpr const char* kInputGate = "input_gate";
inline constexpr const char* kUpdate = "update";  ///< the candidate state

}  // namespace heddle::tap
