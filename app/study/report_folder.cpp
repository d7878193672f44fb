// SPDX-License-Identifier: Apache-2.0
#include "app/study/report_folder.h"

#include "app/study/file_contents.h"
#include "app/study/item_differences.h"
#include "app/study/report_figures.h"
#include "app/study/report_tables.h"
#include "engine/base/check.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/spec/field_schema.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "report.json";
constexpr const char* kSchema = "heddle.report/1";

/// Gives a spec the value that it had before the trials chose one.
void untune(Json& spec, const Json& before, const std::string& path) {
    const Json::json_pointer place(pointerOf(path));
    if (before.contains(place))
        spec[place] = before.at(place);
    else if (spec.contains(place))
        spec.at(place.parent_pointer()).erase(place.back());
}

/// The study with specs that do not depend on where its file lay.
Json movableStudy(const StudyReport& report) {
    Json document = report.study.toJson();
    document.erase("outputs");  // it names a folder of this machine
    for (Json& row : document.at("rows")) {
        const auto run = std::find_if(report.runs.begin(), report.runs.end(),
                                      [&row](const ReportedRun& one) { return one.row == row.at("name"); });
        if (run == report.runs.end() || !row.contains("spec")) continue;  // runs that exist have none
        Json spec = run->spec.toJson();
        spec.erase("name");
        spec.erase("seed");
        const auto own = std::find_if(report.study.rows.begin(), report.study.rows.end(),
                                      [&row](const PlanRow& one) { return one.name == row.at("name"); });
        HEDDLE_CHECK(own != report.study.rows.end());
        for (const std::string& path : tunedPaths(report.study)) untune(spec, documentOf(*own), path);
        row["spec"] = std::move(spec);
        row.erase("set");
    }
    return document;
}

void addSpecs(std::map<std::string, std::string>& files, const StudyReport& report) {
    for (const ReportedRun& run : report.runs) {
        if (!run.hasSpec) continue;
        const std::string wanted = "specs/" + fileNameOf(run.row, run.spec.seed);
        std::string path = wanted + ".json";
        for (int other = 2; files.contains(path); ++other) path = fmt::format("{}-{}.json", wanted, other);
        files[path] = dumped(run.spec.toJson(), 1) + "\n";
    }
}

/// The files that an older report lists, if there is one.
std::optional<std::set<std::string>> listedIn(const fs::path& folder) {
    const auto text = tryReadWholeFile((folder / kList).string());
    const Json document = text ? Json::parse(*text, nullptr, false) : Json();
    if (!document.is_object() || document.value("schema", Json()) != kSchema) return {};
    std::set<std::string> files{kList, "report.pdf"};  // the studio adds the second
    for (const Json& file : document.value("files", Json::array()))
        if (file.is_string()) files.insert(file.get<std::string>());
    return files;
}

fs::path absoluteFolder(const std::string& folder) {
    if (folder.empty()) throwInvalid("no folder given for the report", "--report", "give a folder");
    fs::path path = fs::weakly_canonical(fs::absolute(folder));
    return path.has_filename() ? path : path.parent_path();
}

}  // namespace

std::map<std::string, std::string> reportFiles(const StudyReport& report) {
    std::map<std::string, std::string> files;
    const ExportedTable table = verdictTable(report);
    files["report.html"] = reportHtml(report);
    files["table.md"] = tableText(table, TableFormat::Markdown);
    files["table.tex"] = tableText(table, TableFormat::Latex);
    files["table.csv"] = tableText(table, TableFormat::Csv);
    files["runs.csv"] = tableText(runsTable(report), TableFormat::Csv);
    if (const auto along = alongTable(report)) files["along.csv"] = tableText(*along, TableFormat::Csv);
    for (ReportFigure& figure : reportFigures(report)) files["figures/" + figure.file] = std::move(figure.svg);
    files["study.json"] = dumped(movableStudy(report), 1) + "\n";
    addSpecs(files, report);
    Json list = Json::array();
    for (const auto& [path, text] : files) list.push_back(path);
    files[kList] = dumped(Json{{"schema", kSchema}, {"files", std::move(list)}}, 1) + "\n";
    return files;
}

void requireReportFolder(const std::string& folder) {
    const fs::path path = absoluteFolder(folder);
    if (!fs::exists(path)) return;
    if (!fs::is_directory(path)) throwInvalid("the path of the report is a file", path.string(), "choose another folder");
    const auto ours = listedIn(path);
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_directory() && !entry.is_symlink() && ours) continue;
        const std::string name = entry.path().lexically_relative(path).generic_string();
        if (!ours || !ours->contains(name))
            throwInvalid(fmt::format("the folder of the report contains other files: {}", printable(name)), path.string(),
                         "choose a new folder, or one with an older report");
    }
}

std::string writeReport(const StudyReport& report, const std::string& folder) {
    requireReportFolder(folder);
    const fs::path path = absoluteFolder(folder);
    const fs::path made = fmt::format("{}.{}.tmp", path.string(), getpid());
    try {
        for (const auto& [file, text] : reportFiles(report)) writeFileAtomically((made / file).string(), text, Readers::Umask);
        replaceFolder(made.string(), path.string());
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(made, ignored);
        throw;
    }
    return (path / "report.html").string();
}

}  // namespace heddle::app
