// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heddle::app {

/// Processes of one run on this machine.
struct LocalProcesses {
    std::vector<std::string> command;  ///< of each process, the program first
    int count = 1;
    std::function<int()> signal;  ///< received by this process since the beginning; 0: none
};

/// Starts the processes with torchrun's variables and waits for their end. Rank 0 has this process's output; of the others
/// only standard error. Signals are passed on to all. When one ends otherwise than with 0, the others get ten seconds to end by
/// themselves, five after SIGTERM, and then SIGKILL. Returns the exit code of rank 0, or 75 if one was killed by a signal.
/// Throws Error(Failure) when one cannot be started.
int runLocally(const LocalProcesses& processes);

/// To be called by each of them: it gets SIGTERM when the process that started it dies.
void endWithStarter();

}  // namespace heddle::app
