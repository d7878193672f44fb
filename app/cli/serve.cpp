// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/signals.h"
#include "app/session/host/database_server.h"
#include "engine/base/error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ostream>

namespace heddle::app {
namespace {

int serve(const std::optional<std::int64_t>& idle, const Context& context) {
    if (idle && *idle < 1) throw Error(ErrorCode::Usage, "--idle must be at least one second", "heddle serve", "");
    const SignalWatch signals;
    ServeOptions options;
    options.session.database = context.database;
    options.session.owner = "heddle serve";
    options.session.lockTimeout = 2;  // the parent process may just be releasing it
    options.idleSeconds = static_cast<double>(idle.value_or(0));
    const auto ready = [&] { context.out << fmt::format("serving {}, pid {}\n", context.database, getpid()) << std::flush; };
    const ServeEnd end = serveDatabase(options, ready, [&] { return signals.received() != 0; });
    return end == ServeEnd::StoppedRuns ? SignalWatch::exitCode(signals.received()) : 0;
}

}  // namespace

void addServe(CommandBuilder& root) {
    auto idle = std::make_shared<std::optional<std::int64_t>>();
    root.command("serve", "Train what is queued and what others ask for, as the owner of the database")
        .option("--idle", *idle, "SECONDS", "End after so long without work (default: never)")
        .examples(
            "heddle serve --db runs.heddle\n"
            "heddle serve --db runs.heddle --idle 60")
        .action([idle](Context& context) { return serve(*idle, context); });
}

}  // namespace heddle::app
