// SPDX-License-Identifier: Apache-2.0
#include "app/cli/follow.h"

#include "app/cli/documents.h"
#include "app/cli/progress.h"
#include "app/cli/signals.h"
#include "app/study/planned_runs.h"
#include "engine/base/contains.h"
#include "engine/base/printable.h"
#include "engine/run/run_state.h"
#include "storage/run_store.h"

#include <signal.h>

#include <chrono>
#include <ostream>
#include <thread>
#include <utility>

namespace heddle::app {
namespace {

using Clock = std::chrono::steady_clock;
/// How often the progress is read from the database, and how often the session is asked whether it is done.
constexpr std::chrono::milliseconds kShownEvery{100}, kLookedEvery{10};
/// After a signal: time to wait for a disk that cannot be written.
constexpr std::chrono::seconds kFullDiskTimeout{10};

/// Shows the progress of a session until it is idle.
class Watch {
public:
    Watch(const Context& context, RunSession& session, storage::RunQuery& query)
        : context_(context), session_(session), query_(query), revision_(query.revision()) {}

    /// `first` is shown even if it has already ended.
    void untilDone(const SignalWatch& signals, const std::string& first = "") {
        if (!first.empty()) show(first);
        untilFewerThan(1, signals);
    }
    /// Until fewer than `jobs` runs are in training or wait for it.
    void untilFewerThan(std::size_t jobs, const SignalWatch& signals) {
        while (work() >= jobs) {
            showNext();
            showProblem();
            if (signals.received() != 0 && !stopping()) stop();
            if (stopping() && !problem_.empty() && Clock::now() - asked_ > kFullDiskTimeout) break;
            const auto next = Clock::now() + kShownEvery;
            while (work() >= jobs && Clock::now() < next) std::this_thread::sleep_for(kLookedEvery);
        }
        showLast();
    }

private:
    bool stopping() const { return asked_ != Clock::time_point{}; }
    std::size_t work() const {
        const RunSession::Load load = session_.load();
        return load.active + (stopping() ? 0 : load.waiting);
    }

    void showNext() {
        const auto working = session_.activeRuns();
        if (!working.empty() && !contains(working, shown_)) show(working.front());
        if (!progress_) return;
        const auto held = session_.heldRuns();
        progress_->setHeld(held.contains(shown_) ? held.at(shown_) : "");
        progress_->update();
    }
    /// Shows what the recorder commits last: a short run ends before its first commit.
    void showLast() {
        constexpr auto kPatience = 20 * kShownEvery;
        const auto isOpen = [&] {
            if (contains(session_.activeRuns(), shown_)) return false;  // it goes on beside the next one
            const auto run = query_.run(shown_);
            return run && isActive(run->state);
        };
        const auto end = Clock::now() + kPatience;
        while (progress_ && isOpen() && Clock::now() < end) std::this_thread::sleep_for(kLookedEvery);
        if (progress_) progress_->update();
    }
    void show(const std::string& run) {
        if (progress_) progress_->update();
        shown_ = run;
        progress_ = std::make_unique<Progress>(context_, query_, shown_, revision_);
    }
    void showProblem() {
        const std::string now = session_.recorderProblem();
        if (now == problem_ || !progress_) return;
        problem_ = now;
        progress_->printLine(now.empty() ? "recording continues" : "cannot record: " + now);
    }
    void stop() {
        asked_ = Clock::now();
        if (progress_) progress_->printLine("writing a checkpoint and ending; a second signal ends at once without it");
        session_.stopAll("signal");
    }

    const Context& context_;
    RunSession& session_;
    storage::RunQuery& query_;
    const std::int64_t revision_;  ///< older changes are not shown
    std::unique_ptr<Progress> progress_;
    std::string shown_, problem_;
    Clock::time_point asked_{};
};

/// Closes the session and returns the context for later commands: the database may have a new name, which is reported on
/// stderr. Throws Error(Failure) with `next` when something could not be recorded.
Context closed(const Context& context, RunSession& session, const std::string& next) {
    if (const auto lost = session.close(); !lost.empty()) throw Error(ErrorCode::Failure, lost, context.database, next);
    const std::string notice = session.recoveryNotice();
    if (notice.empty()) return context;
    context.err << printable(notice) << "\n";
    Context now = context;
    now.database = session.database();
    return now;
}

std::unique_ptr<RunSession> openOwned(RunSession::Options options, const std::string& hint, const Context& context) {
    options.database = context.database;
    options.engine = context.engine;
    try {
        return std::make_unique<RunSession>(std::move(options));
    } catch (const storage::StorageError& error) {
        if (error.kind() != storage::StorageError::Kind::Locked) throw;
        throw Error(ErrorCode::Failure, error.problem(), error.where(), error.next() + hint);
    }
}

}  // namespace

std::unique_ptr<RunSession> openSession(const Context& context, const std::string& command, const std::string& hint,
                                        std::size_t jobs) {
    RunSession::Options options;
    options.owner = "heddle " + command;
    options.jobs = jobs;
    return openOwned(std::move(options), hint, context);
}

std::unique_ptr<RunSession> openSession(const Context& context, const std::string& command, const std::string& hint,
                                        const ProcessPlace& processes) {
    RunSession::Options options;
    options.owner = "heddle " + command;
    options.processes = processes;
    return openOwned(std::move(options), hint, context);
}

int followRun(const Context& context, std::unique_ptr<RunSession> session, const BeginRun& begin) {
    const SignalWatch signals;
    std::string run;
    {
        const auto query = openDatabase(context);
        Watch watch(context, *session, *query);
        run = begin(*session);
        watch.untilDone(signals, run);
    }
    const auto end = session->ended(run);
    // Commits and closes everything before printing the result.
    const Context now = closed(context, *session, "free disk space, then heddle resume " + run);
    session.reset();
    if (end && end->error) throw *end->error;
    printRun(now, run);
    const bool unfinished = !end || end->state != RunState::Completed;
    if (signals.received() == 0 || !unfinished) return 0;
    const bool isMoved = now.database != context.database;
    context.err << "resume it with: heddle resume " << run << (isMoved ? " --db " + printable(now.database) : "") << "\n";
    return SignalWatch::exitCode(signals.received());
}

int followRuns(const Context& context, std::unique_ptr<RunSession> session, const BeginNext& next, std::size_t jobs) {
    const SignalWatch signals;
    {
        const auto query = openDatabase(context);
        Watch watch(context, *session, *query);
        while (signals.received() == 0) {
            if (!next(*session)) break;
            watch.untilFewerThan(jobs, signals);
        }
        watch.untilDone(signals);
    }
    closed(context, *session, "free disk space, then repeat the command");
    return signals.received() == 0 ? 0 : SignalWatch::exitCode(signals.received());
}

void printRun(const Context& context, const std::string& run) {
    const auto query = openDatabase(context);
    auto record = query->run(run);
    if (!record)
        throw Error(ErrorCode::Failure, "the run has been deleted", run, "heddle runs list shows the runs of the database");
    record->state = shownState(*record, context.database);
    if (context.json)
        context.print(runDocument(*query, *record, context.database));
    else
        context.out << runText(*query, *record);
}

}  // namespace heddle::app
