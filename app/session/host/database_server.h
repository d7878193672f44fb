// SPDX-License-Identifier: Apache-2.0
// The implementation of `heddle serve`: owns a database for other processes.
#pragma once

#include "app/session/host/run_session.h"

#include <functional>

namespace heddle::app {

struct ServeOptions {
    RunSession::Options session;
    double idleSeconds = 0;  ///< ends after this time without work; 0: never
};

enum class ServeEnd {
    Idle,         ///< no more work
    Stopped,      ///< stopped on request, no run was active
    StoppedRuns,  ///< stopped on request; active runs were stopped and can be resumed
};

/// Owns the database, executes waiting requests, trains the queued runs, and serves the inbox until `stop` returns true or
/// there is no more work. Calls `ready` once it is the owner. Throws storage::StorageError when another process owns it, Error
/// when the engine cannot be loaded, and Error(Failure) when something could not be recorded.
ServeEnd serveDatabase(const ServeOptions& options, const std::function<void()>& ready, const std::function<bool()>& stop);

}  // namespace heddle::app
