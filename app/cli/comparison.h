// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/study/svg_plot.h"
#include "engine/analysis/comparable.h"
#include "engine/analysis/metric_summary.h"
#include "engine/analysis/spread.h"
#include "engine/analysis/table_export.h"
#include "engine/spec/diff.h"
#include "storage/run_query.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// The values of one metric on one split for all runs, without any statistical test or estimate.
struct MetricRow {
    std::string split, metric;
    std::vector<std::optional<MetricSummary>> values;  ///< one per run
    std::vector<bool> damaged;  ///< runs with a damaged evaluation, which might be the best or last, so they have no value
    std::vector<std::vector<Unlike>> doubts;  ///< one per run: why its value must not be put beside the baseline's
};

/// Whether the model saw the answers on which the value was measured.
bool isGiven(const std::optional<MetricSummary>& value);

/// The runs of one group (engine/analysis/run_group.h) among those that are compared.
struct GroupColumn {
    std::string key, name;
    std::vector<std::size_t> runs, counted;         ///< places in Comparison::runs; those whose values make the mean
    std::vector<std::optional<Spread>> best, last;  ///< one per MetricRow
};

struct Comparison {
    std::vector<storage::RunRecord> runs;
    std::size_t baseline = 0;
    std::vector<SpecDifference> differences;  ///< of the resolved specs; files by their contents
    std::vector<MetricRow> metrics;
    std::vector<GroupColumn> groups;
};

Comparison compareRuns(storage::RunQuery& query, const std::vector<storage::RunRecord>& runs, std::size_t baseline);

/// What a comparison needs of a run's recorded spec.
struct ComparedSpec {
    Json resolved;
    FileContents contents;
    std::string group;
};

/// The groups of the runs in the order of their first runs, named by groupNames().
std::vector<GroupColumn> groupsOf(const std::vector<storage::RunRecord>& runs, const std::vector<ComparedSpec>& specs,
                                  const std::vector<MetricRow>& metrics);
Json groupsDocument(const Comparison& comparison);
/// The groups' values as mean ± standard deviation (seeds): a row for each metric and rule, a column for each group.
ExportedTable groupsTable(const Comparison& comparison);
/// groupsTable() as text for the terminal; empty if no group has two seeds.
std::string groupsText(const Comparison& comparison);

/// "heddle.compare/1". In `metrics`, "values" are the last values; best, steps, n and signatures are separate members.
Json comparisonDocument(const Comparison& comparison, storage::RunQuery& query, const std::string& database);
std::string comparisonText(const Comparison& comparison);

/// Training and validation curves as a page of panels: of each group the mean and range of its seeds, of a group with one run
/// that run.
PlotPage comparisonPlot(const Comparison& comparison, storage::RunQuery& query);

}  // namespace heddle::app
