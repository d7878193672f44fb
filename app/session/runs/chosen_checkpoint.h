// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"
#include "storage/records.h"
#include "storage/run_query.h"

#include <string>
#include <vector>

namespace heddle::app {

/// A checkpoint whose files verify, and its run.
struct ChosenCheckpoint {
    storage::RunRecord run;
    storage::CheckpointRecord record;
    std::string artifacts;                  ///< absolute FILE.heddle.d
    Precision precision = Precision::Auto;  ///< recorded precision of the run; Auto: none
    std::string folder() const { return artifacts + "/" + record.folder; }
    std::string runFolder() const { return artifacts + "/" + run.id; }
};

/// Chooses a checkpoint of a run of `database`, which `query` reads, and verifies its files. `requested` is "best", "last", a
/// step, "average" (the newest one that `heddle average` made) or the kind of one of those. "best" means the newest checkpoint
/// of kind "best"; if there is none, the newest checkpoint that is no average. Throws Error(Usage) with a list of the
/// checkpoints if none matches, or if several averages of the newest step exist, or Error(InvalidInput) where its files are
/// damaged.
ChosenCheckpoint chooseCheckpoint(storage::RunQuery& query, const std::string& database, const storage::RunRecord& run,
                                  const std::string& requested);

/// Reads the spec of a run and applies assignments. Throws Error(InvalidInput) for a damaged row.
RunSpec readRunSpec(const storage::RunRecord& run, const std::vector<std::string>& assignments = {});
/// Does the same for the checkpoint's run; precision "auto" becomes the recorded one.
RunSpec readRunSpec(const ChosenCheckpoint& chosen, const std::vector<std::string>& assignments = {});

}  // namespace heddle::app
