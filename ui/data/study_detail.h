// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside a verdict: the other metrics of the two groups, and whether they differ in anything but what is asked.
#pragma once

#include "app/study/report_checks.h"
#include "ui/data/study_comparison.h"

namespace heddle::ui {

/// Another metric of the same runs, with the same rule of value. A study that was asked has none until its verdict is looked
/// at.
struct AlsoMeasured {
    std::string metric;  ///< "valid.accuracy"
    SeedDifference difference;
    std::optional<double> p;  ///< corrected for every metric and every group
    Verdict verdict = Verdict::NotShown;
};

/// One group beside the baseline.
struct VerdictDetail {
    std::string group;
    std::vector<AlsoMeasured> also;
    std::size_t tests = 0;  ///< that p is corrected for
    std::vector<app::FairnessCheck> checks;
    std::vector<std::pair<std::size_t, double>> detectable;  ///< see detectable()
};

/// What the checks call the two groups; unequal.
struct PairNames {
    std::string baseline, variant;
};

/// Attempts are read of the runs of `database`, on its reader's thread; what other databases have is not known.
VerdictDetail detailOf(const RunTable& table, const StudyComparison& comparison, const std::string& group,
                       const PairNames& names, int database, storage::RunQuery& query);

/// The smallest true difference that so many seeds of each group would show with the study's power, as stored; by number of
/// seeds. Empty where the values do not scatter, or there is no test. Takes some 50 ms.
std::vector<std::pair<std::size_t, double>> detectable(const StudyComparison& comparison, const ComparedGroup& group);

}  // namespace heddle::ui
