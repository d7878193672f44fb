// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

struct ChildResult {
    int code = 0;           ///< exit code, or 128 + signal
    std::string out, last;  ///< standard output; the last line of standard error
};

/// Runs a program (found by PATH) to its end, with these environment variables besides ours. Throws Error(Usage) when it cannot
/// be started.
ChildResult runChild(std::vector<std::string> arguments,
                     const std::vector<std::pair<std::string, std::string>>& environment = {});

}  // namespace heddle::app
