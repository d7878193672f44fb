// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/data/readers/examples.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle::examples {

/// Input of a line parser.
struct Line {
    const std::string& path;
    std::int64_t number;
    std::string_view text;

    /// Throws Error(InvalidInput) with the position and an excerpt of the text at `offset` (bytes).
    [[noreturn]] void refuse(const std::string& what, std::size_t offset, const std::string& next) const;
};

/// Turns the lines of one format into the examples of one file.
class LineParser {
public:
    virtual ~LineParser() = default;
    /// Parses one line. Throws Error(InvalidInput) for a malformed line; parsing may continue with the next one.
    virtual void take(const Line& line) = 0;
    virtual void finish() {}
    /// False until the header is read. Errors before that are never skipped, because the file has another format.
    virtual bool ready() const { return true; }
    /// Whether empty lines are meaningful; otherwise they are counted and skipped.
    virtual bool wantsEmptyLines() const { return false; }
};

/// Makes the parser of a format; `columns` are of a user's own table.
using MakeParser = std::unique_ptr<LineParser> (*)(const ExampleFormat& format, const ColumnNames& columns, ExampleFile& file);
/// Reads a format that is one document, not lines.
using ReadDocument = ExampleFile (*)(const ReadExamplesOptions& options, const std::string& path);
using Reader = std::variant<MakeParser, ReadDocument>;

/// The reader of a format, out of the list in formats.cpp; throws as exampleFormat() does.
const Reader& readerOf(const std::string& format);

// The readers; formats.cpp lists them.
std::unique_ptr<LineParser> glueParser(const ExampleFormat& format, const ColumnNames& columns, ExampleFile& file);
std::unique_ptr<LineParser> snliParser(const ExampleFormat& format, const ColumnNames& columns, ExampleFile& file);
std::unique_ptr<LineParser> clueParser(const ExampleFormat& format, const ColumnNames& columns, ExampleFile& file);
std::unique_ptr<LineParser> tableParser(const ExampleFormat& format, const ColumnNames& columns, ExampleFile& file);
std::unique_ptr<LineParser> conllParser(const ExampleFormat& format, const ColumnNames& columns, ExampleFile& file);
ExampleFile readSquad(const ReadExamplesOptions& options, const std::string& path);

/// Counts a skipped line and notes the first few, or rethrows the error.
void skipOrThrow(const std::exception& error, OnBadLine onBadLine, ExampleFile& file);
inline constexpr std::int64_t kNotedLines = 5;

/// The columns of a line, split at tabs only: quotation marks in GLUE's files are literal.
std::vector<std::string_view> columnsOf(std::string_view text);

/// Refuses a label that is not a class of the format, or for formats with numbers (STS-B) not a number from 0 to 5.
void checkLabel(const ExampleFormat& format, std::string_view label, const Line& line, std::size_t offset);

/// Byte offset of a key in the line; 0 if it is missing or written with escapes.
std::size_t offsetOfKey(const Line& line, const std::string& key);

/// Parses one line as a JSON object; errors name the line.
Json parseObject(const Line& line);

/// The text of the first of `keys` that the object has; numbers as written. Refuses other types.
std::optional<std::string> textField(const Json& object, const std::vector<std::string>& keys, const Line& line);

/// The same for a required field.
std::string requiredField(const Json& object, const std::vector<std::string>& keys, const Line& line);

/// "-": the annotators did not agree. Such examples are skipped and counted by noteNoGold().
inline constexpr std::string_view kNoGold = "-";
void noteNoGold(ExampleFile& file, std::int64_t count);

}  // namespace heddle::examples
