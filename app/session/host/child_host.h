// SPDX-License-Identifier: Apache-2.0
// A child process that owns a database and outlives its parent.
#pragma once

#include <memory>
#include <string>

namespace heddle::app {

/// A process started to own a database.
class ChildHost {
public:
    virtual ~ChildHost() = default;  ///< does not end the process
    virtual bool running() = 0;
    /// Why it failed, if it ended with a failure; else empty.
    virtual std::string failure() = 0;
};

/// Starts `heddle serve` from the program's folder in a new session, with its output in a log file of the XDG state folder.
/// Throws Error(Failure) when it cannot be started.
std::unique_ptr<ChildHost> startServer(const std::string& database);

}  // namespace heddle::app
