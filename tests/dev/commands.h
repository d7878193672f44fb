// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"

namespace heddle::dev {

/// The commands of `heddle-dev`, the developer's program: what proves Heddle, compares it with other programs or counts what it
/// does, and is of no use to who trains models. Its options, documents and exit codes are those of `heddle`.
const app::CommandSet& devCommands();

// One file per command declares its options, help and action.
void addVerify(app::CommandBuilder& root);
void addTrain(app::CommandBuilder& bench);
void addPeers(app::CommandBuilder& bench);
void addLaunches(app::CommandBuilder& bench);

}  // namespace heddle::dev
