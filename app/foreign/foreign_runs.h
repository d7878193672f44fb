// SPDX-License-Identifier: Apache-2.0
// What the columns of another program's records mean: which rows are a run, what is a metric, a curve, a setting.
#pragma once

#include "app/foreign/foreign_table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

/// What the user says that a column is: "val_loss" and valid loss.
struct GivenMetric {
    std::string column;
    ForeignMetric metric;
};

/// Names of columns, given by the user; empty: found by their usual names (resources/help/foreign.md).
struct ForeignOptions {
    std::vector<std::string> run;   ///< the columns whose values together name a run
    std::string seed, step, group;  ///< group: a column, or the group of all runs
    std::vector<GivenMetric> metrics;
    std::vector<std::string> ignore;  ///< columns that are left out
    bool restarts = false;            ///< a step below the one before begins another run
    bool paired = false;              ///< the user declares: equal seeds of two groups are pairs
};

/// One curve: steps grow, and no step stands twice.
using ForeignCurve = std::vector<std::pair<std::int64_t, double>>;

struct ForeignRun {
    std::string key;  ///< as the source calls it: the values of the run's columns, with "/" between them
    std::string name;
    std::optional<std::uint64_t> seed;
    std::string group;  ///< empty: none is declared
    std::string state;  ///< of Heddle's words (engine/run/run_state.h)
    Json config = Json::object();
    double created = 0, seconds = 0;                 ///< Unix time, and the time to the last row; 0: not known
    std::map<ForeignMetric, ForeignCurve> series{};  ///< without splits
    std::map<ForeignMetric, ForeignCurve> metrics{};
    std::int64_t lastStep = 0;
    std::int64_t intervened = -1;  ///< as storage::RunRecord has it
};

/// What became of a column, for the user: "val_loss", "valid loss".
struct ForeignRole {
    std::string column, role;
};

struct ForeignRuns {
    std::vector<ForeignRun> runs;  ///< in the order of the source
    std::vector<ForeignRole> roles;
    std::map<ForeignMetric, std::string> columns;  ///< the column from which a metric's values were read
    std::vector<std::string> notes;                ///< for the user: what was left out, what is not known
};

/// Throws Error(Usage) for options that name no column, Error(InvalidInput) naming line and column of a value that cannot be
/// read.
ForeignRuns foreignRuns(const ForeignTable& table, const ForeignOptions& options);

}  // namespace heddle::app
