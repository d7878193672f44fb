// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/host/attempt_sink.h"
#include "app/session/host/company.h"
#include "app/session/recorder/recorder.h"
#include "app/session/requests/inbox_reader.h"
#include "app/session/requests/requests.h"
#include "app/session/runs/extension.h"
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

/// Group and tags of a new run.
struct RunLabels {
    std::string group;  ///< "reproduce/eau-grc-table3 --quick", or empty
    std::vector<std::string> tags;
};

/// The owner of one run database: its queue, its engine threads (`jobs` for the CPU, one for a GPU), its recorder, and the
/// thread that executes requests of other processes. Results are read from the database; this class only adds what an
/// unwritable database cannot show.
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
        /// A GPU trains one: its memory and its captured graphs are of one run.
        std::size_t jobs = 1;
    };
    /// Opens or creates the database and records runs that a dead owner left active as interrupted. Throws
    /// storage::StorageError.
    explicit RunSession(Options options);
    ~RunSession() override;  ///< close()

    /// stopAll(), waits for the end, writes the queue and releases the database. Returns empty, or what could not be recorded.
    std::string close();

    std::string submit(const RunSpec& spec) override { return submit(spec, {}, 0); }
    /// The same; stores the labels in the transaction that creates the run.
    std::string submit(const RunSpec& spec, const RunLabels& labels) { return submit(spec, labels, 0); }
    /// Also starts a run left queued by an earlier owner. Throws Error(Usage) for one that is active, waiting, or in the trash.
    void resume(const std::string& run) override { resume(run, {}); }
    /// The same with new limits, which become part of the run's spec; also continues a completed run.
    void resume(const std::string& run, const Extension& extension);
    void command(const std::string& run, RunVerb verb, const std::string& reason) override;
    void edit(const Edit& edit) override;
    /// Carries out `change` in one durable transaction, after all that was recorded before, and waits for it. Rethrows its
    /// exceptions; nothing is changed then.
    void change(const std::function<void(storage::RunStore&)>& change);
    void ask(const std::string& run, const Json& question, std::function<void(bool ok, const Json&)> callback) override;

    /// Stops every active run; waiting runs stay queued and are not started.
    void stopAll(const std::string& reason);
    /// The same for an idle session; returns false and does nothing if there is work. A concurrent request of another process
    /// to train is either accepted before, and counts as work, or left to the next owner.
    bool stopIfIdle();
    std::vector<std::string> activeRuns() const;  ///< runs on an engine thread
    /// Numbers of runs, of one moment: a run that an engine thread takes from the queue is in one of the two.
    struct Load {
        std::size_t active = 0, waiting = 0;
        bool operator==(const Load&) const = default;
    };
    Load load() const;
    /// Active runs that wait for the recorder, with the reason: "recorder" (it cannot write), "database" (the file was moved
    /// or removed). They are paused, even if the database does not show it, and continue automatically.
    std::map<std::string, std::string> heldRuns() const;
    std::vector<std::string> waiting() const;  ///< runs waiting for their device or for runs with other settings, in order
    bool isIdle() const { return load() == Load{}; }
    /// Runs found queued when the database was opened, in order; they start only after resume().
    const std::vector<std::string>& leftQueued() const { return leftQueued_; }

    /// Returns once all requests in the inbox before the call have been executed or started.
    void pollInbox() { inbox_->waitRead(); }

    /// The end of a run's newest attempt, once it is recorded.
    struct AttemptEnd {
        RunState state = RunState::Completed;
        std::string reason;
        std::optional<Error> error;  ///< its failure
        bool deviceLost = false;     ///< another process can continue
    };
    std::optional<AttemptEnd> ended(const std::string& run) const;
    /// Why the recorder cannot write now, and whether training waits for it; empty: no problem.
    std::string recorderProblem() const;
    /// The file with all records: the database, or the file to which close() saved it after it was moved or removed.
    std::string database() const;
    /// After such a close(): a notice with the file to open. Else empty.
    std::string recoveryNotice() const;

private:
    /// Queue position and id of a run; ties are broken by id, as in storage::startsBefore.
    using Waiting = std::pair<double, std::string>;
    /// One device: its waiting runs and its engine threads.
    struct Lane {
        std::set<Waiting> waiting;
        std::size_t idle = 0;  ///< threads that train no run
        std::vector<std::thread> threads;
    };
    /// Process-wide settings of LibTorch. Runs with different values are never trained at the same time.
    struct ProcessSettings {
        bool deterministic = true, tf32 = false;
        std::int64_t threads = 0;
        bool operator==(const ProcessSettings&) const = default;
    };
    /// One active run.
    struct Working {
        ProcessSettings settings;
        Mailbox mailbox;
        LiveState live;
        std::vector<std::uint64_t> questions;  ///< unanswered questions
        Company company;                       ///< since an engine thread took it
    };
    /// While this object lives, its run is being put into the queue, and no other thread can put it there.
    class Queueing {
    public:
        /// Throws Error(Usage) if another thread does so.
        Queueing(RunSession& session, std::string run);
        ~Queueing();
        Queueing(const Queueing&) = delete;
        Queueing& operator=(const Queueing&) = delete;

    private:
        RunSession& session_;
        const std::string run_;
    };

    void enqueue(const storage::RunRecord& run, const RunSpec& spec, const std::string& device);
    bool mayStart(const Lane& lane) const;
    Load loadNow() const;
    void countCompany();
    std::optional<RunsAtOnce> companyOf(const Working& working);
    void work(Lane& lane);
    AttemptEnd train(const std::string& run, Working& working);
    AttemptStart prepare(const storage::RunRecord& record, const RunSpec& spec, TrainRequest& request);
    void finishAttempt(const std::string& run, const AttemptEnd& end, const Working& working);
    std::string submit(const RunSpec& spec, const RunLabels& labels, std::int64_t request);
    bool withdraw(const std::string& run, const std::string& reason);
    bool dequeue(const std::string& run);
    void updateQueue(const std::map<std::string, double>& places);

    void serve(const storage::InboxRequest& row);
    void serve(const Request& request, const storage::InboxRequest& row);
    void refuseWhileStarting(const std::string& run, RunState recorded);
    void executeEdit(const TimedEdit& edit, std::int64_t request);
    void onCommitted(const Event& event);
    void onDatabaseLost();
    std::string linkCheckpointFolders() const;
    RunState stateOf(const std::string& run);
    RunState committedStateOf(const std::string& run);
    storage::RunRecord recordOf(const std::string& run);

    Options options_;
    std::string artifacts_;
    std::vector<std::string> leftQueued_;

    std::mutex starting_;       ///< held while executing a request to train; locked before mutex_
    mutable std::mutex mutex_;  ///< guards what follows; never held while waiting for the recorder
    std::condition_variable changed_;
    std::map<std::string, std::unique_ptr<Lane>> lanes_;
    std::map<std::string, std::shared_ptr<Working>> working_;
    std::map<std::string, ProcessSettings> settings_;  ///< of the runs in `lanes_`
    std::set<std::string> queueing_;                   ///< runs that are being put into `lanes_`
    std::map<std::string, AttemptEnd> ended_;
    std::map<std::uint64_t, std::function<void(bool, const Json&)>> questions_;
    std::uint64_t nextQuestion_ = 1;
    bool closing_ = false;

    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<InboxReader> inbox_;  ///< destroyed before the recorder, for which its requests wait
};

}  // namespace heddle::app
