// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/diff.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Whether examples of this data.format are computed rather than read from files.
bool isGenerated(const std::string& format);

/// Throws Error(InvalidInput) unless training data are named and every named file exists, for pairs both files of a split; call
/// it before creating a run.
void requireDataFiles(const DataSpec& data);

/// The contents of the files that a run was trained with: its recorded data hashes, which have no names, and the hash of the
/// weights that it began from. Of files in whose place the hashes leave a doubt there is none.
FileContents fileContents(const RunSpec& run, const std::vector<std::string>& dataHashes);

/// The name under which evaluations of the mean of a run's last `count` checkpoints on a split stand: "valid-average-5". So
/// they stand beside those of the last checkpoint, not in their place.
std::string averagedSplit(const std::string& split, std::int64_t count);

/// What the examples of a split, also of averagedSplit(), are, for comparison: the contents of its files, or of the training
/// files that it was drawn from; empty where they are not known.
std::string splitContent(const FileContents& contents, const std::string& split);

}  // namespace heddle
