// SPDX-License-Identifier: Apache-2.0
// Heddle's own exports (resources/help/export.md) as tables that are imported: what each column means they say themselves.
#pragma once

#include "app/foreign/foreign_table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace heddle::app {

// The parts by which an export is known and read back.
inline constexpr const char* kPointsFile = "points.csv";
inline constexpr const char* kRunsFile = "runs.csv";
inline constexpr const char* kPointsHeader = "run,name,seed,kind,split,metric,path,step,value,epoch,n,signature,attempt";
inline constexpr const char* kSpecPrefix = "spec.";  ///< of the columns of settings in runs.csv
inline constexpr const char* kJsonLinesStart = R"({"schema":"heddle.export/1",)";
inline constexpr const char* kRunTag = "heddle/run";  ///< of the text in a run's events that tells what it is

/// Builds the table of an export.
class OwnTable {
public:
    explicit OwnTable(ForeignTable& table) : table_(table) {}

    /// A run, before its values. `document`: its object (documentOf() in exported_run.h) with "settings" by path in place of
    /// the spec, or with the spec. A run whose record is damaged is left out.
    void addRun(const std::string& key, const Json& document);
    bool has(const std::string& key) const { return runs_.contains(key); }
    bool isLeftOut(const std::string& key) const { return damaged_.contains(key); }

    struct Value {
        ForeignMetric metric;
        std::int64_t step = 0;
        Json value;
    };
    /// A value of the run `key`; none where the run is damaged or was not added.
    void addValue(const std::string& key, const Value& value, std::int64_t line);
    /// A column by its own name that is this metric.
    std::size_t column(const std::string& name, const ForeignMetric& metric);
    /// To be called when all is added.
    void finish();

private:
    std::size_t columnOf(const ForeignMetric& metric);

    ForeignTable& table_;
    std::set<std::string> runs_, damaged_;
    std::map<ForeignMetric, std::size_t> columns_;
};

/// The name of a curve or an evaluation in one word: "train/loss", "train/grad_norm/encoder.layers.0", "valid/bleu"; of one on
/// the training data "train-evaluation/loss".
std::string tagOf(const ForeignMetric& metric);

/// Whether the beginning of a file is that of points.csv, of an export as JSON lines.
bool beginsOwnPoints(std::string_view bytes);
bool beginsOwnLines(std::string_view bytes);

/// `path`: points.csv; runs.csv is read from its folder. Throw as readForeign() does.
ForeignTable readOwnCsv(const std::string& path);
ForeignTable readOwnJsonLines(const std::string& path);

}  // namespace heddle::app
