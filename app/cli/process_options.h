// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"
#include "app/launch/process_environment.h"
#include "engine/spec/run_spec.h"

#include <optional>
#include <string>

namespace heddle::app {

/// The options of a command that several processes can carry out together.
struct ProcessOptions {
    std::string count;  ///< --nproc: a number or "auto"; empty: not given
    PlaceOptions place;
};

void addProcessOptions(CommandBuilder& command, ProcessOptions& options);

/// With --nproc: starts this command so many times, waits for the end and returns the exit code. Else nothing.
std::optional<int> runInProcesses(const ProcessOptions& options, const Context& context);

/// The place of this process; see placeOf().
ProcessPlace placeOf(const ProcessOptions& options);

/// Takes part as a process that is not rank 0; the spec is the one that this process read, none: that of rank 0. Returns the
/// exit code.
int joinRun(const ProcessPlace& place, const std::optional<RunSpec>& spec, const Context& context);

}  // namespace heddle::app
