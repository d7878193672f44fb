// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"
#include "engine/run/engine.h"

#include <functional>
#include <vector>

namespace heddle::app {

/// What differs between `heddle verify` and the same command of the developer's program (tests/dev), which checks more.
struct VerifyCommand {
    const char *summary, *golden, *quick, *examples;  ///< help of the command, of --golden and --quick; example command lines
    std::function<std::vector<VerifyCheck>(const VerifyRequest& request, const Context& context)> run;
};

/// Declares "verify". Its action prints a line for every check, or "heddle.verify/1", and returns 1 if one fails.
void addVerifyCommand(CommandBuilder& root, const VerifyCommand& command);

}  // namespace heddle::app
