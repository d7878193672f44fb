// SPDX-License-Identifier: Apache-2.0
// The options of `sweep` and `study` for where their runs are trained.
#pragma once

#include "app/cli/command_line.h"
#include "app/launch/launcher.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

struct LauncherOptions {
    std::string launcher = "local";
    std::optional<std::int64_t> jobs;  ///< for local
    // The others are for slurm:
    std::string partition, gres, time, scratch;
    std::optional<std::int64_t> arrayLimit;
    std::vector<std::string> sbatch;
    std::optional<double> poll;
    bool noWait = false, cancel = false;
};

/// Declares the options.
void addLauncherOptions(CommandBuilder& command, LauncherOptions& options);

/// Throws Error(Usage) for options that do not belong to the launcher. `command`: "sweep".
void requireLauncherOptions(const LauncherOptions& options, const std::string& command);

/// The launcher of these options. Throws Error.
std::unique_ptr<Launcher> makeLauncher(const LauncherOptions& options, const std::string& command, const Context& context);

/// Does what --cancel asks for: cancels the jobs of these groups and prints how many there were. Returns the exit code.
int cancelJobs(const std::vector<std::string>& groups, const Context& context);

}  // namespace heddle::app
