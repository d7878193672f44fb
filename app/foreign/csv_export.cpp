// SPDX-License-Identifier: Apache-2.0
// A folder with two tables: points.csv has a line for each value, runs.csv a line for each run (RFC 4180 with a header, UTF-8).
#include "app/foreign/export_writers.h"
#include "app/foreign/exported_run.h"
#include "app/foreign/own_table.h"
#include "engine/analysis/table_export.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <set>

namespace heddle::app {
namespace {

/// The cells of a run in runs.csv, each as its column and text. The settings are not among them: their columns come after
/// these.
std::vector<std::pair<std::string, std::string>> runCells(const ExportedRun& run, const std::vector<std::string>& damages) {
    const Json document = documentOf(run);
    const bool isDamaged = run.record.damaged;
    std::vector<std::pair<std::string, std::string>> cells;
    const auto add = [&](const char* column) {
        const Json value = document.value(column, Json());
        const bool isNumber = value.is_number_float();
        const std::string text = value.is_null()     ? ""
                                 : isNumber          ? exactText(value.get<double>())
                                 : value.is_string() ? value.get<std::string>()
                                                     : dumped(value);
        cells.emplace_back(column, isDamaged && value.is_number() ? "" : text);  // a damaged record has no numbers
    };
    for (const char* column :
         {"run", "name", "seed", "state", "reason", "variant_hash", "run_hash", "group", "lineage", "tags", "notes", "created",
          "seconds", "attempts", "step", "epoch", "parameters", "intervened", "in_trash"})
        add(column);
    cells.emplace_back("damage", fmt::format("{}", fmt::join(damages, "; ")));
    return cells;
}

std::string line(const std::vector<std::string>& cells) {
    std::string text;
    for (const std::string& cell : cells) text += (&cell == &cells.front() ? "" : ",") + csvCell(cell);
    return text + "\n";
}

struct RunLine {
    std::vector<std::pair<std::string, std::string>> cells;
    Settings settings;
};

std::string runsTable(const std::vector<RunLine>& lines) {
    std::set<std::string> paths;
    for (const RunLine& one : lines)
        for (const auto& [path, value] : one.settings) paths.insert(path);
    std::vector<std::string> cells;
    for (const auto& [column, value] : lines.front().cells) cells.push_back(column);
    for (const std::string& path : paths) cells.push_back(kSpecPrefix + path);
    std::string text = line(cells);
    for (const RunLine& one : lines) {
        cells.clear();
        for (const auto& [column, value] : one.cells) cells.push_back(value);
        for (const std::string& path : paths) {
            const auto found = one.settings.find(path);
            const Json value = found == one.settings.end() ? Json("") : found->second;
            cells.push_back(value.is_string() ? value.get<std::string>() : dumped(value));
        }
        text += line(cells);
    }
    return text;
}

/// The lines of one run in points.csv.
class PointLines {
public:
    PointLines(ExportFile& file, const ExportedRun& run) : file_(file) {
        const Json seed = documentOf(run).value("seed", Json());
        run_ = fmt::format("{},{},{}", csvCell(run.record.id), csvCell(run.record.name), seed.is_null() ? "" : dumped(seed));
    }

    void add(const ExportedCurve& curve) {
        const std::string head = fmt::format("{},series,train,{},{}", run_, csvCell(curve.key.name), csvCell(curve.key.path));
        for (const auto& point : curve.points)
            file_.write(fmt::format("{},{},{},,,,{}\n", head, point.step, exactText(point.value), point.attempt));
    }

    void add(const storage::EvaluationRecord& e) {
        file_.write(fmt::format("{},evaluation,{},{},,{},{},{},{},{},{}\n", run_, csvCell(e.split), csvCell(e.metric), e.step,
                                exactText(e.value), e.epoch, e.n, csvCell(e.signature), e.attempt));
    }

private:
    ExportFile& file_;
    std::string run_;
};

}  // namespace

std::vector<std::string> writeCsv(const WrittenExport& written) {
    const std::string folder = written.place.temporary();
    makeExportFolder(folder);
    ExportFile points(folder + "/" + kPointsFile);
    points.write(kPointsHeader + std::string("\n"));
    std::vector<RunLine> lines;
    for (const std::string& id : written.wanted.runs) {
        const ExportedRun run = exportedRun(written.query, id);
        PointLines of(points, run);
        forEachCurve(written.query, id, [&](const ExportedCurve& curve) { of.add(curve); });
        for (const auto& evaluation : wholeEvaluations(written.query, id)) of.add(evaluation);
        lines.push_back({runCells(run, damagesOf(written.query, run.record)), settingsOf(run.spec)});
        written.next();
    }
    points.finish();
    ExportFile runs(folder + "/" + kRunsFile);
    runs.write(runsTable(lines));
    runs.finish();
    return {};
}

}  // namespace heddle::app
