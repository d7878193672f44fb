// SPDX-License-Identifier: Apache-2.0
// Tap names shared by several blocks. BlockDescriptor::exposures describes the values and ranges.
#pragma once

namespace heddle::tap {

inline constexpr const char* kScore = "score";  ///< before normalisation
inline constexpr const char* kDelta = "delta";  ///< the term that a unit adds to its input
inline constexpr const char* kGate = "gate";    ///< an elementwise factor
inline constexpr const char* kUpdateGate = "update_gate";
inline constexpr const char* kResetGate = "reset_gate";
inline constexpr const char* kInputGate = "input_gate";
inline constexpr const char* kUpdate = "update";  ///< the candidate state

}  // namespace heddle::tap
