// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

struct ChildResult {
    int code = 0;           ///< exit code, or 128 + signal
    std::string out, last;  ///< standard output; the last line of standard error
};

struct ChildOptions {
    std::vector<std::pair<std::string, std::string>> environment = {};  ///< set besides ours
    std::optional<std::chrono::milliseconds> patience = {};             ///< it is killed after that; absent: never
};

/// Runs a program (found by PATH) to its end. Throws Error(Usage) when it cannot be started.
ChildResult runChild(std::vector<std::string> arguments, const ChildOptions& options = {});

}  // namespace heddle::app
