// SPDX-License-Identifier: Apache-2.0
// What all formats of export write of a run.
#pragma once

#include "engine/base/json.h"
#include "storage/run_query.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::app {

/// "heddle.export/1": the schema of a run's object in JSON lines and TensorBoard events.
inline constexpr const char* kExportSchema = "heddle.export/1";

/// Settings by their path ("train.lr"). A list is JSON text.
using Settings = std::map<std::string, Json>;

/// The settings that a stored spec states, without schema, name and seed. Those that it leaves at their default are missing. Of
/// an imported run they are the settings that its source recorded.
Settings settingsOf(const Json& spec);

struct ExportedRun {
    storage::RunRecord record;
    Json spec;                       ///< null where the run's record is damaged
    std::vector<std::string> notes;  ///< as the user last edited them, oldest first
    std::vector<storage::AttemptRecord> attempts;
};

/// Throws Error(Usage) where the run is no longer in the database.
ExportedRun exportedRun(storage::RunQuery& query, const std::string& run);

/// A sentence for each damaged record of the run that the query has met so far; the record of the run itself is one of them.
std::vector<std::string> damagesOf(storage::RunQuery& query, const storage::RunRecord& run);

/// What the user should know of a run whose training interventions changed.
std::string interventionText(const storage::RunRecord& run);

/// The run without its values: {"schema": …, "kind": "run", "run": id, "name": …, "spec": {…}, …}. A seed that is not known is
/// left out.
Json documentOf(const ExportedRun& run);

/// A curve of training.
struct ExportedCurve {
    storage::RunQuery::SeriesKey key;
    std::vector<storage::RunQuery::Point> points;
};

/// Calls `take` with each curve of the run in turn. A curve has one value a step, that of the newest attempt.
template <class Take>
void forEachCurve(storage::RunQuery& query, const std::string& run, Take&& take) {
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    for (auto& key : query.series(run)) {
        auto points = query.points(run, key.name, key.path, 0, kLast);
        take(ExportedCurve{std::move(key), std::move(points)});
    }
}

/// The evaluations of the run, except damaged ones, which have no value.
std::vector<storage::EvaluationRecord> wholeEvaluations(storage::RunQuery& query, const std::string& run);

}  // namespace heddle::app
