// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle {

/// The class names (RunData::classes) of task span: what a run may say. Runs that began before there were such names cut the
/// contexts at white space and have none; their weights mean other positions.
inline constexpr const char* kAnswerKind = "answer";
inline constexpr const char* kNoAnswerKind = "no answer";

}  // namespace heddle
