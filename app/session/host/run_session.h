// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/host/attempt_runner.h"
#include "app/session/host/request_server.h"
#include "app/session/host/run_queue.h"
#include "app/session/recorder/recorder.h"
#include "app/session/requests/edits.h"
#include "app/session/runs/extension.h"
#include "engine/run/engine.h"
#include "engine/run/run_control.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Group and tags of a new run.
struct RunLabels {
    std::string group;  ///< "reproduce/eau-grc-table3 --quick", or empty
    std::vector<std::string> tags;
};

/// The owner of one run database. It records, queues (RunQueue) and trains (AttemptRunner) what users and other processes
/// (RequestServer) ask for. Results are read from the database; this class only adds what an unwritable database cannot show.
///
/// Thread-safe. Destruction stops the active runs at their next step border (reason "closing") and joins.
class RunSession final : public RunControl {
public:
    struct Options {
        std::string database;
        std::string owner = "heddle";                     ///< shown to other processes that need the database
        double lockTimeout = 0;                           ///< seconds to wait for the writer lock
        std::function<std::shared_ptr<Engine>()> engine;  ///< called when a run starts; default: loadEngine
        std::string cacheFolder;                          ///< default: defaultCacheFolder()
        Recorder::Options recorder;
        std::chrono::milliseconds inboxEvery{250};
        /// Runs that the CPU trains at once, with process settings that are equal; each uses as many threads as its spec says.
        std::size_t jobs = 1;
        /// Is called once on each engine thread, before its first run. Threads that the engine starts there inherit priorities.
        std::function<void()> onEngineThread = {};
        /// Of this process, which is rank 0 of those that train one run together.
        ProcessPlace processes = {};
    };
    /// Opens or creates the database and records runs that a dead owner left active as interrupted. Throws
    /// storage::StorageError.
    explicit RunSession(Options options);
    ~RunSession() override;  ///< close()

    /// stopAll(), waits for the end, writes the queue and releases the database. Returns empty, or what could not be recorded.
    std::string close();

    std::string submit(const RunSpec& spec, const std::string& group) override { return submit(spec, RunLabels{group, {}}); }
    /// Also stores the labels and answers `request` of the inbox (0: none) in the transaction that creates the run.
    std::string submit(const RunSpec& spec, const RunLabels& labels = {}, std::int64_t request = 0);
    /// Also starts a run left queued by an earlier owner. Throws Error(Usage) for one that is active, waiting, or in the trash.
    void resume(const std::string& run) override { resume(run, {}); }
    /// The same with new limits, which become part of the run's spec; also continues a completed run.
    void resume(const std::string& run, const Extension& extension);
    void command(const std::string& run, RunVerb verb, const std::string& reason) override;
    void edit(const Edit& edit) override;
    /// Carries out an edit made at the given time, and answers `request` of the inbox (0: none) in the same transaction.
    void edit(const TimedEdit& edit, std::int64_t request);
    /// Carries out `change` in one durable transaction, after all that was recorded before, and waits for it. Rethrows its
    /// exceptions; nothing is changed then.
    void change(const std::function<void(storage::RunStore&)>& change);
    void ask(const std::string& run, const Json& question, std::function<void(bool ok, const Json&)> callback) override;

    /// Stops every active run; waiting runs stay queued and are not started.
    void stopAll(const std::string& reason);
    /// The same for an idle session; returns false and does nothing if there is work. A concurrent request of another process
    /// to train is either accepted before, and counts as work, or left to the next owner.
    bool stopIfIdle() { return queue_->closeIfEmpty(); }
    std::vector<std::string> activeRuns() const { return queue_->active(); }  ///< runs on an engine thread
    using Load = RunQueue::Load;
    Load load() const { return queue_->load(); }
    /// Active runs that wait for the recorder, with the reason: "recorder" (it cannot write), "database" (the file was moved
    /// or removed). They are paused, even if the database does not show it, and continue automatically.
    std::map<std::string, std::string> heldRuns() const { return attempts_->held(); }
    /// Returns the runs that wait for their device or for the end of runs with other settings: by device, in order.
    std::vector<std::string> waiting() const { return queue_->waiting(); }
    bool isIdle() const { return load() == Load{}; }
    /// Runs found queued when the database was opened, in order; they start only after resume().
    const std::vector<std::string>& leftQueued() const { return leftQueued_; }
    /// Returns the last committed state of the run. Throws Error(Usage) for an unknown run.
    RunState stateOf(const std::string& run);

    /// Returns once all requests in the inbox before the call have been executed or started.
    void pollInbox() { server_->waitRead(); }

    /// The end of a run's newest attempt, once it is recorded and no engine thread has the run any more.
    std::optional<AttemptRunner::End> ended(const std::string& run) const { return attempts_->ended(run); }
    /// Why the recorder cannot write now, and whether training waits for it; empty: no problem.
    std::string recorderProblem() const;
    /// The file with all records: the database, or the file to which close() saved it after it was moved or removed.
    std::string database() const;
    /// After such a close(): a notice with the file to open. Else empty.
    std::string recoveryNotice() const;

private:
    void enqueue(const storage::RunRecord& run, const RunSpec& spec, const std::string& device);
    bool withdraw(const std::string& run, const std::string& reason);
    void refuseWhileStarting(const std::string& run, RunState recorded) const;
    std::string linkCheckpointFolders() const;
    RunState committedStateOf(const std::string& run);
    storage::RunRecord recorded(const std::string& run) const;

    Options options_;
    std::string artifacts_;
    std::vector<std::string> leftQueued_;
    // Each member uses those above it. The recorder also calls attempts_, so close() ends the recorder before any is destroyed.
    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<AttemptRunner> attempts_;
    std::unique_ptr<RunQueue> queue_;
    std::unique_ptr<RequestServer> server_;
};

}  // namespace heddle::app
