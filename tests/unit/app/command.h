// SPDX-License-Identifier: Apache-2.0
// The command line in this process.
#pragma once

#include "app/cli/cli.h"
#include "engine/base/json.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

/// The exit code of a command and what it printed.
struct CommandResult {
    int code = 0;
    std::string out, err;
    Json json() const { return Json::parse(out); }
};

/// Runs a command; `engine` as for runCli().
inline CommandResult runCommand(const std::vector<std::string>& arguments, EngineSource engine = {}) {
    std::ostringstream out, err;
    const int code = runCli(arguments, out, err, {std::move(engine)});
    return {code, out.str(), err.str()};
}

/// Runs a command with --db `database`.
inline CommandResult runOn(const std::string& database, std::vector<std::string> arguments, EngineSource engine = {}) {
    arguments.insert(arguments.end(), {"--db", database});
    return runCommand(arguments, std::move(engine));
}

}  // namespace heddle::app
