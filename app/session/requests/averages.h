// SPDX-License-Identifier: Apache-2.0
// The mean of the weights of a run's checkpoints, and its evaluations.
#pragma once

#include "engine/run/engine.h"
#include "storage/run_query.h"
#include "storage/run_store.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle::app {

/// The greatest number of checkpoints that are averaged: their steps are the name of the average's folder.
inline constexpr std::size_t kMostAveraged = 20;

/// The steps of the newest `count` checkpoints of a run, ascending. Only the kinds "step" and "last" count: the checkpoint
/// "best" may be much older, and that of step 0 is untrained. Throws Error(Usage) if there are fewer, with their number and
/// what to do, or if `count` is below 2 or above kMostAveraged.
std::vector<std::int64_t> lastSteps(storage::RunQuery& query, const storage::RunRecord& run, std::int64_t count);

/// Becomes the owner of a database. Throws Error(Failure), ending with `hint`, where another process is.
std::unique_ptr<storage::RunStore> ownDatabase(const std::string& database, const std::string& owner, const std::string& hint);

/// Carries out a change of rows, in one durable transaction of the database's owner.
using Changer = std::function<void(const std::function<void(storage::RunStore&)>&)>;
/// Changes by the owner itself, which must outlive the function.
Changer changerOf(storage::RunStore& owner);

/// Checkpoints of a run, by their steps, ascending.
struct AveragedSteps {
    const storage::RunRecord& run;
    std::vector<std::int64_t> steps;
};

/// Writes the mean of their weights to `file`, as safetensors, and records nothing. The files of each are verified against its
/// record, as before a resume. Throws Error(Usage) for a step that is not kept and for too few or too many, Error(InvalidInput)
/// for damage, and as Engine::averageCheckpoints.
CheckpointWritten exportAverage(storage::RunQuery& query, const std::string& database, Engine& engine,
                                const AveragedSteps& averaged, const std::string& file);

/// Adds the mean of their weights to the run's checkpoints, of kind "average-400-500-600". One that is there stays if it is
/// whole and no later attempt wrote a checkpoint of it again. Throws as exportAverage().
storage::CheckpointRecord addAverage(const std::string& database, const Changer& change, Engine& engine,
                                     const AveragedSteps& averaged);

/// What of an average is evaluated.
struct AverageEvaluation {
    std::string run;         ///< id
    std::int64_t count = 0;  ///< of the last checkpoints
    std::string split = "valid", device = "auto";
};

struct EvaluatedAverage {
    storage::CheckpointRecord checkpoint;
    EvaluationReport report;  ///< as it is recorded: split averagedSplit(), "averaged 5 checkpoints" in every signature
};

/// Adds the average of the run's last checkpoints, evaluates it as the run's own checkpoints are, and records the values at the
/// step of the newest of them, on split averagedSplit(). Throws as addAverage() and Engine::evaluate.
EvaluatedAverage evaluateAverage(const std::string& database, const Changer& change, Engine& engine,
                                 const AverageEvaluation& asked);

/// For programs that need the values after training. Evaluates each average as evaluateAverage() does, except those that
/// storage::isAverageEvaluated() finds recorded. Owns the database meanwhile: close the training session before.
void ensureAveragesEvaluated(const std::string& database, const std::function<std::shared_ptr<Engine>()>& engine,
                             const std::vector<AverageEvaluation>& asked);

}  // namespace heddle::app
