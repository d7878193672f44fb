// SPDX-License-Identifier: Apache-2.0
// Weights of other programs as runs of a database, and those of runs for other programs.
#pragma once

#include "app/session/runs/chosen_checkpoint.h"
#include "engine/run/engine.h"
#include "storage/run_store.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

struct ImportedModel {
    std::string run;  ///< id
    ImportedWeights weights;
};

/// Adds a folder of transformers as a completed run of step 0, whose checkpoint is of kinds best and last; `asked.runFolder` is
/// set here. Nothing is left behind where it throws. Throws Error as Engine::importWeights, and StorageError.
ImportedModel importModel(storage::RunStore& owner, Engine& engine, WeightsImport asked);

/// Writes a checkpoint to `path`, all or nothing. With a form, a folder of transformers; without one, a file that ends with
/// .safetensors gets the weights alone, and a folder gets weights.safetensors, spec.json and the folder tokenizer. Throws
/// Error(Usage) where something is at `path` already or a form is asked for in a file, and as Engine::exportWeights.
ExportedWeights exportModel(const ChosenCheckpoint& chosen, Engine& engine, const std::string& path,
                            std::optional<PublishedForm> form);

}  // namespace heddle::app
