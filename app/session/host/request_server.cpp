// SPDX-License-Identifier: Apache-2.0
#include "app/session/host/request_server.h"

#include "app/session/host/run_session.h"
#include "engine/base/json.h"
#include "engine/base/overload.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace heddle::app {

RequestServer::RequestServer(const Owner& owner, std::chrono::milliseconds every)
    : owner_(owner), every_(every), thread_([this] { run(); }) {}

RequestServer::~RequestServer() { stop(); }

void RequestServer::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void RequestServer::waitRead() {
    std::unique_lock lock(mutex_);
    // A reading in progress may have begun before the request arrived.
    changed_.wait(lock, [this, target = reads_ + 2] { return reads_ >= target || stopping_; });
}

std::string RequestServer::problem() const {
    const std::lock_guard lock(mutex_);
    return problem_.empty() ? notice_ : problem_;
}

void RequestServer::run() {
    do read();
    while (waitForNext());
}

/// Waits until the next reading is due. Returns false if the thread must end.
bool RequestServer::waitForNext() {
    std::unique_lock lock(mutex_);
    ++reads_;
    changed_.notify_all();
    return !changed_.wait_for(lock, every_, [this] { return stopping_; });
}

void RequestServer::read() {
    if (owner_.recorder.pressure() == EventSink::Pressure::NoDatabase) return;  // the inbox may belong to another database
    std::string problem, notice;
    std::vector<storage::InboxRequest> requests;
    try {
        requests = owner_.store.takeRequests();
        notice = owner_.store.inboxNotice();
    } catch (const std::exception& error) {
        problem = fmt::format("requests of other processes cannot be read: {}", error.what());
    }
    for (const auto& request : requests) try {
            serve(request);
            if (!request.refusal.empty()) notice = request.refusal;
        } catch (const std::exception& error) {
            problem = fmt::format("the request {} could not be answered: {}", request.verb, error.what());
        }
    const std::lock_guard lock(mutex_);
    problem_ = std::move(problem);
    if (!notice.empty()) notice_ = std::move(notice);
}

void RequestServer::serve(const storage::InboxRequest& row) {
    if (!row.refusal.empty()) return owner_.recorder.answer(row.id, false, row.refusal);
    try {
        const Request request = parseRequest({row.verb, row.run, row.body});
        std::unique_lock<std::mutex> open;
        if (startsTraining(request)) {
            open = owner_.queue.keepOpen();
            if (!open) return;  // no new runs start here; the unanswered request stays in the inbox for the next owner
        }
        execute(request, row);
    } catch (const std::exception& error) {
        owner_.recorder.answer(row.id, false, error.what());
    }
}

void RequestServer::execute(const Request& request, const storage::InboxRequest& row) {
    RunSession& session = owner_.session;
    const auto command = [&](const std::string& run, RunVerb verb) {
        session.command(run, verb, "user");
        owner_.recorder.answer(row.id, true, "");
    };
    std::visit(Overload{
                   [&](const EnqueueRun& r) {
                       session.submit(r.spec, RunLabels{r.group, {}}, row.id);
                   },
                   [&](const PauseRun& r) { command(r.run, RunVerb::Pause); },
                   [&](const ResumeRun& r) {
                       if (session.stateOf(r.run) == RunState::Paused) return command(r.run, RunVerb::Resume);
                       session.resume(r.run);
                       owner_.recorder.answer(row.id, true, "");
                   },
                   [&](const StopRun& r) { command(r.run, RunVerb::Stop); },
                   [&](const CheckpointRun& r) { command(r.run, RunVerb::Checkpoint); },
                   [&](const AskRun& r) {
                       session.ask(r.run, r.question, [&recorder = owner_.recorder, id = row.id](bool ok, const Json& value) {
                           recorder.answer(id, ok, ok ? dumped(value) : refusalOf(value).what());
                       });
                   },
                   [&](const Edit& edit) {
                       session.edit({edit, row.at}, row.id);
                   },
               },
               request);
}

}  // namespace heddle::app
