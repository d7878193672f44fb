// SPDX-License-Identifier: Apache-2.0
// Writes runs as files that other programs read (resources/help/export.md).
#pragma once

#include "engine/analysis/study_metric.h"
#include "storage/run_query.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::app {

enum class ExportFormat { Csv, JsonLines, TensorBoard, Optuna };

struct ExportFormatInfo {
    ExportFormat format;
    std::string_view name;    ///< on the command line: "csv"
    std::string_view ending;  ///< usual extension of the destination, with its point; empty: the destination is a folder
};
std::span<const ExportFormatInfo> exportFormats();
const ExportFormatInfo& infoOf(ExportFormat format);

struct RunExport {
    ExportFormat format = ExportFormat::Csv;
    std::string destination;
    std::vector<std::string> runs;  ///< ids, in the order of the export
    StudyMetric metric{};           ///< Optuna: which number of a run is the value of its trial
    /// Asked between runs; true ends the export with Error("stopped"). Empty: never.
    std::function<bool()> stopRequested{};
};

/// Writes the export, completely or not at all. Returns notes for the user. Throws Error(Usage) if something exists at the
/// destination, no run is given, or Optuna's metric was never recorded; Error(Failure) and StorageError.
std::vector<std::string> exportRuns(storage::RunQuery& query, const RunExport& wanted);

/// The metrics that the runs have evaluations of, as "valid:loss", in the order of their display.
std::vector<std::string> exportableMetrics(storage::RunQuery& query, const std::vector<std::string>& runs);

/// The metric that "valid:bleu" and a rule ("last", "best", "step 4000" …) name. Throws Error(Usage) or Error(InvalidInput).
StudyMetric exportedMetric(const std::string& metric, const std::string& rule);

}  // namespace heddle::app
