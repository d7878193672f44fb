// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/requests.h"
#include "engine/spec/run_spec.h"

#include <functional>
#include <string>

namespace heddle {

/// The interface to submit, command, edit and ask (design section 2). app/session implements it; the studio's views receive it
/// in their constructors, and the CLI uses the same class. A call returns once the request is recorded or sent (milliseconds;
/// seconds on a slow disk or while another process answers, so never call it on a GUI thread); results are read from the run
/// database. Thread-safe.
class RunControl {
public:
    virtual ~RunControl() = default;

    /// Stores the run in state queued and returns its id. `group`: of the run; empty: none. Throws Error when the spec is
    /// invalid or the database refuses.
    virtual std::string submit(const RunSpec& spec, const std::string& group) = 0;

    /// Queues a new attempt of a stopped, failed or interrupted run from its newest verified checkpoint; also starts a run left
    /// queued by an earlier owner. Throws Error(Usage) for a completed run.
    virtual void resume(const std::string& run) = 0;

    /// Sends a verb (pause, resume, stop, checkpoint) to a run, here or in another process. Throws Error when the transition
    /// table forbids it.
    virtual void command(const std::string& run, RunVerb verb, const std::string& reason) = 0;

    /// Changes rows of a run or of the database. Later changes of the same values win. Throws Error when the edit is refused.
    virtual void edit(const Edit& edit) = 0;

    /// Asks a run in training; the callback receives the answer on an unspecified thread.
    virtual void ask(const std::string& run, const Json& question, std::function<void(bool ok, const Json&)> callback) = 0;
};

}  // namespace heddle
