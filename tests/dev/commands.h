// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"

namespace heddle::dev {

/// Returns the commands of `heddle-dev`, the developer's program. They prove Heddle, compare it with other programs, or count
/// what it does; people who train models do not need them. The options, documents and exit codes are those of `heddle`.
const app::CommandSet& devCommands();

// One file per command declares its options, help and action.
void addVerify(app::CommandBuilder& root);
void addTrain(app::CommandBuilder& bench);
void addPeers(app::CommandBuilder& bench);
void addLaunches(app::CommandBuilder& bench);

}  // namespace heddle::dev
