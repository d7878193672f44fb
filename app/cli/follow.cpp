// SPDX-License-Identifier: Apache-2.0
#include "app/cli/follow.h"

#include "app/cli/documents.h"
#include "app/cli/progress.h"
#include "app/cli/run_text.h"
#include "app/cli/signals.h"
#include "storage/run_store.h"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <ostream>
#include <thread>

namespace heddle::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{100};
/// How long an end that was asked for by a signal waits for a disk that cannot be written.
constexpr std::chrono::seconds kFullDiskPatience{10};

std::unique_ptr<Progress> showNext(const Context& context, storage::RunQuery& query, const std::string& run) {
    const auto record = query.run(run);
    context.err << "run " << (record ? titleOf(*record) : run) << " in " << plain(context.database) << "\n";
    return std::make_unique<Progress>(context, query, run);
}

/// Watches until nothing is in work or waits; returns the signal that ended it, or 0.
int watch(const Context& context, RunSession& session) {
    const SignalWatch signals;
    const auto query = openDatabase(context.database);
    std::unique_ptr<Progress> progress;
    std::string shown, problem;
    Clock::time_point asked{};
    while (true) {
        const auto working = session.inWork();
        const bool stopping = asked != Clock::time_point{};
        if (working.empty() && (stopping || session.waiting().empty())) break;
        if (!working.empty() && working.front() != shown) {
            if (progress) progress->update();
            shown = working.front();
            progress = showNext(context, *query, shown);
        }
        if (progress) progress->update();
        if (const std::string now = session.recorderProblem(); now != problem && progress) {
            problem = now;
            progress->say(problem.empty() ? "recording goes on"
                                          : "cannot record: " + problem + "; nothing is lost, training waits");
        }
        if (signals.received() != 0 && !stopping) {
            asked = Clock::now();
            if (progress) progress->say("writing a checkpoint and ending; a second signal ends at once without");
            session.stopAll("signal");
        }
        if (stopping && !problem.empty() && Clock::now() - asked > kFullDiskPatience) break;
        std::this_thread::sleep_for(kLook);
    }
    if (progress) progress->update();
    return signals.received();
}

}  // namespace

std::unique_ptr<RunSession> openSession(const Context& context, const std::string& command, const std::string& hint) {
    try {
        return std::make_unique<RunSession>(RunSession::Options{context.database, "heddle " + command, 0, {}, "", {}});
    } catch (const storage::StorageError& error) {
        if (error.kind() != storage::StorageError::Kind::Locked) throw;
        throw Error(ErrorCode::Failure, error.problem(), error.where(), error.next() + hint);
    }
}

int followRun(const Context& context, std::unique_ptr<RunSession> session, const std::string& run) {
    const int signal = watch(context, *session);
    const auto end = session->ended(run);
    session.reset();  // everything is committed and the files are closed before the result is printed
    if (end && end->error) throw *end->error;
    printRun(context, run);
    const bool unfinished = !end || end->state != RunState::Completed;
    if (signal != 0 && unfinished) {
        context.err << "resume it with: heddle resume " << run << "\n";
        return SignalWatch::exitCode(signal);
    }
    return 0;
}

void printRun(const Context& context, const std::string& run) {
    const auto query = openDatabase(context.database);
    const auto record = query->run(run);
    if (!record) throw Error(ErrorCode::Failure, "the run is gone", run, "heddle runs list shows what is there");
    if (context.json)
        context.print(runDocument(*query, *record, context.database));
    else
        context.out << runText(*query, *record);
}

}  // namespace heddle::app
