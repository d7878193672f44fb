// SPDX-License-Identifier: Apache-2.0
// What a report says of a study, collected once; its writers (report_tables.h, report_folder.h) only arrange it.
#pragma once

#include "app/study/report_checks.h"
#include "app/study/report_curves.h"
#include "app/study/study_runs.h"
#include "engine/analysis/comparable.h"
#include "engine/analysis/mean_curve.h"
#include "engine/analysis/noise_floor.h"
#include "storage/run_query.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Of one row: the mean of the study's metric over the runs that count, at the steps that all of them have, with its range.
struct ReportedCurve {
    std::string row;
    std::size_t runs = 0;
    std::vector<MeanPoint> points;
};

/// The values of the study's metric on the other split, "test" beside "valid": each run's last one, of the averaged model where
/// the study's value is of that.
struct OtherSplit {
    std::string split;
    std::map<std::string, SeedValues> values;  ///< by row; empty where no run has one
};

struct StudyReport {
    Study study;
    StudyVerdict verdict;
    std::vector<ReportedRun> runs;        ///< all that the study plans, in the order of its rows and seeds
    std::vector<ReportedCurve> curves;    ///< of the rows that have one, in their order
    std::vector<ReportedCurve> training;  ///< the same of the objective of training, means of neighbouring steps
    std::optional<CurvesAlong> along;     ///< how the rows' curves differ from the baseline's
    OtherSplit other;
    Measured measured;                ///< how the baseline's values were measured; n 0: not known
    std::optional<NoiseFloor> floor;  ///< of the study's own runs; nothing while no row has two
    std::size_t trials = 0;           ///< runs that chose settings and have begun
    double trialSeconds = 0;          ///< spent on them
    std::vector<FairnessCheck> checks;
    std::vector<std::string> notDone;  ///< a sentence each
    double made = 0;                   ///< Unix time of the report

    /// Of the runs that count.
    SeedValues valuesOf(const std::string& row) const;
};

/// Fills what the attempts of `run` (its id and spec are set) recorded: where it was trained, memory, and, where it has a spec,
/// contents of its files and FLOPs. Damaged attempts are passed over. Throws storage::StorageError.
void readAttempts(ReportedRun& run, storage::RunQuery& query);

/// Reads what the runs of the study have. `runs` is refreshed; `told` is its toldVerdict(). Throws storage::StorageError.
StudyReport studyReport(const StudyRuns& runs, StudyVerdict told, storage::RunQuery& query);

}  // namespace heddle::app
