// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/surroundings.h"

#include <string>
#include <vector>

namespace heddle::app {

/// The arguments of this process, the program first (proc(5), /proc/self/cmdline: each ends with a zero byte).
std::vector<std::string> ownArguments();

/// Returns the surroundings of this process, as far as they can be found out. Runs `git` for at most a second.
Surroundings ownSurroundings();

/// Sets commit and dirty flag to those of the git working tree that contains `folder`. Changes nothing if there is no working
/// tree, if it has no commit, or if git is not installed.
void readGit(const std::string& folder, Surroundings& surroundings);

}  // namespace heddle::app
