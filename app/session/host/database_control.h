// SPDX-License-Identifier: Apache-2.0
// The studio's control over the runs of one database file, trained by this process, a child process or the CLI.
#pragma once

#include "app/session/host/child_host.h"
#include "app/session/host/run_session.h"
#include "storage/owner.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle::app {

/// Owns the database only while there is work: becomes the owner when a call needs one and there is none, and releases it when
/// idle, so that the CLI can use it. While another process owns it, calls go through its inbox. On opening, and when an owner
/// disappears, runs that it left active are recorded as interrupted. Thread-safe; calls may take seconds.
class DatabaseControl final : public RunControl {
public:
    /// Where this object trains runs.
    enum class Host {
        Thread,  ///< a RunSession in this process
        Child    ///< a child process that outlives this one
    };
    struct Options {
        RunSession::Options session;  ///< database, owner's name, engine
        Host host = Host::Thread;
        std::function<std::unique_ptr<ChildHost>(const std::string& database)> startChild;  ///< default: startServer
        double answerTimeout = 30;                                                          ///< seconds to wait for an answer
        double releaseAfter = 2;                                                            ///< seconds without work
        std::chrono::milliseconds refreshEvery{1000};
    };
    explicit DatabaseControl(Options options);
    ~DatabaseControl() override;  ///< close()

    std::string submit(const RunSpec& spec, const std::string& group) override;
    void resume(const std::string& run) override;
    void command(const std::string& run, RunVerb verb, const std::string& reason) override;
    void edit(const Edit& edit) override;
    void ask(const std::string& run, const Json& question, std::function<void(bool ok, const Json&)> callback) override;

    /// Calls RunSession::change() as the owner. A change cannot be sent to another process: while one owns the database, this
    /// throws StorageError with its name.
    void change(const std::function<void(storage::RunStore&)>& change);

    /// Takes effect with the next run.
    void setHost(Host host);

    struct Status {
        storage::Owner owner;                  ///< owner of the database; empty: none
        bool isChecked = false;                ///< false: not checked yet
        bool here = false;                     ///< this process is the owner
        std::vector<std::string> activeRuns;   ///< runs that this process trains
        std::vector<std::string> waiting;      ///< runs in its queue
        std::vector<std::string> interrupted;  ///< runs that this process recorded as interrupted
        std::vector<std::string> lost;         ///< runs that failed because this process lost its GPU
        /// Runs paused by this process although the database may not show it, with the reason: RunSession::heldRuns().
        std::map<std::string, std::string> held;
        std::string problem;  ///< why nothing can be recorded, or why the last attempt could not start
    };
    /// As of the last refresh; does not block.
    Status status() const;

    /// Stops the runs of this process at the next step border and lets a child continue them and the queue. Does nothing if
    /// this process trains nothing. Throws Error when the child cannot be started; the runs are then stopped and can be
    /// resumed.
    void handOver();
    /// Stops the runs of this process, writes checkpoints and releases the database; later calls fail. Returns empty, or what
    /// could not be recorded.
    std::string close();

private:
    using AsOwner = std::function<std::string(RunSession&)>;
    std::string execute(const TimedRequest& request, const AsOwner& asOwner);
    std::string executeThroughInbox(const TimedRequest& request);
    [[noreturn]] void throwClosing() const;
    void openSession();
    bool becomeOwner();
    void ensureOwner();
    void waitForChild();
    std::string release();
    void recordInterrupted();
    void refresh();
    void refreshUntilClosed();
    void publish();

    Options options_;
    /// Guards the session and the child; held during calls as the owner, never while waiting for others.
    mutable std::mutex use_;
    std::unique_ptr<RunSession> session_;
    std::unique_ptr<ChildHost> child_;
    std::chrono::steady_clock::time_point used_;
    storage::Owner ownerSeen_;
    std::string endedProblem_, recoveryNotice_;
    /// Another process may have owned the database since the last refresh without owner.
    bool ownersSinceRefresh_ = true;
    std::vector<std::string> interrupted_, lost_;
    std::vector<std::string> started_;  ///< runs started here whose end has not been processed
    bool closed_ = false;

    mutable std::mutex statusMutex_;
    Status status_;

    std::mutex questionMutex_;
    std::list<std::jthread> questions_;  ///< each thread waits for one answer of another process

    std::mutex wakeMutex_;
    std::condition_variable wake_;
    bool ending_ = false;
    std::thread refresher_;
};

/// Creates an empty run database and its folder if missing; keeps an existing one. Throws storage::StorageError or
/// Error(Failure).
void createDatabase(const std::string& file);

}  // namespace heddle::app
