// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/foreign_table.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

#include <array>

namespace heddle::app {
namespace {

/// The line with NaN, Infinity and -Infinity outside of strings in quotes, as RFC 8259 knows no such numbers.
std::string withQuotedWords(std::string_view line) {
    constexpr std::array<std::string_view, 3> kWords{"-Infinity", "Infinity", "NaN"};
    std::string text;
    bool isString = false;
    for (std::size_t i = 0; i < line.size();) {
        std::size_t length = 1;
        if (isString && line[i] == '\\' && i + 1 < line.size())
            length = 2;
        else if (line[i] == '"')
            isString = !isString;
        else if (!isString)
            for (const std::string_view word : kWords)
                if (length == 1 && line.substr(i).starts_with(word)) length = word.size();
        const bool isWord = length > 2;
        text += isWord ? "\"" : "";
        text += line.substr(i, length);
        text += isWord ? "\"" : "";
        i += length;
    }
    return text;
}

}  // namespace

ForeignTable readJsonLines(const std::string& path) {
    ForeignTable table;
    table.path = path;
    table.format = "json lines";
    const auto add = [&](std::string_view line, std::int64_t number) {
        if (line.find_first_not_of(" \t") == std::string_view::npos) return;
        const std::string place = fmt::format("{}, line {}", path, number);
        const bool hasWord = line.find("NaN") != std::string_view::npos || line.find("Infinity") != std::string_view::npos;
        const std::string quoted = hasWord ? withQuotedWords(line) : "";
        ForeignRow row{number, {}};
        addCells(table, row, objectIn(hasWord ? quoted : line, place, "write an object a line: {\"run\": …, \"step\": …}"));
        table.rows.push_back(std::move(row));
    };
    table.sha256 = forEachLine(path, add).sha256;
    return table;
}

}  // namespace heddle::app
