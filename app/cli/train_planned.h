// SPDX-License-Identifier: Apache-2.0
// Trains the runs of a sweep or study in this process.
#pragma once

#include "app/cli/context.h"
#include "app/launch/launcher.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace heddle::app {

/// A launcher that trains runs in this process, one after the other or `jobs` at once on the processor. Its require() throws
/// Error(Failure) if another process trains one of the runs or has it in its queue. It throws Error(Usage) if `jobs` is below
/// 1, or if it is above 1 and a run that is still to be trained uses a GPU, or so many threads that `jobs` such runs need more
/// cores than the processor has. `command` is recorded as the owner of the database. `context` must outlive the launcher.
std::unique_ptr<Launcher> localLauncher(const std::string& command, const std::optional<std::int64_t>& jobs,
                                        const Context& context);

}  // namespace heddle::app
