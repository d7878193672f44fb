// SPDX-License-Identifier: Apache-2.0
// What `heddle compare` compares: runs (comparison*.cpp), their sizes (--scaling), and outputs in files (--items, --texts).
#pragma once

#include "app/cli/context.h"
#include "app/study/svg_plot.h"
#include "engine/analysis/comparable.h"
#include "engine/analysis/metric_summary.h"
#include "engine/analysis/scaling_fit.h"
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

/// The power law of `heddle compare --scaling`, over the counted runs of a comparison's groups.
struct ComparedScaling {
    std::string by;                    ///< "parameters" or "flops"
    std::string metric;                ///< "valid loss", of which each run's last value is taken; empty if no run has a loss
    std::vector<std::string> leftOut;  ///< ids of counted runs without size or comparable loss
    ScalingFit fit;
};

/// Throws Error(Usage) if `by` is neither parameters nor flops.
void requireScaling(const std::string& by);

/// Fits the power law to the sizes of the runs. A size is the number of "parameters", or the "flops" of training for a source
/// and a target token (countCost()), since the tokens that a run read are not recorded. The intervals are 95 % intervals.
/// Throws storage::StorageError.
ComparedScaling scalingOf(const Comparison& comparison, const std::string& by, storage::RunQuery& query);

Json scalingDocument(const ComparedScaling& scaling);
std::string scalingText(const ComparedScaling& scaling);

/// Prints `heddle compare --items` ("heddle.compare-items/1"): the differences between outputs in files over seeds and test
/// items together (two_level.h, without pairs). `arguments` are [REFERENCE] BASE=FILE,FILE… OTHER=FILE,FILE…, with one file for
/// each seed. With a reference, the files are texts with one sentence a line, and `metric` is "bleu" (default) or "chrf".
/// Without a reference, they are tables of `heddle classify --predictions`, and `metric` is "accuracy" (default) or "f1" (the
/// F1 of the second of two classes, else the macro average). An empty `metric` means the default. Throws Error(Usage) for
/// arguments of another form, and Error(InvalidInput) for files that cannot be read or do not belong to one test set.
int compareItems(const std::vector<std::string>& arguments, const std::string& metric, const Context& context);

/// `heddle compare --texts`: prints BLEU and chrF of stored outputs with sacreBLEU's paired tests of each against the first
/// ("heddle.compare-texts/1"). `files` are the reference, the output to compare with, and one or more other outputs, each with
/// one sentence a line.
/// Throws Error(Usage) for fewer than three files, Error(InvalidInput) for files that cannot be read, are empty or have unequal
/// numbers of lines.
int compareTexts(const std::vector<std::string>& files, const Context& context);

}  // namespace heddle::app
