// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace heddle::app {

/// Processes of one run on this machine.
struct LocalProcesses {
    std::vector<std::string> command;  ///< of each process, the program first
    int count = 1;
    std::function<int()> signal;                   ///< returns the first signal that this process has received; 0: none
    std::chrono::milliseconds ownEnd{10'000};      ///< for the others to end by themselves after one has failed
    std::chrono::milliseconds termination{5'000};  ///< from SIGTERM to SIGKILL
};

/// Starts the processes with torchrun's variables and waits for their end. Rank 0 writes to this process's standard output and
/// error, the others only to its standard error. The first signal is passed on to all, which then have as long as they need for
/// their checkpoint. When one ends with another code than 0, or than 75 and 130 after that signal, the others have the time
/// `ownEnd` to end by themselves, then get SIGTERM, and after `termination` SIGKILL. Returns 75 if one was lost, that is,
/// killed by a signal that did not come from here; else the exit code of rank 0, or that of the process that failed first if
/// rank 0 was killed for it. Throws Error(Failure) when a process cannot be started.
int runLocally(const LocalProcesses& processes);

/// Each process of runLocally() calls this at its beginning: it then gets SIGTERM when the process that started it dies.
void endWithStarter();

}  // namespace heddle::app
