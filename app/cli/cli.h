// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace heddle::app {

/// The CLI as a function, so that tests link what users run. Arguments exclude the program name; returns the exit code of
/// design section 8. Commands that read standard input read std::cin. `engine` replaces loadEngine() in tests.
int runCli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err, EngineSource engine = {});

}  // namespace heddle::app
