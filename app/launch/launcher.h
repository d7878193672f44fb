// SPDX-License-Identifier: Apache-2.0
// Trains the runs of a sweep or study: in this process, or as jobs of Slurm.
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

    /// Throws Error for a run that is still to be trained and cannot be trained there. Records nothing. Call it before train().
    virtual void require(const std::vector<PlannedRun>& planned) const = 0;
    /// Trains the runs that are not done. Sets the id of each run that it trains, and PlannedRun::wasBegun. New runs are
    /// recorded in `group`. When a run fails, the others still train; the database has the end of each of them. A run that
    /// waits for its start is left out, unless the launcher can make it begin when its start has completed. Returns 0, or,
    /// where the command must be given again to go on, its exit code: that of a signal, or 75.
    virtual int train(std::vector<PlannedRun*> due, const std::string& group) = 0;
};

}  // namespace heddle::app
