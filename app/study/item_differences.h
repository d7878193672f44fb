// SPDX-License-Identifier: Apache-2.0
// Differences of a study over seeds and test items together, from the outputs of its runs in files.
#pragma once

#include "engine/analysis/study.h"
#include "storage/run_query.h"

#include <cstdint>
#include <map>
#include <string>

namespace heddle::app {

class StudyRuns;

/// "gated-3", the file of a run without its ending, in reports and in the folder of outputs: letters, digits, ".", "-" and "_"
/// of the row's name stay, at most 60 bytes of it.
std::string fileNameOf(const std::string& row, std::uint64_t seed);

/// Of each row of the verdict beside the baseline (StudyVerdict::items). The files are `outputs`/ROW-SEED.txt, a sentence a
/// line, for BLEU and chrF, and `outputs`/ROW-SEED.tsv, a table of `heddle classify --predictions`, for accuracy and F1. Every
/// run that counts must have one, and its score must be the run's recorded value: outputs of another checkpoint or another test
/// set are refused. `runs` is refreshed. Throws storage::StorageError.
std::map<std::string, TwoLevelDifference> itemDifferences(const StudyRuns& runs, const StudyVerdict& verdict,
                                                          storage::RunQuery& query);

}  // namespace heddle::app
