// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/recorder/recorder.h"
#include "engine/base/error.h"
#include "engine/run/engine.h"
#include "engine/run/mailbox.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Trains attempts of runs and carries commands and questions to those in training. Thread-safe.
class AttemptRunner {
public:
    struct Options {
        std::string database, artifacts;  ///< absolute; `artifacts` is FILE.heddle.d
        std::string cacheFolder;
        std::function<std::shared_ptr<Engine>()> engine;
        std::size_t jobs = 1;         ///< runs at once, recorded with each attempt if more than one
        ProcessPlace processes = {};  ///< this process among those of a run; several train one attempt and no other
    };
    /// `recorder` must outlive this object.
    AttemptRunner(Options options, Recorder& recorder) : options_(std::move(options)), recorder_(recorder) {}

    /// From now on commands and questions to the run wait for its attempt.
    void expect(const std::string& run);
    /// Trains an attempt of an expected run on the calling thread until it has ended and its end is recorded. A failure is an
    /// event of the attempt and part of its end. `runsAtOnce` is called before the end. The run still belongs to its thread.
    void train(const std::string& run, const std::function<std::optional<RunsAtOnce>()>& runsAtOnce);

    /// The run no longer belongs to an engine thread: from now on its end is known. Called once after train(), in the step that
    /// releases it, so that no run has ended and is still active.
    void released(const std::string& run);

    using OnAnswer = std::function<void(bool ok, const Json&)>;
    /// Asks a run in training a question. Throws Error(Usage) if the run is not in training here. `callback` is called once.
    void ask(const std::string& run, const Json& question, OnAnswer callback);
    void deliver(const Answer& answer);
    /// Sends a command to a run in training. Throws Error(Usage) if the run is not in training here.
    void command(const std::string& run, Command command);
    /// Stops all attempts at their next step border; none waits any longer for a disk that cannot be written.
    void stopAll(const std::string& reason);
    /// Requests a checkpoint of each run whose folder still exists. A missing folder is not recreated, so that the old one can
    /// be restored; the checkpoint is then written when the run stops.
    void checkpointAll();

    /// How a run's newest attempt ended.
    struct End {
        RunState state = RunState::Completed;
        std::string reason;
        std::optional<Error> error;  ///< its failure
        bool deviceLost = false;     ///< another process can continue
    };
    std::optional<End> ended(const std::string& run) const;
    void setEnd(const std::string& run, End end);  ///< for a run that leaves the queue without an attempt
    void forgetEnd(const std::string& run);

    /// Returns the runs whose attempts wait for the recorder, each with the reason: "recorder" (it cannot write) or "database"
    /// (the file was moved or removed).
    std::map<std::string, std::string> held() const;

private:
    struct Attempt {
        Mailbox mailbox;
        StateChanged live{RunState::Preparing, ""};  ///< as emitted, even if it cannot be recorded
        std::vector<std::uint64_t> questions;        ///< unanswered ones
        std::optional<End> end;                      ///< of train(), which takes no command any more; till it is released
    };
    class Sink;
    End trainAttempt(const std::string& run, Attempt& attempt, const std::function<std::optional<RunsAtOnce>()>& runsAtOnce);
    void requireFirst(const std::string& run);
    void noteProcesses(const storage::AttemptRecord& last, std::vector<std::string>& notes) const;
    AttemptStart prepare(const storage::RunRecord& record, const RunSpec& spec, TrainRequest& request);
    void finish(const std::string& run, const End& end);
    void setLive(Attempt& attempt, const StateChanged& change);
    Attempt& attemptOf(const std::string& run, const char* problem, const char* next);

    const Options options_;
    Recorder& recorder_;
    mutable std::mutex mutex_;  ///< guards what follows; never held while waiting for the recorder
    std::map<std::string, std::unique_ptr<Attempt>> attempts_;
    std::map<std::string, End> ended_;
    std::map<std::uint64_t, OnAnswer> questions_;
    std::uint64_t nextQuestion_ = 1;
    bool stopping_ = false;
    bool hasMet_ = false;  ///< the processes have begun the one attempt that several can train
};

}  // namespace heddle::app
