// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/examples/table_columns.h"

#include "engine/base/unicode.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace heddle::examples {
namespace {

using Names = std::vector<std::string>;
using Column = std::optional<std::size_t>;

/// Lower-cased and trimmed.
std::string plainName(std::string_view cell) {
    const std::string name = lowerAscii(std::string(cell));
    const std::size_t begin = name.find_first_not_of(' ');
    return begin == std::string::npos ? "" : name.substr(begin, name.find_last_not_of(' ') - begin + 1);
}

/// The column with the first of these names that occurs.
Column findUsual(const Names& row, const Names& usual) {
    for (const std::string& name : usual) {
        const auto found = std::find_if(row.begin(), row.end(), [&](const auto& cell) { return plainName(cell) == name; });
        if (found != row.end()) return static_cast<std::size_t>(found - row.begin());
    }
    return std::nullopt;
}

std::string shown(const Names& row) {
    Names safe;
    for (const std::string& cell : row) safe.push_back(safeExcerpt(cell));
    return fmt::format("{}", fmt::join(safe, ", "));
}

class ColumnChooser {
public:
    ColumnChooser(const Names& row, const TableHints& hints, const Line& line) : row_(row), hints_(hints), line_(line) {}

    TableColumns choose() {
        if (!hints_.given.empty()) return byGivenNames();
        if (const auto named = byUsualNames()) return *named;
        return byPosition();
    }

private:
    std::size_t texts() const { return hints_.pairs ? 2 : 1; }

    TableColumns byGivenNames() {
        TableColumns columns;
        const Column text = given(hints_.given.text, "text", columns), second = given(hints_.given.second, "second", columns);
        columns.label = given(hints_.given.label, "label", columns);
        const bool isRecognised = findUsual(row_, usualTextNames()) && findUsual(row_, usualLabelNames());
        columns.hasHeader = columns.hasHeader || isRecognised;
        const auto free = [&](const Names& usual) {
            const Column found = columns.hasHeader ? findUsual(row_, usual) : std::nullopt;
            return found && found != columns.label && found != text && found != second ? found : std::nullopt;
        };
        Column chosenText = text ? text : free(usualTextNames());
        if (!chosenText) chosenText = onlyOther(columns.label, second);
        if (!chosenText) refuse("unknown column of the text", "set data.columns.text");
        columns.text = *chosenText;
        if (!columns.label && hints_.given.label.empty()) columns.label = free(usualLabelNames());
        columns.second = second;
        if (hints_.pairs && !second) columns.second = free(usualSecondNames());
        if (hints_.pairs && !columns.second) refuse("unknown column of the second text", "set data.columns.second");
        columns.note = noteOn(columns);
        return columns;
    }

    /// A column by its name in the header, else by its number from 1.
    Column given(const std::string& name, const char* which, TableColumns& columns) {
        if (name.empty()) return std::nullopt;
        const auto found = std::find(row_.begin(), row_.end(), name);
        if (found != row_.end()) {
            columns.hasHeader = true;
            return static_cast<std::size_t>(found - row_.begin());
        }
        std::size_t number = 0;
        const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
        const bool isNumber = failed == std::errc{} && end == name.data() + name.size();
        if (!isNumber || number < 1 || number > row_.size())
            refuse(fmt::format("unknown column \"{}\"", safeExcerpt(name)),
                   fmt::format("set data.columns.{} to one of these, or to a number from 1: {}", which, shown(row_)));
        return number - 1;
    }

    /// The remaining column when two of three are chosen.
    Column onlyOther(Column a, Column b) const {
        Column left;
        for (std::size_t i = 0; i < row_.size(); ++i) {
            if (i == a || i == b) continue;
            if (left) return std::nullopt;
            left = i;
        }
        return left;
    }

    std::optional<TableColumns> byUsualNames() {
        TableColumns columns;
        columns.hasHeader = true;
        columns.label = findUsual(row_, usualLabelNames());
        Column text = findUsual(row_, usualTextNames());
        Column second = findUsual(row_, usualSecondNames());
        if (second == text) second = std::nullopt;
        if (hints_.pairs && text && !second) std::tie(text, second) = twoTexts(*text);
        if (columns.label == text) columns.label = std::nullopt;
        if (columns.label && !text && row_.size() == texts() + 1) {  // whatever the names of the texts
            text = columns.label == 0U ? 1 : 0;
            if (hints_.pairs) second = columns.label == 2U ? 1 : 2;
        }
        if (text && !columns.label && row_.size() > texts() && !(hints_.pairs && !second))
            refuse("line 1 contains the name of a text column but of no label column",
                   "set data.columns.label to the name of the column; or set data.columns.text to a number if line 1 is an "
                   "example");
        if (!text || (!columns.label && row_.size() != texts())) return std::nullopt;
        if (hints_.pairs && !second) return std::nullopt;
        if (!hints_.pairs && second)
            refuse("two text columns",
                   fmt::format("set data.format to {}/pairs, or choose one with data.columns.text", hints_.format));
        columns.text = *text;
        if (hints_.pairs) columns.second = second;
        columns.note = noteOn(columns);
        return columns;
    }

    /// The two columns with usual names of a text, in the order of the row (question and sentence); else only `text`.
    std::pair<Column, Column> twoTexts(std::size_t text) const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < row_.size(); ++i)
            if (findUsual({row_[i]}, usualTextNames())) found.push_back(i);
        if (found.size() == 2) return {found[0], found[1]};
        return {text, std::nullopt};
    }

    TableColumns byPosition() {
        if (row_.size() != texts() && row_.size() != texts() + 1) {
            const bool isOther = row_.size() == (hints_.pairs ? 1U : 3U);
            const std::string other = hints_.format.substr(0, hints_.format.find('/')) + (hints_.pairs ? "" : "/pairs");
            refuse(
                fmt::format("{0} columns instead of the {2} or {3} of {1}", row_.size(), hints_.format, texts(), texts() + 1),
                isOther ? fmt::format("use format {} if that fits, or set data.columns", other)
                        : std::string("set data.columns.text and data.columns.label, or use the separator of the format"));
        }
        TableColumns columns;
        if (hints_.pairs) columns.second = 1;
        if (row_.size() == texts() + 1) columns.label = texts();
        return columns;
    }

    std::string noteOn(const TableColumns& columns) const {
        const auto name = [&](std::size_t i) {
            return columns.hasHeader ? fmt::format("\"{}\"", safeExcerpt(row_[i])) : fmt::format("{}", i + 1);
        };
        std::string note = "text from column " + name(columns.text);
        if (columns.second) note += ", the second text from column " + name(*columns.second);
        note += columns.label ? ", the label from column " + name(*columns.label) : ", no label";
        return columns.hasHeader ? "line 1 names the columns and is no example: " + note : note;
    }

    [[noreturn]] void refuse(const std::string& what, const std::string& next) const { line_.refuse(what, 0, next); }

    const Names& row_;
    const TableHints& hints_;
    const Line& line_;
};

}  // namespace

std::optional<char> namedSeparator(std::string_view firstLine) {
    if (firstLine.size() > 1 && firstLine.front() == '"' && firstLine.back() == '"') {
        firstLine.remove_prefix(1);
        firstLine.remove_suffix(1);
    }
    constexpr std::size_t kBeforeSeparator = 4;
    if (firstLine.size() < kBeforeSeparator || lowerAscii(std::string(firstLine.substr(0, kBeforeSeparator))) != "sep=")
        return std::nullopt;
    // Programs that write the line as a row fill it up with empty cells: "sep=,,,".
    const std::string_view rest = firstLine.substr(kBeforeSeparator);
    if (rest.empty() || rest.front() == '"' || rest.find_first_not_of(rest.front()) != std::string_view::npos)
        return std::nullopt;
    const bool separates = rest.front() == '\t' || rest.front() == ' ' || isAsciiPunctuation(rest.front());
    return separates ? std::optional(rest.front()) : std::nullopt;
}

const std::vector<std::string>& usualTextNames() {
    static const Names names{"text",    "sentence",  "sentence1", "text1",  "text_a",   "first",
                             "premise", "question1", "question",  "review", "content",  "comment",
                             "message", "tweet",     "headline",  "title",  "document", "body"};
    return names;
}

const std::vector<std::string>& usualSecondNames() {
    static const Names names{"second", "sentence2", "text2", "text_b", "hypothesis", "question2", "answer", "context"};
    return names;
}

const std::vector<std::string>& usualLabelNames() {
    static const Names names{"label",  "labels", "gold_label", "class",  "category", "target",     "sentiment", "tag",
                             "intent", "topic",  "score",      "rating", "stars",    "similarity", "polarity",  "y"};
    return names;
}

TableColumns chooseColumns(const std::vector<std::string>& firstRow, const TableHints& hints, const Line& line) {
    return ColumnChooser(firstRow, hints, line).choose();
}

}  // namespace heddle::examples
