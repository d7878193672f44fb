// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"
#include "app/cli/context.h"
#include "engine/run/engine.h"
#include "storage/run_query.h"

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

/// A verified checkpoint.
struct ChosenCheckpoint {
    storage::RunRecord run;
    storage::CheckpointRecord record;
    std::string artifacts;  ///< absolute FILE.heddle.d
    std::string precision;  ///< recorded precision of the run; empty: none
    std::string folder() const { return artifacts + "/" + record.folder; }
};

/// The spec of the checkpoint's run, with assignments; precision "auto" becomes the recorded one.
RunSpec readRunSpec(const ChosenCheckpoint& chosen, const std::vector<std::string>& assignments);

/// Throws Error(Usage) naming the available checkpoints, Error(InvalidInput) for a damaged one.
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
