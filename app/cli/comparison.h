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

/// What the evaluations say of one metric on one split, side by side. Plain figures: nothing is tested or estimated here.
struct MetricRow {
    std::string split, metric;
    std::vector<std::optional<MetricSummary>> values;  ///< one a run
    std::vector<bool> damaged;  ///< of which runs an evaluation is: it might be the best or the last, so nothing is told
};

struct Comparison {
    std::vector<storage::RunRecord> runs;
    std::size_t baseline = 0;
    std::vector<SpecDifference> differences;  ///< of the resolved specs
    std::vector<MetricRow> metrics;
};

Comparison compareRuns(storage::RunQuery& query, const std::vector<storage::RunRecord>& runs, std::size_t baseline);

/// "heddle.compare/1". In `metrics`, "values" are the last values; best, steps, n and signatures are beside them.
Json comparisonDocument(const Comparison& comparison, storage::RunQuery& query, const std::string& database);
std::string comparisonText(const Comparison& comparison);

/// Training and validation curves of the runs as a page of panels.
PlotPage comparisonPlot(const Comparison& comparison, storage::RunQuery& query);

}  // namespace heddle::app
