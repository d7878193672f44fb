// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/foreign_table.h"

#include "app/foreign/own_table.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/text_limits.h"
#include "engine/data/readers/byte_reader.h"

#include <fmt/format.h>

#include <filesystem>

namespace heddle::app {

std::optional<std::size_t> ForeignTable::find(const std::string& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t ForeignTable::column(const std::string& name) {
    if (const auto known = find(name)) return *known;
    requireShort(name, kMaxNameCharacters, "the name of a column", path);
    if (columns.size() >= kMostColumns)
        throwInvalid(fmt::format("has more than {} columns", kMostColumns), path,
                     "remove columns that are neither settings nor metrics");
    columns.push_back(name);
    return places_[name] = columns.size() - 1;
}

std::string ForeignTable::place(const ForeignRow& row) const { return fmt::format("{}, {} {}", path, unit, row.number); }

std::string ForeignTable::place(const ForeignRow& row, std::size_t column) const {
    return fmt::format("{}, column {}", place(row), columns[column]);
}

Json objectIn(std::string_view text, const std::string& place, const std::string& next) {
    Json object = parseJson(text, place);
    if (!object.is_object()) throwInvalid("is not a JSON object", place, next);
    return object;
}

void addCells(ForeignTable& table, ForeignRow& row, const Json& object, const std::string& prefix) {
    for (const auto& [key, value] : object.items()) {
        if (value.is_object())
            addCells(table, row, value, prefix + key + ".");
        else if (value.is_array() && !(prefix + key).starts_with(kConfigPrefix))
            table.leftOut.insert(prefix + key);
        else if (!value.is_null())
            row.cells.emplace_back(table.column(prefix + key), value);
    }
}

ForeignTable readForeign(const std::string& path) {
    if (std::filesystem::is_directory(path)) {
        const std::string points = (std::filesystem::path(path) / kPointsFile).string();
        return std::filesystem::is_regular_file(points) ? readForeign(points) : readTensorBoard(path);
    }
    std::string beginning;
    {
        ByteReader reader(path);
        beginning = reader.read();
    }
    if (beginning.starts_with("SQLite format 3")) return readTrackio(path);
    const bool isNamedEvents = std::filesystem::path(path).filename().string().find("tfevents") != std::string::npos;
    if (isNamedEvents || beginsEvents(beginning)) return readTensorBoard(path);
    if (beginning.find('\0') != std::string::npos)
        throwInvalid("unsupported file type", path,
                     "give a Heddle or Trackio database, CSV or TSV with a header, JSON lines, or TensorBoard events");
    if (beginsOwnPoints(beginning)) return readOwnCsv(path);
    if (beginsOwnLines(beginning)) return readOwnJsonLines(path);
    const std::size_t first = beginning.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first == std::string::npos) throwInvalid("is empty", path, "there is nothing to import");
    if (beginning[first] == '{') return readJsonLines(path);
    const bool hasTab = beginning.substr(0, beginning.find_first_of("\r\n")).find('\t') != std::string::npos;
    return readSeparated(path, hasTab ? Separator::Tab : Separator::Comma);
}

}  // namespace heddle::app
