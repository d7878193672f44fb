// SPDX-License-Identifier: Apache-2.0
// CSV and TSV with a header (RFC 4180): a cell in double quotes may hold separators, line ends and doubled quotes.
#include "app/foreign/foreign_table.h"
#include "engine/base/error.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

#include <utility>

namespace heddle::app {
namespace {

/// Collects the cells of records, which may extend over lines.
class Records {
public:
    Records(ForeignTable& table, char separator, const TakeRow& take) : table_(table), separator_(separator), take_(take) {}

    void add(std::string_view line, std::int64_t number) {
        if (isQuoted_)
            cell_ += '\n';
        else if (line.empty())
            return;  // a blank line is no record
        else
            begun_ = number;
        for (std::size_t i = 0; i < line.size();) i += addCharacters(line, i, number);
        if (!isQuoted_) finishRecord();
    }

    void finish() const {
        if (isQuoted_)
            throwInvalid("unclosed quotation mark", fmt::format("{}, line {}", table_.path, begun_),
                         "close the quotation mark");
        if (!hasHeader_) throwInvalid("no header", table_.path, "start the file with a line of column names");
    }

private:
    /// Returns how many characters it read.
    std::size_t addCharacters(std::string_view line, std::size_t i, std::int64_t number) {
        const char c = line[i];
        if (isQuoted_ && c == '"' && line.substr(i).starts_with("\"\"")) {
            cell_ += c;
            return 2;
        }
        if (isQuoted_ && c != '"') {
            cell_ += c;
            return 1;
        }
        if (isQuoted_)
            isQuoted_ = false, isClosed_ = true;
        else if (c == separator_)
            finishCell();
        else if (isClosed_ || (c == '"' && !cell_.empty()))
            throwInvalid(isClosed_ ? "text after a closing quotation mark" : "a quotation mark in an unquoted cell",
                         placeInLine(table_.path, number, line, i),
                         "quote the whole cell, and double the quotation marks in it");
        else if (c == '"')
            isQuoted_ = true;
        else
            cell_ += c;
        return 1;
    }

    void finishCell() {
        if (cells_.size() >= kMostColumns)
            throwInvalid(fmt::format("has more than {} cells", kMostColumns), fmt::format("{}, line {}", table_.path, begun_),
                         "remove columns that are neither settings nor metrics");
        cells_.push_back(std::exchange(cell_, {}));
        isClosed_ = false;
    }

    void finishRecord() {
        finishCell();
        hasHeader_ ? addRow() : addHeader();
        hasHeader_ = true;
        cells_.clear();
    }

    void addHeader() {
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            // The first column of a table that pandas wrote has no name: it counts the rows.
            const std::string name = cells_[i].empty() ? fmt::format("_column {}", i + 1) : cells_[i];
            if (table_.find(name))
                throwInvalid(fmt::format("duplicate column \"{}\"", name), fmt::format("{}, line {}", table_.path, begun_),
                             "rename one of them");
            table_.column(name);
        }
    }

    void addRow() {
        if (cells_.size() != table_.columns.size())
            throwInvalid(fmt::format("{} cells, but the header has {}", cells_.size(), table_.columns.size()),
                         fmt::format("{}, line {}", table_.path, begun_), "correct the line");
        ForeignRow row{begun_, {}};
        for (std::size_t i = 0; i < cells_.size(); ++i)
            if (!cells_[i].empty()) row.cells.emplace_back(i, std::move(cells_[i]));
        if (take_)
            take_(table_, row);
        else
            table_.rows.push_back(std::move(row));
    }

    ForeignTable& table_;
    const char separator_;
    const TakeRow& take_;
    std::vector<std::string> cells_;
    std::string cell_;
    std::int64_t begun_ = 0;
    bool isQuoted_ = false, isClosed_ = false, hasHeader_ = false;
};

}  // namespace

ForeignTable readSeparated(const std::string& path, Separator separator, const TakeRow& take) {
    ForeignTable table;
    table.path = path;
    table.format = separator == Separator::Tab ? "tsv" : "csv";
    Records records(table, static_cast<char>(separator), take);
    table.sha256 = forEachLine(path, [&](std::string_view line, std::int64_t number) { records.add(line, number); }).sha256;
    records.finish();
    return table;
}

}  // namespace heddle::app
