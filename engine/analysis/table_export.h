// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A table that leaves the program: for a spreadsheet, a page or a paper.
struct ExportedTable {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
    std::size_t textColumns = 1;  ///< leading columns, aligned left; the rest are numbers
    std::string note = {};        ///< what the values are, below the table; tsv and csv leave it out
};

/// Latex: tabular with the rules of booktabs.
enum class TableFormat { Tsv, Csv, Markdown, Latex };

/// By the end of the file's name, in small letters or capitals: .tsv, .txt, .csv, .md, .tex.
std::optional<TableFormat> tableFormatOf(std::string file);

/// The whole table, UTF-8, ending with a line end. Every text is escaped as the format demands.
std::string tableText(const ExportedTable& table, TableFormat format);

/// A text as a cell of CSV (RFC 4180): as tableCell() leaves it, in quotes where it needs them.
std::string csvCell(const std::string& text);

}  // namespace heddle
