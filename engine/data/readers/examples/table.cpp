// SPDX-License-Identifier: Apache-2.0
// Users' tables: tsv (split at tabs, no quoting), csv (RFC 4180) and jsonl (one object per line); columns by name or number.
#include "engine/data/readers/examples/table_columns.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace heddle::examples {
namespace {

using Cells = std::vector<std::string>;

/// Splits one CSV record into cells; a quoted cell may continue on the next line.
class CsvRecord {
public:
    /// True when the record is complete.
    bool take(std::string_view text) {
        begin_ = 0;
        if (isQuoted_) {
            cell_ += ' ';  // a line feed inside a cell becomes a space
            begins_.assign(begins_.size(), 0);
        }
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char c = text[i];
            if (isQuoted_ && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
                cell_ += text[++i];
            else if (c == '"' && (isQuoted_ || cell_.empty()))
                isQuoted_ = !isQuoted_;
            else if (c == separator_ && !isQuoted_) {
                close();
                begin_ = i + 1;
            } else
                cell_ += c;
        }
        if (isQuoted_) return false;
        close();
        return true;
    }
    Cells cells() { return std::exchange(cells_, {}); }
    /// Where the cells begin in the record's last line; 0 for those of earlier lines.
    std::vector<std::size_t> begins() { return std::exchange(begins_, {}); }
    bool isOpen() const { return isQuoted_; }
    void separateBy(char separator) { separator_ = separator; }

private:
    void close() {
        cells_.push_back(std::exchange(cell_, {}));
        begins_.push_back(begin_);
    }

    std::size_t begin_ = 0;
    std::vector<std::size_t> begins_;
    char separator_ = ',';
    bool isQuoted_ = false;
    std::string cell_;
    Cells cells_;
};

bool isFiniteNumber(const std::string& text) {
    float value = 0;  // as it is kept
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
}

/// Common base of tsv, csv and jsonl: examples of one or two texts and a label.
class OwnTable : public LineParser {
public:
    OwnTable(const ExampleFormat& format, const ColumnNames& given, ExampleFile& file)
        : format_(format), given_(given), file_(file) {}

protected:
    void add(Example example, const Line& line, std::size_t labelOffset) {
        if (hasLabels_ && example.label.empty())
            line.refuse("the label is empty", labelOffset,
                        "correct the line, or skip such lines (--skip-bad-lines or data.on_bad_line)");
        if (hasLabels_ && format_.kind == ExampleFormat::Kind::Number && !isFiniteNumber(example.label))
            line.refuse(fmt::format("\"{}\" is not a number", safeExcerpt(example.label)), labelOffset,
                        file_.examples.empty()
                            ? "if line 1 contains the column names, set data.columns.text and data.columns.label"
                            : "task regress needs a number for every example: correct the line, or skip such lines "
                              "(--skip-bad-lines or data.on_bad_line)");
        if (format_.pairs && example.second.empty())
            line.refuse("the second text is empty", 0,
                        "correct the line, or skip such lines (--skip-bad-lines or data.on_bad_line)");
        file_.examples.push_back(std::move(example));
    }

    /// Refuses a guessed label column if the whole file shows that it holds no labels.
    void checkGuess(const std::string& where) const {
        constexpr std::size_t kFewest = 20;  // minimum number of examples for this check
        const std::vector<Example>& examples = file_.examples;
        if (!hasLabels_ || format_.kind != ExampleFormat::Kind::Class || examples.size() < kFewest) return;
        std::map<std::string_view, std::size_t> labels;
        for (const Example& example : examples) ++labels[example.label];
        if (2 * labels.size() > examples.size())
            throwInvalid(
                fmt::format("{} different labels in {} examples are too many for classes", labels.size(), examples.size()),
                where, "set data.columns.text and data.columns.label (names or numbers from 1)");
        std::set<std::string_view> texts;
        for (const Example& example : examples) texts.insert(example.first);
        if (!format_.pairs && texts.size() < labels.size())
            throwInvalid(fmt::format("{} different labels for {} different texts: are the columns swapped?", labels.size(),
                                     texts.size()),
                         where, "set data.columns.text and data.columns.label (names or numbers from 1)");
        const auto once = std::count_if(labels.begin(), labels.end(), [](const auto& entry) { return entry.second == 1; });
        if (labels.size() > 1 && once == 1 && labels.at(examples.front().label) == 1)
            throwInvalid(fmt::format("line 1 looks like the names of columns: its label \"{}\" occurs nowhere else",
                                     safeExcerpt(examples.front().label)),
                         where,
                         "set data.columns.text and data.columns.label to the names of the columns, or to their numbers from 1 "
                         "if line 1 is an example");
    }

    const ExampleFormat& format_;
    const ColumnNames& given_;
    ExampleFile& file_;
    bool hasLabels_ = false;
};

class TableParser final : public OwnTable {
public:
    TableParser(const ExampleFormat& format, const ColumnNames& given, ExampleFile& file)
        : OwnTable(format, given, file), isCsv_(format.id.starts_with("csv")) {}

    void take(const Line& line) override {
        if (count_ == 0 && !isNamed_ && !record_.isOpen() && takeNamedSeparator(line)) return;
        if (!isCsv_) {
            Row row;
            for (const std::string_view cell : columnsOf(line.text)) {
                row.cells.emplace_back(cell);
                row.begins.push_back(static_cast<std::size_t>(cell.data() - line.text.data()));
            }
            return takeRow(row, line);
        }
        if (count_ == 0 && !isNamed_ && !record_.isOpen() && line.text.find(',') == std::string_view::npos &&
            line.text.find(';') != std::string_view::npos) {
            record_.separateBy(';');
            file_.notes.push_back(file_.path + ": cells are separated by semicolons");
        }
        if (!record_.isOpen()) begun_ = line.number;
        if (record_.take(line.text)) takeRow({record_.cells(), record_.begins()}, line);
    }

    void finish() override {
        if (record_.isOpen())
            throwInvalid("unclosed quotation mark", fmt::format("{}, line {}", file_.path, begun_),
                         "close the quotation mark, or choose another format (--format or data.format)");
        if (count_ > 0 && !columns_.label) file_.notes.push_back(file_.path + ": has no labels");
        if (given_.empty() && !columns_.hasHeader) checkGuess(file_.path);
    }

    bool ready() const override { return count_ > 0; }
    bool wantsEmptyLines() const override { return record_.isOpen(); }

private:
    /// Takes Excel's line "sep=;", which names the separator and is no row.
    bool takeNamedSeparator(const Line& line) {
        const std::optional<char> separator = namedSeparator(line.text);
        if (!separator) return false;
        if (!isCsv_ && *separator != '\t')
            line.refuse(fmt::format("the file declares \"{}\" as its separator, but format {} uses tabs",
                                    safeExcerpt({&*separator, 1}), format_.id),
                        0, fmt::format("set data.format to csv{}", format_.pairs ? "/pairs" : ""));
        isNamed_ = true;
        record_.separateBy(*separator);
        file_.notes.push_back(fmt::format("{}: line {}, \"{}\", names the separator of the cells and is no row", file_.path,
                                          line.number, safeExcerpt(line.text)));
        return true;
    }

    struct Row {
        Cells cells;
        std::vector<std::size_t> begins;  ///< of the cells in the line
    };

    void takeRow(const Row& row, const Line& line) {
        const Cells& cells = row.cells;
        if (count_ == 0) {
            columns_ = chooseColumns(cells, {given_, format_.pairs, format_.id}, line);
            count_ = cells.size();
            hasLabels_ = columns_.label.has_value();
            if (!columns_.note.empty()) file_.notes.push_back(file_.path + ": " + columns_.note);
            if (columns_.hasHeader) return;
        }
        if (cells.size() != count_)
            line.refuse(fmt::format("{} columns, but the first line has {}", cells.size(), count_), 0,
                        isCsv_
                            ? "quote cells that contain commas, or skip such lines (--skip-bad-lines or data.on_bad_line)"
                            : "separate the columns by single tabs, or skip such lines (--skip-bad-lines or data.on_bad_line)");
        Example example;
        example.first = cells[columns_.text];
        if (columns_.second) example.second = cells[*columns_.second];
        if (columns_.label) example.label = cells[*columns_.label];
        add(std::move(example), line, columns_.label ? row.begins[*columns_.label] : 0);
    }

    const bool isCsv_;
    bool isNamed_ = false;  ///< the file has named its separator
    CsvRecord record_;
    TableColumns columns_;
    std::size_t count_ = 0;
    std::int64_t begun_ = 0;
};

/// {"text": …, "label": …} per line; a label may be a string, a number or a boolean.
class JsonLinesParser final : public OwnTable {
public:
    using OwnTable::OwnTable;

    void take(const Line& line) override {
        const Json object = parseObject(line);
        if (!isKnown_) choose(object, line);
        Example example;
        example.first = field(object, text_, line);
        if (!second_.empty()) example.second = field(object, second_, line);
        if (hasLabels_) example.label = field(object, label_, line);
        add(std::move(example), line, offsetOfKey(line, label_));
    }

    void finish() override {
        if (isKnown_ && !hasLabels_) file_.notes.push_back(file_.path + ": has no labels");
    }

    bool ready() const override { return isKnown_; }

private:
    void choose(const Json& object, const Line& line) {
        Cells keys;
        for (const auto& [key, value] : object.items()) keys.push_back(key);
        ColumnNames names = given_;
        const auto usual = [&](std::string& name, const Cells& known) {
            const auto found = std::find_if(known.begin(), known.end(), [&](const auto& key) { return object.contains(key); });
            if (name.empty() && found != known.end()) name = *found;
        };
        usual(names.text, usualTextNames());
        usual(names.label, usualLabelNames());
        if (format_.pairs) usual(names.second, usualSecondNames());
        const auto require = [&](const std::string& name, const char* which) {
            if (!name.empty() && object.contains(name)) return;
            line.refuse(
                name.empty() ? fmt::format("unknown key for the {}", which) : fmt::format("no key \"{}\"", safeExcerpt(name)),
                0,
                fmt::format("set data.columns.{} to one of its keys: {}", which,
                            safeExcerpt(fmt::format("{}", fmt::join(keys, ", ")))));
        };
        require(names.text, "text");
        if (format_.pairs) require(names.second, "second");
        if (!names.label.empty()) require(names.label, "label");
        text_ = names.text, second_ = names.second, label_ = names.label;
        hasLabels_ = !label_.empty();
        isKnown_ = true;
        file_.notes.push_back(
            fmt::format("{}: text from key \"{}\"{}{}", file_.path, safeExcerpt(text_),
                        second_.empty() ? "" : fmt::format(", the second text from \"{}\"", safeExcerpt(second_)),
                        hasLabels_ ? fmt::format(", the label from \"{}\"", safeExcerpt(label_)) : ", no label"));
    }

    static std::string field(const Json& object, const std::string& key, const Line& line) {
        if (const auto found = object.find(key); found != object.end() && found->is_boolean())
            return found->get<bool>() ? "true" : "false";
        return requiredField(object, {key}, line);
    }

    bool isKnown_ = false;
    std::string text_, second_, label_;
};

}  // namespace

std::unique_ptr<LineParser> tableParser(const ExampleFormat& format, const ColumnNames& columns, ExampleFile& file) {
    if (format.id.starts_with("jsonl")) return std::make_unique<JsonLinesParser>(format, columns, file);
    return std::make_unique<TableParser>(format, columns, file);
}

}  // namespace heddle::examples
