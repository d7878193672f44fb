// SPDX-License-Identifier: Apache-2.0
// The runs of a plan beside a database, and their training by a launcher: for `heddle sweep` and for the studio.
#pragma once

#include "app/launch/launcher.h"
#include "app/study/planned_runs.h"
#include "storage/run_query.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle::app {

class PlannedSweep {
public:
    struct Place {
        std::string database;  ///< need not be there yet
        /// Opens the database where there is one.
        std::function<std::unique_ptr<storage::RunQuery>()> open;
        std::function<void(const std::string&)> say;  ///< a line of progress
    };
    /// Throws Error as findPlanned().
    PlannedSweep(std::vector<PlannedRun> planned, Place place);

    const std::vector<PlannedRun>& runs() const { return planned_; }
    /// Trains the runs in rounds: first those that start from no other one, then those whose start has completed, and so on.
    /// New runs are recorded in `group`. Returns 0, or the exit code of the launcher if the command must be given again. Throws
    /// Error for a run that cannot be trained; nothing is then recorded.
    int train(Launcher& launcher, const std::string& group);
    /// Whether all runs are done.
    bool isWhole() const;

private:
    void refresh();
    bool isAnyReady() const;
    void tellWaiting() const;

    Place place_;
    std::vector<PlannedRun> planned_;
};

/// The group in which the runs of a plan are recorded: "sweep/gates" for gates.json.
std::string groupOfSweep(const std::string& planFile);

}  // namespace heddle::app
