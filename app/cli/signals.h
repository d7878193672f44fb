// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle::app {

/// While it lives, SIGTERM, SIGUSR1, SIGINT and SIGHUP (a terminal that closes) ask for a checkpoint and an end instead of
/// killing; a second one ends the process at once (143, or 130 for SIGINT). SIGHUP is never a second one, and after a SIGHUP
/// one more signal does not count as a second: shell, kernel and login manager send several at once. A SIGHUP that is ignored
/// when the object is made (nohup) stays ignored. One object a process. SIGPIPE is ignored, so that a closed stderr does not
/// end a training.
class SignalWatch {
public:
    SignalWatch();
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    /// The first signal that arrived, or 0.
    int received() const;
    /// Exit code of a command that was ended by `signal` with a checkpoint written: 130 for SIGINT, else 75.
    static int exitCode(int signal);
};

}  // namespace heddle::app
