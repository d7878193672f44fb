// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"
#include "engine/train/checkpoint/named_tensors.h"
#include "engine/train/checkpoint/train_state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// The contents of a folder step-N or average-N-M-… (weights.safetensors, optimizer.safetensors, state.json). Equal values give
/// equal bytes: they contain no time, host or run id.
struct Checkpoint {
    NamedTensors weights, optimizer;
    TrainState state;
    Json identity;  ///< identity of the run: seed, hashes of variant, run spec, data, tokenizers, classes; vocabulary sizes
    /// Steps of the checkpoints of which `weights` are the mean; empty: a state from which training goes on. An average has no
    /// optimizer state, and the training state and identity of the newest of them.
    std::vector<std::int64_t> averaged = {};
};

/// "step-1200"
std::string checkpointName(std::int64_t step);

/// "average-400-500-600"
std::string averageName(const std::vector<std::int64_t>& steps);

/// Writes <runFolder>/step-N, or the folder of an average, atomically: temporary folder → every file synced and read back
/// against its SHA-256 → folder synced → renamed → parent synced. On failure earlier checkpoints are untouched and the
/// temporary folder is removed. A folder that already holds the same bytes is kept. Throws DiskFullError (also when free space
/// is too small), Error(Failure) naming the folder, or Error(InvalidInput) where a link is in its place. The caller sets
/// `kinds` of the result.
CheckpointWritten writeCheckpoint(const std::string& runFolder, const Checkpoint& checkpoint);

/// Reads a checkpoint and verifies each file against the SHA-256 in state.json before using any tensor. A file that is a link
/// is not followed. Throws Error(InvalidInput).
Checkpoint readCheckpoint(const std::string& folder);

/// Reads only the state and the identity; no tensors. Throws Error(InvalidInput).
Checkpoint readCheckpointState(const std::string& folder);

/// Reads only the weights, verified likewise.
NamedTensors readCheckpointWeights(const std::string& folder);

/// The recorded identity of the run. Throws Error(InvalidInput).
Json readCheckpointIdentity(const std::string& folder);

/// Removes incomplete files of a killed process from a run's folder. Only the run's trainer may call it.
void removeLeftovers(const std::string& runFolder);

}  // namespace heddle
