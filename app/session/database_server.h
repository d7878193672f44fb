// SPDX-License-Identifier: Apache-2.0
// What `heddle serve` does: own a database for others.
#pragma once

#include "app/session/run_session.h"

#include <functional>

namespace heddle::app {

struct ServeOptions {
    RunSession::Options session;
    double idleSeconds = 0;  ///< ends after so long without work; 0: never
};

enum class ServeEnd {
    Idle,           ///< nothing to do any more
    Stopped,        ///< asked to end, nothing was in work
    StoppedInWork,  ///< asked to end; what was in work has been stopped and can be resumed
};

/// Owns the database, does what was asked for before, then trains what is queued in it, and obeys its inbox until `stop` says
/// so or nothing is left to do. Calls `ready` once it owns it. Throws storage::StorageError when somebody else does, Error when
/// the engine cannot be loaded, and Error(Failure) when something could not be recorded.
ServeEnd serveDatabase(const ServeOptions& options, const std::function<void()>& ready, const std::function<bool()>& stop);

}  // namespace heddle::app
