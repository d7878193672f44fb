// SPDX-License-Identifier: Apache-2.0
// The runs that a file asks for (a plan, a study), and those of them that a database has.
#pragma once

#include "engine/spec/plan.h"
#include "storage/run_query.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// State of a run whose initial weights another run is still to give.
inline constexpr const char* kWaitsForStart = "waits";

/// The run that a run starts from.
struct PlannedStart {
    RowStart from;                   ///< its database is an absolute path
    std::optional<std::size_t> run;  ///< its place among the planned runs; nothing: it is in from.database
    std::string key;                 ///< its workKey(); empty: it is in from.database
};

struct PlannedRun {
    RunSpec spec;
    std::size_t row = 0;     ///< of the plan
    std::string id;          ///< of the run of the database that has its spec; empty: it has not begun
    std::string state;       ///< of that run, or "new"
    std::size_t times = 0;   ///< completed runs with its spec
    std::string first = {};  ///< the oldest of them; empty: there is none
    bool hasSpec = true;     ///< false: no spec that this version reads; spec has seed and name alone
    std::optional<PlannedStart> start = {};
    bool wasBegun = false;  ///< a launcher of this process trained or submitted it

    bool isDone() const;
    bool hasFailed() const;
    /// Queued or active.
    bool isUnfinished() const;
    /// Whether the checkpoint that it starts from is not known yet; train.start of its spec is then empty.
    bool waitsForStart() const { return start && spec.train.start.checkpoint.empty(); }
    /// "base, seed 2", safe to print.
    std::string title() const;
};

/// 16 hexadecimal digits that depend on the run's spec without its name. Of a run that starts from another one they depend on
/// that one's key and not on its weights, and so are the same before and after it is trained.
std::string workKey(const PlannedRun& run);

/// The runs of the rows, in their order. `file`: where relative paths are looked for, and what errors name; `device`: of all
/// runs, empty: their own. Throws Error(InvalidInput) for rows that name the same run twice, whatever they are called: it would
/// be trained twice; and as requireStarts(). The data need not be there.
std::vector<PlannedRun> plannedRuns(std::vector<PlanRow> rows, const std::string& file, const std::string& device);

/// The runs of a database, by what they train.
class KnownRuns {
public:
    /// Ignores runs in the trash and runs whose training was intervened in.
    KnownRuns(storage::RunQuery& query, const std::string& database);

    /// Finds the runs that were begun, whatever their name and device: of those that train the same the newest completed one,
    /// else the newest. It does not look for runs that wait for their start. A file of a spec may have moved: then the contents
    /// with which the run was trained, by its recorded hashes, must be those of the file that is named now; a checkpoint that
    /// it starts from may, where the spec has the hash of its weights.
    void find(std::vector<PlannedRun>& planned);

private:
    struct Known {
        storage::RunRecord run;
        RunSpec spec;
    };
    bool isSame(const RunSpec& wanted, const Known& known);

    storage::RunQuery& query_;
    std::string database_;
    std::map<std::string, std::vector<Known>> known_;  ///< by workOf() their spec, oldest first
};

/// KnownRuns::find() in a database that is read for it.
void findRuns(std::vector<PlannedRun>& planned, storage::RunQuery& query, const std::string& database);

/// The run's state; "interrupted" for an active run whose database has no owner, as the next owner will record.
std::string shownState(const storage::RunRecord& run, const std::string& database);

/// Whether the newest failure of a run is that its loss was not finite.
bool hasDiverged(storage::RunQuery& query, const std::string& run);

}  // namespace heddle::app
