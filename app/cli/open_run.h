// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"
#include "app/cli/context.h"
#include "app/session/runs/chosen_checkpoint.h"
#include "engine/run/engine.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::app {

/// The model of a command.
struct ModelChoice {
    std::string run, checkpoint = "best", device = "auto";
};

/// Declares --run, --checkpoint and --device.
void addModelOptions(CommandBuilder& command, ModelChoice& choice);

/// The requested checkpoint of the run that the user names. Notes on stderr that none is marked best, if so.
ChosenCheckpoint chooseCheckpoint(const std::string& run, const std::string& requested, const Context& context);

/// Assignments that make a new run start from a checkpoint, or from the weights at `place`.
std::vector<std::string> startAssignments(const ChosenCheckpoint& checkpoint);
std::vector<std::string> startAssignments(const std::string& place, const std::string& weightsSha256);

/// A trained run's model, ready for inference.
struct OpenedRun {
    std::string run;  ///< id
    RunSpec spec;
    std::int64_t step = 0;
    std::shared_ptr<Engine> engine;  ///< outlives the session
    std::unique_ptr<InferenceSession> session;
};

/// Loads the chosen checkpoint; throws as chooseCheckpoint() does.
OpenedRun openRun(const ModelChoice& choice, const Context& context);

/// Notes on stderr that decoding is not incremental, if so.
void noteObstacle(const OpenedRun& opened, const Context& context);

/// Warns on stderr why decoding was slower than possible, if it was.
void noteWarning(const OpenedRun& opened, const Context& context);

}  // namespace heddle::app
