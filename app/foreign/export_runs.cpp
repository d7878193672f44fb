// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/export_runs.h"

#include "app/foreign/export_writers.h"
#include "app/foreign/exported_run.h"
#include "engine/analysis/metric_summary.h"
#include "engine/base/cancellation.h"
#include "engine/base/error.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

namespace heddle::app {
namespace {

constexpr std::array kExportFormats{
    ExportFormatInfo{ExportFormat::Csv, "csv", ""}, ExportFormatInfo{ExportFormat::JsonLines, "jsonl", ".jsonl"},
    ExportFormatInfo{ExportFormat::TensorBoard, "tensorboard", ""}, ExportFormatInfo{ExportFormat::Optuna, "optuna", ".db"}};

std::vector<std::string> writeExport(const WrittenExport& written) {
    switch (written.wanted.format) {
    case ExportFormat::Csv: return writeCsv(written);
    case ExportFormat::JsonLines: return writeJsonLines(written);
    case ExportFormat::TensorBoard: return writeTensorBoard(written);
    case ExportFormat::Optuna: break;
    }
    return writeOptuna(written);
}

}  // namespace

std::span<const ExportFormatInfo> exportFormats() { return kExportFormats; }

const ExportFormatInfo& infoOf(ExportFormat format) { return kExportFormats.at(static_cast<std::size_t>(format)); }

void WrittenExport::next() const {
    if (wanted.stopRequested && wanted.stopRequested()) throwStopped("exporting runs");
}

std::vector<std::string> exportRuns(storage::RunQuery& query, const RunExport& wanted) {
    if (wanted.runs.empty()) throwUsage("there is no run to export", wanted.destination, "name at least one run");
    ExportPlace place(wanted.destination);
    const WrittenExport written{query, wanted, place};
    std::vector<std::string> notes = writeExport(written);
    for (const std::string& run : wanted.runs) {
        const auto record = query.run(run);
        if (record && record->intervened >= 0) notes.push_back("run " + run + ": " + interventionText(*record));
    }
    place.finish();
    return notes;
}

std::vector<std::string> exportableMetrics(storage::RunQuery& query, const std::vector<std::string>& runs) {
    std::set<std::tuple<int, std::string, int, std::string>> found;
    for (const std::string& run : runs)
        for (const auto& e : wholeEvaluations(query, run))
            found.emplace(metricRank(e.split), e.split, metricRank(e.metric), e.metric);
    std::vector<std::string> metrics;
    for (const auto& [splitRank, split, rank, metric] : found) metrics.push_back(fmt::format("{}:{}", split, metric));
    return metrics;
}

StudyMetric exportedMetric(const std::string& metric, const std::string& rule) {
    const std::size_t colon = metric.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == metric.size())
        throwUsage(fmt::format("\"{}\" is no SPLIT:METRIC", metric), "--metric", "write valid:loss");
    StudyMetric chosen{metric.substr(0, colon), metric.substr(colon + 1), ValueRule::parse(rule, "--value"), false};
    chosen.lowerIsBetter = lowerIsBetter(chosen.name);
    return chosen;
}

}  // namespace heddle::app
