// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/app/session/background_server.h"

namespace heddle::app {

class BackgroundServers::Handle final : public ChildHost {
public:
    explicit Handle(std::shared_ptr<Server> server) : server_(std::move(server)) {}
    bool running() override { return !server_->ended; }
    std::string failure() override { return running() ? "" : server_->failure; }

private:
    std::shared_ptr<Server> server_;
};

std::unique_ptr<ChildHost> BackgroundServers::start(const ServeOptions& options) {
    auto server = std::make_shared<Server>();
    server->thread = std::jthread([options, server = server.get()] {
        try {
            serveDatabase(
                options, [] {}, [server] { return server->stop.load(); });
        } catch (const std::exception& error) {
            server->failure = error.what();
        }
        server->ended = true;
    });
    servers_.push_back(server);
    return std::make_unique<Handle>(server);
}

}  // namespace heddle::app
