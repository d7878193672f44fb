// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/data/readers/examples.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle::examples {

/// A line as its parser sees it.
struct Line {
    const std::string& path;
    std::int64_t number;
    std::string_view text;

    /// Throws Error(InvalidInput) that points at the byte at `offset` and shows what is there.
    [[noreturn]] void refuse(const std::string& what, std::size_t offset, const std::string& next) const;
};

/// Turns the lines of one format into the examples of one file.
class LineParser {
public:
    virtual ~LineParser() = default;
    /// Throws Error(InvalidInput) for a line that is not of the format; the next call may then follow.
    virtual void take(const Line& line) = 0;
    virtual void finish() {}
    /// False until the header is read: a file without its header is another file, and nothing of it is skipped.
    virtual bool ready() const { return true; }
    /// Whether an empty line means something here; others are counted and passed over.
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

/// Counts a line that is left out and keeps the first few among the notes, or throws the error again.
void skipOrThrow(const std::exception& error, OnBadLine onBadLine, ExampleFile& file);
inline constexpr std::int64_t kNotedLines = 5;

/// The columns of a line, cut at tabs and nowhere else: GLUE's files contain quotation marks that quote nothing.
std::vector<std::string_view> columnsOf(std::string_view text);

/// Refuses a label that is none of the format's classes, or no number from 0 to 5 where the format has numbers (STS-B).
void checkLabel(const ExampleFormat& format, std::string_view label, const Line& line, std::size_t offset);

/// Where a key stands in the line; 0 for one that is not there, or is written with escapes.
std::size_t offsetOfKey(const Line& line, const std::string& key);

/// One line of JSON, an object; throws with the line's place.
Json parseObject(const Line& line);

/// The text of the first of `keys` that the object has; numbers as they are written. Refuses other types.
std::optional<std::string> textField(const Json& object, const std::vector<std::string>& keys, const Line& line);

/// The same for a field that must be there.
std::string requiredField(const Json& object, const std::vector<std::string>& keys, const Line& line);

/// "-": the annotators agreed on nothing. Such an example is left out and counted by noteNoGold().
inline constexpr std::string_view kNoGold = "-";
void noteNoGold(ExampleFile& file, std::int64_t count);

}  // namespace heddle::examples
