// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace heddle {

/// The kind of failure. The values are the CLI's exit codes (design section 8).
enum class ErrorCode {
    Failure = 1,
    Usage = 2,
    InvalidInput = 3,
    OutOfMemory = 4,
    Diverged = 5,
    Resumable = 75,  ///< another process was lost; the run is interrupted, and another attempt can go on (EX_TEMPFAIL)
};

/// The one error type of the engine and the session: what happened, where, and what to do next.
/// Thrown anywhere, caught only at the top of a thread, a command or a GUI action.
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, std::string what, std::string where, std::string next);

    ErrorCode code() const { return code_; }
    const std::string& problem() const { return problem_; }
    const std::string& where() const { return where_; }
    const std::string& next() const { return next_; }

private:
    ErrorCode code_;
    std::string problem_, where_, next_;
};

/// Throws Error(InvalidInput): a spec, file or database cannot be used (exit code 3).
[[noreturn]] void throwInvalid(std::string what, std::string where, std::string next);

/// Throws Error(Usage): options or a question cannot be used (exit code 2).
[[noreturn]] void throwUsage(std::string what, std::string where, std::string next);

}  // namespace heddle
