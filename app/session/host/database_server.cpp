// SPDX-License-Identifier: Apache-2.0
#include "app/session/host/database_server.h"

#include "app/session/process/engine_loader.h"

#include <chrono>
#include <thread>

namespace heddle::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kInboxInterval{50};

/// Starts runs left queued by an earlier owner, unless a request has already done so.
void startLeftQueued(RunSession& session) {
    for (const auto& run : session.leftQueued()) try {
            session.resume(run);
        } catch (const Error&) {  // stopped, deleted or started by a request
        }
}

}  // namespace

ServeEnd serveDatabase(const ServeOptions& options, const std::function<void()>& ready, const std::function<bool()>& stop) {
    if (options.session.engine)
        options.session.engine();  // fails before a run starts that could not be trained
    else
        loadEngine();
    RunSession session(options.session);
    ready();
    session.pollInbox();
    startLeftQueued(session);
    auto worked = Clock::now();
    bool stopped = false;
    while (!(stopped = stop())) {
        const auto now = Clock::now();
        if (!session.isIdle()) worked = now;
        const bool isIdleLong = options.idleSeconds > 0 && now - worked > std::chrono::duration<double>(options.idleSeconds);
        if (isIdleLong && session.stopIfIdle()) break;
        std::this_thread::sleep_for(kInboxInterval);
    }
    const bool trains = !session.activeRuns().empty();
    if (const auto lost = session.close(); !lost.empty())
        throw Error(ErrorCode::Failure, lost, options.session.database, "free disk space; the runs can be resumed");
    if (const auto notice = session.recoveryNotice(); !notice.empty())
        throw Error(ErrorCode::Failure, notice, options.session.database, "open that file; its runs can be resumed");
    if (!stopped) return ServeEnd::Idle;
    return trains ? ServeEnd::StoppedRuns : ServeEnd::Stopped;
}

}  // namespace heddle::app
