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

/// Returns the name of a run's file without its ending, in reports and in the folder of outputs: "gated-3". At most 60 bytes of
/// the row's name are used. Letters, digits, ".", "-" and "_" of it stay.
std::string fileNameOf(const std::string& row, std::uint64_t seed);

/// Returns the difference of each row of the verdict from the baseline (StudyVerdict::items); empty if the study names no
/// folder with outputs. The files are `outputs`/ROW-SEED.txt, one sentence a line, for BLEU and chrF, and
/// `outputs`/ROW-SEED.tsv, a table of `heddle classify --predictions`, for accuracy and F1. Every run that counts must have a
/// file, and the score of the file must be the run's recorded value, so that outputs of another checkpoint or another test set
/// are refused. `runs` must have been refreshed. Throws storage::StorageError.
std::map<std::string, TwoLevelDifference> itemDifferences(const StudyRuns& runs, const StudyVerdict& verdict,
                                                          storage::RunQuery& query);

}  // namespace heddle::app
