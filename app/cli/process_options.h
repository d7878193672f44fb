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

/// The number of processes that --nproc asks for; "auto": one for each GPU, else for each physical core. Throws Error(Usage)
/// for anything but auto and a number from 1 to 1024.
int processCount(const std::string& text, const EngineSource& engine);

/// Starts as many processes of this command as --nproc names, waits for all of them, and returns the exit code. Returns nothing
/// if this process itself trains, alone or as one of several.
std::optional<int> runInProcesses(const ProcessOptions& options, const Context& context);

/// The place of this process, from its options and environment (process_environment.h). With --nproc 1 it is alone.
ProcessPlace placeOf(const ProcessOptions& options);

/// Trains as a process that is not rank 0. `spec` is the spec that this process has read, which must be equal to that of rank
/// 0; if there is none, the process takes that of rank 0. Returns the exit code.
int joinRun(const ProcessPlace& place, const std::optional<RunSpec>& spec, const Context& context);

}  // namespace heddle::app
