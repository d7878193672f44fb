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

/// The CLI as a function, so that tests link what users run. Arguments exclude the program name; returns the exit code of
/// design section 8. Commands that read standard input read std::cin.
int runCli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err, const CliOptions& options = {});

}  // namespace heddle::app
