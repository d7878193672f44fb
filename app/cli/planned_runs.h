// SPDX-License-Identifier: Apache-2.0
// The runs that a file asks for (`sweep`, `study`), and those of them that a database has.
#pragma once

#include "app/cli/context.h"
#include "engine/spec/plan.h"
#include "storage/run_query.h"

#include <string>
#include <vector>

namespace heddle::app {

struct PlannedRun {
    RunSpec spec;
    std::size_t row = 0;    ///< of the plan
    std::string id;         ///< of the run of the database that has its spec; empty: it has not begun
    std::string state;      ///< of that run, or "new"
    std::size_t times = 0;  ///< completed runs with its spec

    bool isDone() const;
    /// Queued or active.
    bool isUnfinished() const;
};

/// The runs of the rows, in their order. `file`: where relative paths are looked for, and what errors name; `device`: of all
/// runs, empty: their own. Throws Error(InvalidInput) for rows that name the same run twice: it would be trained twice.
std::vector<PlannedRun> plannedRuns(std::vector<PlanRow> rows, const std::string& file, const std::string& device);

/// Finds the runs that were begun, whatever their device: of those with equal specs the newest completed one, else the newest.
/// Ignores runs in the trash and runs whose training was intervened in.
void findRuns(std::vector<PlannedRun>& planned, storage::RunQuery& query, const std::string& database);

/// Throws Error(Failure) where another process trains one of the runs or has it in its queue.
void requireNoOtherOwner(const std::vector<PlannedRun>& planned, const std::string& database);

/// Starts and resumes, one after the other, those that are neither done nor failed in this call; a run that fails does not stop
/// the others. `command`: of the owner; `file`: runs are grouped by its name. Returns 0 or the exit code of a signal.
int trainRuns(std::vector<PlannedRun*> due, const std::string& command, const std::string& file, const Context& context);

}  // namespace heddle::app
