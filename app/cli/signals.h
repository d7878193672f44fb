// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle::app {

/// During its lifetime SIGTERM, SIGUSR1, SIGINT and SIGHUP (a closed terminal) request a checkpoint and an orderly end; a
/// second signal ends the process at once (143, or 130 for SIGINT). SIGHUP never counts as the second signal, and neither does
/// the first signal after a SIGHUP, because shell, kernel and login manager send several at once. An already ignored SIGHUP
/// (nohup) stays ignored. One object per process. SIGPIPE is ignored, so that a closed stderr does not end training.
class SignalWatch {
public:
    SignalWatch();
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    /// The first signal that arrived, or 0.
    int received() const;
    /// Exit code of a command ended by `signal` after writing a checkpoint: 130 for SIGINT, else 75.
    static int exitCode(int signal);
};

}  // namespace heddle::app
