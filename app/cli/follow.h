// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"
#include "app/session/run_session.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace heddle::app {

/// Opens the database as its owner. When another process owns it: Error(Failure) that names the owner and ends with `hint`.
std::unique_ptr<RunSession> openSession(const Context& context, const std::string& command, const std::string& hint);

/// Submits or resumes a run: what a command begins with. Returns the run's id.
using BeginRun = std::function<std::string(RunSession&)>;

/// Begins a run and shows how it, and everything queued beside it, is trained until there is no more work or a signal came;
/// then closes the session and prints the run. Returns the exit code of design section 8; throws what made the run fail.
int followRun(const Context& context, std::unique_ptr<RunSession> session, const BeginRun& begin);

/// Begins the next of several runs, or none when there is nothing more to do.
using BeginNext = std::function<std::optional<std::string>(RunSession&)>;

/// Begins one run after the other, each when the one before has ended, and shows how it is trained, until there is none or a
/// signal came; then closes the session. Returns 0 or the exit code of the signal. How runs ended is for `next` to ask.
int followRuns(const Context& context, std::unique_ptr<RunSession> session, const BeginNext& next);

/// Text of `train`, `resume` and `runs show`, or their JSON document.
void printRun(const Context& context, const std::string& run);

}  // namespace heddle::app
