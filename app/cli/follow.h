// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"
#include "app/session/host/run_session.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace heddle::app {

/// Opens the database as its owner, who trains `jobs` runs at once on the CPU. If another process owns it, throws
/// Error(Failure) that names the owner and ends with `hint`.
std::unique_ptr<RunSession> openSession(const Context& context, const std::string& command, const std::string& hint,
                                        std::size_t jobs = 1);
/// The same for a run that this process, rank 0, trains with others.
std::unique_ptr<RunSession> openSession(const Context& context, const std::string& command, const std::string& hint,
                                        const ProcessPlace& processes);

/// Submits or resumes a run; returns its id.
using BeginRun = std::function<std::string(RunSession&)>;

/// Begins a run and shows the progress of it and all queued runs until there is no more work or a signal arrives; then closes
/// the session and prints the run. Returns the exit code of design section 8; throws the error of a failed run.
int followRun(const Context& context, std::unique_ptr<RunSession> session, const BeginRun& begin);

/// Begins the next of several runs; nothing: all are done.
using BeginNext = std::function<std::optional<std::string>(RunSession&)>;

/// Begins runs, `jobs` at once, and shows the progress of one of those in training until `next` returns nothing and all have
/// ended, or a signal arrives; then closes the session. Returns 0 or the exit code of the signal. `next` checks how runs ended.
int followRuns(const Context& context, std::unique_ptr<RunSession> session, const BeginNext& next, std::size_t jobs = 1);

/// Text of `train`, `resume` and `runs show`, or their JSON document.
void printRun(const Context& context, const std::string& run);

}  // namespace heddle::app
