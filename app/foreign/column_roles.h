// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/foreign/foreign_runs.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// The value as a number, also if it is a string that contains one ("3.28", "nan", "-inf"); nothing otherwise.
std::optional<double> numberOf(const Json& value);
/// The value if it is a whole number from 0 to 2^53.
std::optional<std::int64_t> wholeNumberOf(const Json& value);
/// A value as text. A string has no quotes; another value is written as JSON.
std::string textOf(const Json& value);

/// The metric that a column's name says, without its split: loss of "val_loss" and of "Loss". The name itself where it says
/// none that Heddle knows.
std::string metricOfColumn(const std::string& column);

enum class Role { Run, Name, Seed, Step, Group, State, Time, Ignored, Metric, Series, Config, Text };

struct Column {
    Role role = Role::Config;
    /// The metric of a column with role Metric. Role Series has a metric without a split. For role Config it is the metric that
    /// the column would give if its values were numbers.
    ForeignMetric metric{};
};

struct ColumnRoles {
    std::vector<Column> columns;   ///< one per column of the table
    std::vector<std::size_t> run;  ///< whose values together name a run; empty: the whole table is one
    std::optional<std::size_t> step;
};

/// Finds what the options and the usual names say. Columns that they do not name are Config until their values are known.
/// Throws Error(Usage) for an option that names no column.
ColumnRoles namedRoles(const ForeignTable& table, const ForeignOptions& options);

/// Throws Error(Usage) where two columns are the same metric or series.
void requireOnce(const ForeignTable& table, const std::vector<Column>& columns);

}  // namespace heddle::app
