// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/own_table.h"

#include "app/foreign/column_roles.h"
#include "app/foreign/exported_run.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/sha256.h"
#include "engine/data/readers/text_file.h"
#include "engine/run/run_state.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

/// The state of an imported run: that of the export if it is final, else interrupted.
std::string finalState(const Json& word) {
    const auto state = word.is_string() ? runStateFromName(word.get<std::string>()) : std::nullopt;
    return std::string(name(state && isFinal(*state) ? *state : RunState::Interrupted));
}

/// The value of a setting from its cell, in which true and false are texts.
Json settingOfCell(const Json& cell) {
    if (cell == "true") return true;
    if (cell == "false") return false;
    return cell;
}

/// The cells of a row by the name of their column.
class NamedCells {
public:
    NamedCells(const ForeignTable& table, const ForeignRow& row) : table_(table), row_(row) {}

    Json at(const char* column) const {
        const auto place = table_.find(column);
        if (place)
            for (const auto& [at, value] : row_.cells)
                if (at == *place) return value;
        return {};
    }
    std::string text(const char* column) const {
        const Json value = at(column);
        return value.is_null() ? "" : textOf(value);
    }

private:
    const ForeignTable& table_;
    const ForeignRow& row_;
};

/// The objects of runs.csv, by run.
std::map<std::string, Json> runsIn(const ForeignTable& table) {
    std::map<std::string, Json> runs;
    for (const ForeignRow& row : table.rows) {
        Json document = Json::object();
        Json& settings = document["settings"] = Json::object();
        for (const auto& [column, value] : row.cells) {
            const std::string& name = table.columns[column];
            if (name.starts_with(kSpecPrefix))
                settings[name.substr(std::string_view(kSpecPrefix).size())] = settingOfCell(value);
            else
                document[name] = value;
        }
        runs[NamedCells(table, row).text("run")] = std::move(document);
    }
    return runs;
}

}  // namespace

std::string tagOf(const ForeignMetric& metric) {
    const std::string split = metric.split.empty() ? "train" : metric.split == "train" ? "train-evaluation" : metric.split;
    return split + "/" + metric.metric + (metric.path.empty() ? "" : "/" + metric.path);
}

bool beginsOwnPoints(std::string_view bytes) { return bytes.starts_with(kPointsHeader); }
bool beginsOwnLines(std::string_view bytes) { return bytes.starts_with(kJsonLinesStart); }

void OwnTable::addRun(const std::string& key, const Json& document) {
    if (document.value("damaged", Json()) == true || document.value("state", Json()) == storage::kDamagedState) {
        damaged_.insert(key);
        return;
    }
    runs_.insert(key);
    ForeignRow row{static_cast<std::int64_t>(table_.rows.size()) + 1, {{table_.column("run"), key}}};
    for (const char* column : {"name", "seed"})
        if (const Json value = document.value(column, Json()); !value.is_null())
            row.cells.emplace_back(table_.column(column), value);
    row.cells.emplace_back(table_.column("state"), finalState(document.value("state", Json())));
    if (const auto created = numberOf(document.value("created", Json())))
        row.cells.emplace_back(table_.column(kTimeColumn), *created);
    if (const Json intervened = document.value("intervened", Json()); !intervened.is_null()) {
        const auto step = wholeNumberOf(intervened);
        if (!step)
            throwInvalid("\"intervened\" is not a whole number", fmt::format("{}, run {}", table_.path, key), kExportAgain);
        table_.intervened[key] = *step;
    }
    const auto spec = document.find("spec");
    Settings settings;
    if (spec != document.end()) {
        settings = settingsOf(*spec);
    } else {
        const Json told = document.value("settings", Json::object());
        for (const auto& [path, value] : told.items()) settings[path] = value;
    }
    for (const auto& [path, value] : settings) row.cells.emplace_back(table_.column(kConfigPrefix + path), value);
    table_.rows.push_back(std::move(row));
}

std::size_t OwnTable::column(const std::string& name, const ForeignMetric& metric) {
    const std::size_t column = table_.column(name);
    const auto [declared, isNew] = table_.declared.emplace(column, metric);
    if (!isNew && declared->second.key() != metric.key())
        throwInvalid(fmt::format("{} is two things", name), table_.path, "export the runs again, one export for each of them");
    return column;
}

std::size_t OwnTable::columnOf(const ForeignMetric& metric) {
    const auto known = columns_.find(metric);
    return known != columns_.end() ? known->second : columns_[metric] = column(tagOf(metric), metric);
}

void OwnTable::addValue(const std::string& key, const Value& value, std::int64_t line) {
    if (!has(key)) return;
    table_.rows.push_back(
        {line, {{table_.column("run"), key}, {table_.column("step"), value.step}, {columnOf(value.metric), value.value}}});
}

void OwnTable::finish() {
    if (!damaged_.empty())
        table_.notes.push_back("left out, since their records were damaged when they were exported: " +
                               listedNames({damaged_.begin(), damaged_.end()}));
}

ForeignTable readOwnCsv(const std::string& path) {
    const std::string runsPath = (fs::path(path).parent_path() / kRunsFile).string();
    const ForeignTable runs = readSeparated(runsPath, Separator::Comma);
    const std::map<std::string, Json> documents = runsIn(runs);
    ForeignTable table;
    table.path = path;
    table.format = "csv";
    OwnTable own(table);
    for (const auto& [key, document] : documents) own.addRun(key, document);
    const auto take = [&](const ForeignTable& header, const ForeignRow& row) {
        const NamedCells cells(header, row);
        const std::string run = cells.text("run"), split = cells.text("kind") == "series" ? "" : cells.text("split");
        if (!documents.contains(run))
            throwInvalid("the run is not in runs.csv", fmt::format("{}, line {}", path, row.number),
                         "import the folder as it was exported");
        own.addValue(run, {{split, cells.text("metric"), cells.text("path")}, cells.at("step"), cells.at("value")}, row.number);
    };
    const ForeignTable points = readSeparated(path, Separator::Comma, take);
    own.finish();
    table.sha256 = sha256Hex(points.sha256 + runs.sha256);
    return table;
}

ForeignTable readOwnJsonLines(const std::string& path) {
    ForeignTable table;
    table.path = path;
    table.format = "json lines";
    OwnTable own(table);
    const auto add = [&](std::string_view line, std::int64_t number) {
        if (line.empty()) return;
        const std::string place = fmt::format("{}, line {}", path, number);
        const Json object = objectIn(line, place, kExportAgain);
        try {
            const std::string kind = object.at("kind"), run = object.at("run");
            if (kind == "run") own.addRun(run, object);
            if (kind == "point")
                own.addValue(run, {{"", object.at("name"), object.at("path")}, object.at("step"), object.at("value")}, number);
            if (kind == "evaluation")
                own.addValue(run, {{object.at("split"), object.at("metric"), ""}, object.at("step"), object.at("value")},
                             number);
        } catch (const Json::exception& error) {
            throwInvalid(std::string("not an object of an export: ") + error.what(), place, kExportAgain);
        }
    };
    table.sha256 = forEachLine(path, add).sha256;
    own.finish();
    return table;
}

}  // namespace heddle::app
