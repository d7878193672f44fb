// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/attempt_sink.h"
#include "app/session/extension.h"
#include "app/session/inbox_reader.h"
#include "app/session/recorder.h"
#include "app/session/requests.h"
#include "engine/base/error.h"
#include "engine/run/engine.h"
#include "engine/run/run_control.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace heddle::app {

/// What a run belongs to, besides itself.
struct RunLabels {
    std::string group;  ///< "reproduce/eau-grc-table3 --quick", or empty
    std::vector<std::string> tags;
};

/// Owner of one run database: its queue, its engine threads (one per device), its recorder, and the thread that carries out the
/// requests of other processes. What happens is read from the
/// database; besides that it tells only what a database that cannot be written could not tell.
///
/// Thread-safe. Destruction stops the runs in work at their next step border (reason "closing") and joins.
class RunSession final : public RunControl {
public:
    struct Options {
        std::string database;
        std::string owner = "heddle";                     ///< shown to others who want the database
        double patienceSeconds = 0;                       ///< how long to wait for the database's lock
        std::function<std::shared_ptr<Engine>()> engine;  ///< called once a run starts; default: loadEngine
        std::string cacheFolder;                          ///< default: defaultCacheFolder()
        Recorder::Options recorder;
        std::chrono::milliseconds inboxEvery{250};
    };
    /// Opens or creates the database and records as interrupted what a dead owner left in work. Throws storage::StorageError.
    explicit RunSession(Options options);
    ~RunSession() override;  ///< close()

    /// stopAll, waits for the end, writes what is queued and gives the database back. Empty, or what could not be recorded.
    std::string close();

    std::string submit(const RunSpec& spec) override { return submit(spec, {}, 0); }
    /// The same; the labels are stored in the transaction that makes the run.
    std::string submit(const RunSpec& spec, const RunLabels& labels) { return submit(spec, labels, 0); }
    /// Also starts a run that an earlier owner left queued. Throws Error(Usage) for one in work, waiting, or in the trash.
    void resume(const std::string& run) override { resume(run, {}); }
    /// The same with new limits, which become part of the run's spec: also a completed run goes on then.
    void resume(const std::string& run, const Extension& extension);
    void command(const std::string& run, RunVerb verb, const std::string& reason) override;
    void edit(const Edit& edit) override;
    void ask(const std::string& run, const Json& question, std::function<void(bool ok, const Json&)> callback) override;

    /// Asks every run in work to stop; nothing that waits is started any more, it stays queued.
    void stopAll(const std::string& reason);
    /// The same of a session without work: false, and nothing happens, if there is some. A request of another process to train
    /// is either accepted before, and is work, or left to the next owner.
    bool stopIfIdle();
    std::vector<std::string> inWork() const;  ///< runs on an engine thread
    /// Runs in work that wait for the recorder, with the reason: "recorder" (it cannot write), "database" (the file is not at
    /// its place). They are paused, whatever the database says, and go on by themselves.
    std::map<std::string, std::string> heldRuns() const;
    std::vector<std::string> waiting() const;  ///< runs that wait for their device or for runs with other settings, in order
    bool isIdle() const { return inWork().empty() && waiting().empty(); }
    /// Runs found queued when the database was opened, in order: nobody trains them until resume() is called.
    const std::vector<std::string>& leftQueued() const { return leftQueued_; }

    /// Returns once what was in the inbox before the call has been carried out or is under way.
    void pollInbox() { inbox_->waitRead(); }

    /// How the newest attempt of a run ended, once it has and is recorded.
    struct AttemptEnd {
        RunState state = RunState::Completed;
        std::string reason;
        std::optional<Error> error;  ///< what made it fail
        bool deviceLost = false;     ///< another process can go on
    };
    std::optional<AttemptEnd> ended(const std::string& run) const;
    /// The reason why the recorder cannot write now, and whether training waits for it; empty when it writes.
    std::string recorderProblem() const;
    /// Where everything recorded lies: the database, or the file it was saved to by close() when it was moved or removed.
    std::string database() const;
    /// After such a close(): what happened and which file to open. Else empty.
    std::string recoveryNotice() const;

private:
    /// A run and its place in the queue; of equal places the id decides, as in storage::startsBefore.
    using Waiting = std::pair<double, std::string>;
    /// One device: its waiting runs and its engine thread.
    struct Lane {
        std::set<Waiting> waiting;
        bool isBusy = false;  ///< trains a run
        std::thread thread;
    };
    /// What LibTorch has once for the whole process. Runs that want different values are never trained at the same time.
    struct ProcessSettings {
        bool deterministic = true, tf32 = false;
        std::int64_t threads = 0;
        bool operator==(const ProcessSettings&) const = default;
    };
    /// One run in work.
    struct Working {
        ProcessSettings settings;
        Mailbox mailbox;
        LiveState live;
        std::vector<std::uint64_t> questions;  ///< asked and not answered
    };

    void enqueue(const storage::RunRecord& run, const RunSpec& spec, const std::string& device);
    bool mayStart(const Lane& lane) const;
    void work(Lane& lane);
    AttemptEnd train(const std::string& run, Working& working);
    AttemptStart prepare(const storage::RunRecord& record, const RunSpec& spec, TrainRequest& request);
    void settle(const std::string& run, const AttemptEnd& end, const Working& working);
    std::string submit(const RunSpec& spec, const RunLabels& labels, std::int64_t request);
    bool withdraw(const std::string& run, const std::string& reason);
    bool unqueue(const std::string& run);
    void arrangeQueue(const std::map<std::string, double>& places);

    void serve(const storage::InboxRequest& row);
    void serve(const Request& request, const storage::InboxRequest& row);
    void refuseWhileStarting(const std::string& run, RunState recorded);
    void carryOut(const TimedEdit& edit, std::int64_t request);
    void onCommitted(const Event& event);
    void onDatabaseLost();
    std::string gatherFolders() const;
    RunState stateOf(const std::string& run);
    RunState settledStateOf(const std::string& run);
    storage::RunRecord recordOf(const std::string& run);

    Options options_;
    std::string artifacts_;
    std::vector<std::string> leftQueued_;

    std::mutex starting_;       ///< held while a request to train is carried out; before mutex_
    mutable std::mutex mutex_;  ///< guards what follows; never held while the recorder is waited for
    std::condition_variable changed_;
    std::map<std::string, std::unique_ptr<Lane>> lanes_;
    std::map<std::string, std::shared_ptr<Working>> working_;
    std::map<std::string, ProcessSettings> settings_;  ///< of the runs in `lanes_`
    std::map<std::string, AttemptEnd> ended_;
    std::map<std::uint64_t, std::function<void(bool, const Json&)>> questions_;
    std::uint64_t nextQuestion_ = 1;
    bool closing_ = false;

    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<InboxReader> inbox_;  ///< ends before the recorder, which its requests wait for
};

}  // namespace heddle::app
