// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace heddle::app {

/// The processes of one run that are started on this machine.
struct LocalProcesses {
    std::vector<std::string> command;  ///< of each process, the program first
    int count = 1;
    std::function<int()> signal;                   ///< returns the first signal that this process has received; 0: none
    std::chrono::milliseconds ownEnd{10'000};      ///< time for the others to end by themselves after one has failed
    std::chrono::milliseconds termination{5'000};  ///< time from SIGTERM to SIGKILL
};

/// Starts the processes with torchrun's variables and waits for their end. Rank 0 writes to this process's standard output and
/// error, the others only to its standard error. The first signal is passed on to all, which may then take as long as they need
/// for their checkpoint. A process fails if it ends with a code other than 0 or, after that signal, other than 0, 75 and 130.
/// When one fails, the others have the time `ownEnd` to end by themselves, then get SIGTERM, and after `termination` SIGKILL.
/// Returns 75 if a process was lost, that is, killed by a signal that runLocally() did not send. Else returns the exit code of
/// rank 0 or, if runLocally() had to kill rank 0, that of the process that failed first. Throws Error(Failure) when a process
/// cannot be started.
int runLocally(const LocalProcesses& processes);

/// Each process of runLocally() calls this at its beginning: it then gets SIGTERM when the process that started it dies.
void endWithStarter();

}  // namespace heddle::app
