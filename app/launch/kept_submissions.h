// SPDX-License-Identifier: Apache-2.0
// The plans and studies that the studio submits to Slurm, in the folder of the submissions, FILE.heddle.jobs, so that looks of
// any later window go on with them:
//
//   plans/NAME.json    a plan, with which `heddle sweep FILE.heddle.jobs/plans/NAME.json --launcher slurm` can go on
//   options/NAME.json  what sbatch is told of it
//   studies/KEY.json   what sbatch is told of a study, which the database has, and whether looks go on with it; `heddle study
//                      FILE --launcher slurm` goes on with it, too. "/" and "%" of the key are "%2F" and "%25"
#pragma once

#include "app/study/submissions.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

/// Their names are those of Submission: "gates" of a plan, "study/gates" of a study.
class KeptSubmissions {
public:
    /// Writes nothing.
    explicit KeptSubmissions(std::string folder) : folder_(std::move(folder)) {}

    /// Of the plans, then of the studies, each sorted.
    std::vector<std::string> names() const;
    /// The file of a plan, kept or not.
    std::string planOf(const std::string& name) const { return folder_ + "/plans/" + name + ".json"; }
    bool hasPlan(const std::string& name) const;
    void keepPlan(const std::string& name, const std::vector<PlanRow>& rows, const SlurmOptions& options) const;
    /// In place of earlier options. Looks go on with the study.
    void keepStudy(const std::string& key, const SlurmOptions& options) const;
    /// Throws Error(InvalidInput) for a damaged record, as goesOn().
    SlurmOptions optionsOf(const std::string& name) const;
    /// Whether looks submit further runs; false for what is not kept.
    bool goesOn(const std::string& name) const;
    /// Looks no longer go on with a study.
    void pause(const std::string& name) const;
    void remove(const std::string& name) const;

private:
    /// The file of the options.
    std::string recordOf(const std::string& name) const;

    std::string folder_;
};

}  // namespace heddle::app
