// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace heddle::app {

/// The whole CLI as a function, so that tests link what users run: arguments without the program name; returns the exit code of
/// design section 8. Commands that read standard input read std::cin.
int runCli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace heddle::app
