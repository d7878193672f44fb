// SPDX-License-Identifier: Apache-2.0
// What `heddle serve` does, on a thread instead of in a process, so that it can have the fake engine.
#pragma once

#include "app/session/host/child_host.h"
#include "app/session/host/database_server.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace heddle::app {

/// The servers of a test. They outlive the control that started them, as processes do; the end of this object stops them.
class BackgroundServers {
public:
    std::unique_ptr<ChildHost> start(const ServeOptions& options);

private:
    struct Server {
        std::string failure;
        std::atomic<bool> stop = false, ended = false;
        std::jthread thread;  ///< last: joined first
        ~Server() { stop = true; }
    };
    class Handle;
    std::vector<std::shared_ptr<Server>> servers_;
};

}  // namespace heddle::app
