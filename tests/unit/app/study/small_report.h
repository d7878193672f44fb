// SPDX-License-Identifier: Apache-2.0
// A study of a baseline and one variant with three seeds each, and a report of it, without a database.
#pragma once

#include "app/study/report.h"
#include "tests/unit/app/session/fake_engine.h"

#include <string>
#include <vector>

namespace heddle::app {

/// Values of seeds 1, 2, 3: base 2.0, 2.2, 2.4; the variant 1.5, 1.7, 1.9 + `bump` for the third.
inline StudyReport smallReport(const std::string& baseline = "base", const std::string& variant = "gated", double bump = 0.02) {
    StudyReport report;
    Study& study = report.study;
    study.question = "Do gates help?";
    const Json spec = smallSpec("", 40).toJson();
    study.rows = {{baseline, spec}, {variant, spec}};
    study.baseline = baseline;
    study.seeds = std::vector<std::uint64_t>{1, 2, 3};
    std::map<std::string, StudyValues> values;
    values[baseline].values = {{1, 2.0}, {2, 2.2}, {3, 2.4}};
    values[variant].values = {{1, 1.5}, {2, 1.7}, {3, 1.9 + bump}};
    report.verdict = verdictOf(study, values);
    for (const PlanRow& row : study.rows)
        for (const auto& [seed, value] : values[row.name].values) {
            ReportedRun run;
            run.row = row.name;
            run.spec = smallSpec(row.name, 40);
            run.spec.seed = seed;
            run.id = "00000000000" + std::to_string(seed);
            run.state = "completed";
            run.times = 1;
            run.value = value;
            run.parameters = 1000;
            run.steps = 40;
            run.flops = 6000;
            run.seconds = 30;
            run.attempts = {{"cpu, AMD EPYC", "vm", "0.1.0", "2.11.0", "fp32", 2}};
            run.contents = {{"data.train.source", std::string(64, 'a')}, {"data.valid.source", std::string(64, 'b')}};
            report.runs.push_back(run);
        }
    report.checks = fairnessChecks(study, report.verdict, report.runs);
    report.notDone = {"Nothing else was done."};
    return report;
}

}  // namespace heddle::app
