// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/svg_plot.h"
#include "engine/analysis/metric_summary.h"
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
};

struct Comparison {
    std::vector<storage::RunRecord> runs;
    std::size_t baseline = 0;
    std::vector<SpecDifference> differences;  ///< of the resolved specs
    std::vector<MetricRow> metrics;
};

Comparison compareRuns(storage::RunQuery& query, const std::vector<storage::RunRecord>& runs, std::size_t baseline);

/// "heddle.compare/1". In `metrics`, "values" are the last values; best, steps, n and signatures are separate members.
Json comparisonDocument(const Comparison& comparison, storage::RunQuery& query, const std::string& database);
std::string comparisonText(const Comparison& comparison);

/// Training and validation curves of the runs as a page of panels.
PlotPage comparisonPlot(const Comparison& comparison, storage::RunQuery& query);

}  // namespace heddle::app
