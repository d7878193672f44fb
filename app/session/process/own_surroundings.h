// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/surroundings.h"

#include <string>
#include <vector>

namespace heddle::app {

/// The arguments of this process, the program first (proc(5), /proc/self/cmdline: each ends with a zero byte).
std::vector<std::string> ownArguments();

/// Those of this process, as far as they can be found out. Runs `git`, for at most a second.
Surroundings ownSurroundings();

/// Sets commit and dirty flag to those of the working tree that `folder` is in. Leaves them empty outside of one, before its
/// first commit, and where there is no git.
void readGit(const std::string& folder, Surroundings& surroundings);

}  // namespace heddle::app
