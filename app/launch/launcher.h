// SPDX-License-Identifier: Apache-2.0
// Where the runs of a sweep or a study are trained.
#pragma once

#include "app/study/planned_runs.h"

#include <string>
#include <vector>

namespace heddle::app {

/// Trains runs and records them in the database of the sweep or study.
class Launcher {
public:
    Launcher() = default;
    virtual ~Launcher() = default;
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;

    /// Throws Error where a run that is still to be trained cannot be trained there. Records nothing. Call it before train().
    virtual void require(const std::vector<PlannedRun>& planned) const = 0;
    /// Trains those that are not done, and gives the ids of those that were trained. `group`: of new runs. A run that fails
    /// does not stop the others; the database has how each of them ended. Returns 0, or the exit code of a command that must be
    /// given again to go on: of a signal, or 75.
    virtual int train(std::vector<PlannedRun*> due, const std::string& group) = 0;
};

}  // namespace heddle::app
