// SPDX-License-Identifier: Apache-2.0
// How the studio commands the runs of one database file, whoever trains them: this process, a child of its own, the CLI.
#pragma once

#include "app/session/child_host.h"
#include "app/session/run_session.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle::app {

/// Owns the database only while there is something to do: becomes the owner when a call needs one and nobody is, gives it back
/// when idle, so that the CLI can have it; while somebody else owns it, calls go through its inbox. On opening, and when an
/// owner disappears, runs that it left in work are recorded as interrupted. Thread-safe; calls may take seconds.
class DatabaseControl final : public RunControl {
public:
    /// Who trains what this object is asked to train.
    enum class Host {
        Thread,  ///< a RunSession in this process
        Child    ///< a process of its own that outlives this one
    };
    struct Options {
        RunSession::Options session;  ///< database, owner's name, engine
        Host host = Host::Thread;
        std::function<std::unique_ptr<ChildHost>(const std::string& database)> startChild;  ///< default: startServer
        double ownerPatience = 30;                                                          ///< seconds, for an answer
        double releaseAfter = 2;                                                            ///< seconds without work
        std::chrono::milliseconds lookEvery{1000};
    };
    explicit DatabaseControl(Options options);
    ~DatabaseControl() override;  ///< close()

    std::string submit(const RunSpec& spec) override;
    void resume(const std::string& run) override;
    void command(const std::string& run, RunVerb verb, const std::string& reason) override;
    void edit(const Edit& edit) override;
    void ask(const std::string& run, const Json& question, std::function<void(bool ok, const Json&)> callback) override;

    /// From the next run on.
    void setHost(Host host);

    struct Status {
        std::string owner;                     ///< who owns the database: "" nobody, else the owner's text
        bool looked = false;                   ///< false: not looked yet
        bool here = false;                     ///< that is this process
        std::vector<std::string> inWork;       ///< runs that this process trains
        std::vector<std::string> waiting;      ///< runs in its queue
        std::vector<std::string> interrupted;  ///< runs that this process found abandoned and recorded so
        std::vector<std::string> lost;         ///< runs that failed here because this process has lost its GPU
        /// Runs that this process holds paused, whatever the database says, with the reason: RunSession::heldRuns().
        std::map<std::string, std::string> held;
        std::string problem;  ///< why nothing can be recorded, or why the last attempt could not begin
    };
    /// As of the last look; never waits.
    Status status() const;

    /// Stops what this process trains at the next step border and lets a child go on with it and the queue. Nothing happens
    /// when this process trains nothing. Throws Error when the child cannot be started: the runs are stopped then and can be
    /// resumed.
    void handOver();
    /// Stops what this process trains, writes checkpoints and gives the database back; calls fail from then on. Empty, or what
    /// could not be recorded.
    std::string close();

private:
    using Direct = std::function<std::string(RunSession&)>;
    std::string act(const TimedRequest& request, const Direct& direct);
    std::string askThrough(const TimedRequest& request);
    bool becomeOwner();
    void ensureOwner();
    void waitForChild();
    std::string release();
    void recordInterrupted();
    void look();
    void keep();
    void publish();

    Options options_;
    mutable std::mutex use_;  ///< guards the session and the child; held during direct calls, never while waiting for others
    std::unique_ptr<RunSession> session_;
    std::unique_ptr<ChildHost> child_;
    std::chrono::steady_clock::time_point used_;
    std::string ownerSeen_, endedProblem_, recoveryNotice_;
    /// Somebody else may have had the database since it was last looked at without an owner.
    bool othersSinceLook_ = true;
    std::vector<std::string> interrupted_, lost_;
    std::vector<std::string> begun_;  ///< runs started here whose end has not been looked at
    bool closed_ = false;

    mutable std::mutex statusMutex_;
    Status status_;

    std::mutex questionMutex_;
    std::list<std::jthread> questions_;  ///< each waits for one answer of another process

    std::mutex wakeMutex_;
    std::condition_variable wake_;
    bool ending_ = false;
    std::thread keeper_;
};

/// Makes an empty run database, with its folder, where there is none; leaves one that is there alone.
/// Throws storage::StorageError or Error(Failure).
void createDatabase(const std::string& file);

}  // namespace heddle::app
