// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace heddle::app {

struct CliOptions {
    EngineSource engine = {};  ///< replaces loadEngine() in tests
    const CommandSet& commands = heddleCommands();
};

/// Runs the CLI as a function, so that tests link what users run. `arguments` exclude the program name. Returns an exit code,
/// as section 8 of the design lists them. Commands that read standard input read std::cin.
int runCli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err, const CliOptions& options = {});

}  // namespace heddle::app
