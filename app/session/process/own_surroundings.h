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

/// Sets the commit and the dirty flag to those of the git working tree that contains `folder`. Leaves them empty if there is no
/// working tree, no commit in it or no git.
void readGit(const std::string& folder, Surroundings& surroundings);

}  // namespace heddle::app
