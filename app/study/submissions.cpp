// SPDX-License-Identifier: Apache-2.0
#include "app/study/submissions.h"

#include <algorithm>

namespace heddle::app {

std::size_t Submission::count(SubmittedRun::At at) const {
    return std::size_t(std::count_if(runs.begin(), runs.end(), [at](const SubmittedRun& run) { return run.at == at; }));
}

bool Submission::isOpen() const {
    return goesOn || std::any_of(runs.begin(), runs.end(), [](const SubmittedRun& run) { return run.isOpen(); });
}

bool Submission::hasJobs() const {
    return std::any_of(runs.begin(), runs.end(), [](const SubmittedRun& run) { return run.hasJob(); });
}

bool Submission::canSubmit() const {
    using At = SubmittedRun::At;
    return isKept && count(At::New) + count(At::Lost) + (study.empty() ? count(At::Failed) : 0) > 0;
}

bool isSweepName(const std::string& name) {
    return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos;
}

}  // namespace heddle::app
