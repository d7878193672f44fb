// SPDX-License-Identifier: Apache-2.0
#include "app/session/host/database_control.h"

#include "app/session/process/engine_loader.h"
#include "app/session/requests/ask_owner.h"
#include "engine/base/error.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <filesystem>
#include <stop_token>
#include <utility>

namespace heddle::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPoll{40};
constexpr std::int64_t kToTheFront = -1'000'000'000;
/// A child loads LibTorch before it becomes the owner.
constexpr std::chrono::seconds kChildTimeout{30};

}  // namespace

DatabaseControl::DatabaseControl(Options options) : options_(std::move(options)) {
    if (!options_.session.engine) options_.session.engine = loadEngine;
    if (!options_.startChild) options_.startChild = startServer;
    // A relative path must mean the same for a child.
    options_.session.database = std::filesystem::absolute(options_.session.database).string();
    refresher_ = std::thread([this] { refreshUntilClosed(); });
}

DatabaseControl::~DatabaseControl() { close(); }

std::string DatabaseControl::submit(const RunSpec& spec, const std::string& group) {
    return execute({EnqueueRun{spec, group}}, [&](RunSession& session) {
        auto run = session.submit(spec, group);
        started_.push_back(run);
        return run;
    });
}

void DatabaseControl::resume(const std::string& run) {
    execute({ResumeRun{run}}, [&](RunSession& session) {
        session.resume(run);
        started_.push_back(run);
        return std::string();
    });
}

void DatabaseControl::command(const std::string& run, RunVerb verb, const std::string& reason) {
    if (verb == RunVerb::Start) return resume(run);
    execute({requestOf(verb, run)}, [&](RunSession& session) {
        session.command(run, verb, reason);
        return std::string();
    });
}

void DatabaseControl::edit(const Edit& edit) {
    execute({edit, storage::unixTime()}, [&](RunSession& session) {
        session.edit(edit);
        return std::string();
    });
}

void DatabaseControl::throwClosing() const {
    throw Error(ErrorCode::Failure, "the database is being closed", options_.session.database, "");
}

void DatabaseControl::change(const std::function<void(storage::RunStore&)>& change) {
    const std::lock_guard lock(use_);
    if (closed_) throwClosing();
    openSession();
    used_ = Clock::now();
    session_->change(change);
}

void DatabaseControl::ask(const std::string& run, const Json& question, std::function<void(bool ok, const Json&)> callback) {
    {
        const std::lock_guard lock(use_);
        if (session_ && !session_->activeRuns().empty()) return session_->ask(run, question, std::move(callback));
    }
    const std::lock_guard lock(questionMutex_);
    questions_.emplace_back([this, run, question, callback = std::move(callback)](const std::stop_token& closing) {
        const auto throwIfClosing = [&] {
            if (closing.stop_requested()) throwClosing();
        };
        bool ok = true;
        Json answer;
        try {
            answer = parseJson(
                askOwner(options_.session.database, {AskRun{run, question}}, options_.answerTimeout, throwIfClosing), "answer");
        } catch (const std::exception& error) {
            ok = false;
            answer = error.what();
        }
        try {
            callback(ok, answer);
        } catch (const std::exception& error) {  // the asker's own fault must not end the program
            const std::lock_guard failed(statusMutex_);
            status_.problem = fmt::format("an answer could not be delivered: {}", error.what());
        }
    });
}

void DatabaseControl::setHost(Host host) {
    const std::lock_guard lock(use_);
    options_.host = host;
}

/// Executes a request: directly as the owner, else through the owner's inbox.
std::string DatabaseControl::execute(const TimedRequest& request, const AsOwner& asOwner) {
    {
        const std::lock_guard lock(use_);
        if (closed_) throwClosing();
        // A child that trains must be able to become the owner; rows are changed fastest in this process.
        const bool here =
            options_.host == Host::Thread || (session_ && !session_->isIdle()) || std::holds_alternative<Edit>(request.request);
        if (!here) release();
        if (here && becomeOwner()) {
            if (startsTraining(request.request)) options_.session.engine();  // fails before an untrainable run is created
            used_ = Clock::now();
            auto result = asOwner(*session_);
            publish();
            return result;
        }
    }
    return executeThroughInbox(request);
}

std::string DatabaseControl::executeThroughInbox(const TimedRequest& request) {
    ensureOwner();
    // If the owner has just ended, the next one executes the request.
    return askOwner(options_.session.database, request, options_.answerTimeout, [this] { ensureOwner(); });
}

/// Makes this process the owner unless it is. Requires `use_`. Throws StorageError Locked while another process is.
void DatabaseControl::openSession() {
    if (session_) return;
    if (!recoveryNotice_.empty() && !std::filesystem::exists(options_.session.database))
        throw Error(ErrorCode::Failure, recoveryNotice_, options_.session.database, "open that file");
    session_ = std::make_unique<RunSession>(options_.session);
    used_ = Clock::now();
}

/// Whether this process owns the database now. Requires `use_`.
bool DatabaseControl::becomeOwner() {
    try {
        openSession();
    } catch (const storage::StorageError& error) {
        if (error.kind() != storage::StorageError::Kind::Locked) throw;
        return false;
    }
    return true;
}

/// Ensures that the database has an owner: the present one, this process, or a new child.
void DatabaseControl::ensureOwner() {
    {
        const std::lock_guard lock(use_);
        if (closed_) throwClosing();
        if (session_) return;
        ownersSinceRefresh_ = true;  // also one that starts and ends between two refreshes
        if (!storage::currentOwner(options_.session.database).empty()) return;
        if (options_.host == Host::Thread) {
            becomeOwner();
            return;
        }
        if (!child_ || !child_->running()) child_ = options_.startChild(options_.session.database);
    }
    waitForChild();
    const std::lock_guard lock(use_);
    ownersSinceRefresh_ = true;
}

void DatabaseControl::waitForChild() {
    const auto end = Clock::now() + kChildTimeout;
    while (storage::currentOwner(options_.session.database).empty()) {
        std::string why;
        {
            const std::lock_guard lock(use_);
            if (closed_)
                why = "the database is being closed";
            else if (!child_ || !child_->running() || Clock::now() >= end) {
                why = child_ ? child_->failure() : "";
                if (why.empty()) why = "the training process did not take the database";
            }
        }
        if (!why.empty())
            throw Error(ErrorCode::Failure, why, options_.session.database,
                        "train inside the window instead: Settings, Engine host");
        std::this_thread::sleep_for(kPoll);
    }
}

/// Requires `use_`.
std::string DatabaseControl::release() {
    if (!session_) return "";
    std::string lost = session_->close();
    recoveryNotice_ = session_->recoveryNotice();
    session_.reset();
    ownerSeen_ = {};
    ownersSinceRefresh_ = false;
    return lost;
}

void DatabaseControl::handOver() {
    std::vector<std::string> stopped;
    {
        const std::lock_guard lock(use_);
        if (!session_ || session_->isIdle()) return;
        stopped = session_->activeRuns();
        options_.host = Host::Child;
        if (const auto lost = release(); !lost.empty())
            throw Error(ErrorCode::Failure, lost, options_.session.database, "free disk space, then resume the runs");
    }
    // In the inbox before the child reads the queue, so that the stopped runs continue first.
    for (const auto& run : stopped) {
        putRequest(options_.session.database, {ResumeRun{run}});
        putRequest(options_.session.database, {MoveRun{run, kToTheFront}});
    }
    ensureOwner();
}

std::string DatabaseControl::close() {
    {
        const std::lock_guard lock(wakeMutex_);
        ending_ = true;
    }
    wake_.notify_all();
    if (refresher_.joinable()) refresher_.join();
    std::string lost;
    {
        const std::lock_guard lock(use_);
        closed_ = true;
        lost = release();
    }
    {
        const std::lock_guard lock(questionMutex_);
        for (auto& question : questions_) question.request_stop();
        questions_.clear();  // joins
    }
    publish();
    return lost;
}

DatabaseControl::Status DatabaseControl::status() const {
    const std::lock_guard lock(statusMutex_);
    return status_;
}

void DatabaseControl::refreshUntilClosed() {
    while (true) {
        try {
            refresh();
        } catch (const std::exception& error) {  // a disk that cannot be read: report and retry
            const std::lock_guard lock(statusMutex_);
            status_.problem = error.what();
        }
        std::unique_lock lock(wakeMutex_);
        if (wake_.wait_for(lock, options_.refreshEvery, [this] { return ending_; })) return;
    }
}

void DatabaseControl::refresh() {
    const std::lock_guard lock(use_);
    if (session_) {
        for (auto run = started_.begin(); run != started_.end();) {
            const auto end = session_->ended(*run);
            if (end) endedProblem_ = end->error ? end->error->problem() : "";
            if (end && end->deviceLost) lost_.push_back(*run);
            run = end ? started_.erase(run) : run + 1;
        }
        if (!session_->isIdle()) used_ = Clock::now();
        const bool isIdleLong = Clock::now() - used_ > std::chrono::duration<double>(options_.releaseAfter);
        if (isIdleLong && session_->stopIfIdle()) release();
    } else {
        const storage::Owner owner = storage::currentOwner(options_.session.database);
        if (owner.empty() && ownersSinceRefresh_) recordInterrupted();
        ownersSinceRefresh_ = !owner.empty();
        ownerSeen_ = owner;
    }
    publish();
}

/// Without owner, no run is really active. Records those shown as active as interrupted.
void DatabaseControl::recordInterrupted() {
    if (!std::filesystem::exists(options_.session.database)) return;
    const auto runs = storage::RunQuery::open(options_.session.database)->runs();
    std::vector<std::string> found;
    for (const auto& run : runs)
        if (isActive(run.state)) found.push_back(run.id);
    if (!found.empty() && becomeOwner()) interrupted_.insert(interrupted_.end(), found.begin(), found.end());
}

/// Requires `use_`, or no other thread.
void DatabaseControl::publish() {
    Status now;
    if (session_) {
        now.owner = storage::Owner::here(options_.session.owner);
        now.here = true;
        now.activeRuns = session_->activeRuns();
        now.waiting = session_->waiting();
        now.held = session_->heldRuns();
        now.problem = session_->recorderProblem();
        if (now.problem.empty()) now.problem = endedProblem_;
    } else {
        now.owner = ownerSeen_;
        now.problem = recoveryNotice_;
    }
    now.isChecked = true;
    now.interrupted = interrupted_;
    now.lost = lost_;
    const std::lock_guard lock(statusMutex_);
    status_ = std::move(now);
}

void createDatabase(const std::string& file) {
    const std::filesystem::path path = std::filesystem::absolute(file);
    if (std::filesystem::exists(path)) return;
    std::filesystem::create_directories(path.parent_path());
    storage::RunStore::open(path.string(), {"heddle-studio", 0});
}

}  // namespace heddle::app
