// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle {

/// What to do after an error that only a bug in Heddle can cause.
inline constexpr const char* kReportBug = "this is a bug in Heddle: please report it with this message and the command";

/// Throws Error(Failure) with the condition, `file` (from the folder of the sources) and line, and kReportBug.
[[noreturn]] void throwFailedCheck(const char* condition, const char* file, int line);

}  // namespace heddle

/// Checks, in every build, a condition that only a bug in Heddle can break. Evaluates it once; throws Error(Failure) if it is
/// false, so that a run fails, or a command ends with status 1, before memory is misused or a wrong number is recorded.
#define HEDDLE_CHECK(condition) \
    ((condition) ? static_cast<void>(0) : ::heddle::throwFailedCheck(#condition, __FILE__, __LINE__))
