// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"
#include "engine/train/checkpoint/named_tensors.h"
#include "engine/train/checkpoint/train_state.h"

#include <string>

namespace heddle {

/// One point of training: what a folder step-N holds (weights.safetensors, optimizer.safetensors, state.json). Equal values
/// give equal bytes: no time, host or run id is in them.
struct Checkpoint {
    NamedTensors weights, optimizer;
    TrainState state;
    Json identity;  ///< what the run is: seed, hashes of variant, run spec, data, tokenizers, classes; vocabulary sizes
};

/// "step-1200"
std::string checkpointName(std::int64_t step);

/// Writes <runFolder>/step-N: temporary folder → every file synced and read back against its SHA-256 → folder synced → renamed
/// → parent synced. Either the whole checkpoint is there afterwards or nothing has changed; the temporary folder is removed on
/// failure. A folder that already holds the same bytes is left as it is. Throws DiskFullError (also when the free space would
/// not do) or Error(Failure) naming the folder. The kind of the result is left to the caller.
CheckpointWritten writeCheckpoint(const std::string& runFolder, const Checkpoint& checkpoint);

/// Reads and verifies: each file against the SHA-256 in state.json before any tensor is used. Throws Error(InvalidInput).
Checkpoint readCheckpoint(const std::string& folder);

/// The weights alone, verified likewise.
NamedTensors readCheckpointWeights(const std::string& folder);

/// What the run is, as the checkpoint records it. Throws Error(InvalidInput).
Json readCheckpointIdentity(const std::string& folder);

/// Removes what a killed process left half-written in a run's folder. Only the run's one trainer may call it.
void removeLeftovers(const std::string& runFolder);

}  // namespace heddle
