// SPDX-License-Identifier: Apache-2.0
// Reads Heddle's own exports (resources/help/export.md) as tables to import. An export itself says what its columns mean.
#pragma once

#include "app/foreign/foreign_table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace heddle::app {

// Names by which an export is recognised and read back.
inline constexpr const char* kPointsFile = "points.csv";
inline constexpr const char* kRunsFile = "runs.csv";
inline constexpr const char* kPointsHeader = "run,name,seed,kind,split,metric,path,step,value,epoch,n,signature,attempt";
inline constexpr const char* kSpecPrefix = "spec.";  ///< begins the names of the columns of settings in runs.csv
inline constexpr const char* kJsonLinesStart = R"({"schema":"heddle.export/1",)";
inline constexpr const char* kRunTag = "heddle/run";  ///< the tag of the event whose text is the run's object

/// The advice of errors about an export that was changed by hand.
inline constexpr const char* kExportAgain = "export the runs again: the file was changed";

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
        Json step, value;
    };
    /// Adds a value of the run `key`. Does nothing if addRun() left that run out or was not called for it.
    void addValue(const std::string& key, const Value& value, std::int64_t line);
    /// The column `name`, which has this metric. Throws Error(InvalidInput) where it already has another one.
    std::size_t column(const std::string& name, const ForeignMetric& metric);
    /// Call this after the last run and value were added.
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

/// Whether a file that begins with these bytes is the points.csv of an export, or an export as JSON lines.
bool beginsOwnPoints(std::string_view bytes);
bool beginsOwnLines(std::string_view bytes);

/// `path`: points.csv; runs.csv is read from its folder. Throw as readForeign() does.
ForeignTable readOwnCsv(const std::string& path);
ForeignTable readOwnJsonLines(const std::string& path);

}  // namespace heddle::app
