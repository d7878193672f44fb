// SPDX-License-Identifier: Apache-2.0
// A process of its own that owns a database and outlives the one that started it.
#pragma once

#include <memory>
#include <string>

namespace heddle::app {

/// Somebody who was started to own a database.
class ChildHost {
public:
    virtual ~ChildHost() = default;  ///< leaves it alone
    virtual bool running() = 0;
    /// Why it ended, if it ended otherwise than as it should; else empty.
    virtual std::string failure() = 0;
};

/// Starts `heddle serve` from the program's own folder, in a session of its own, its words in a log file of the XDG state
/// folder. Throws Error(Failure) when it cannot be started.
std::unique_ptr<ChildHost> startServer(const std::string& database);

}  // namespace heddle::app
