// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/examples/line_parser.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/unicode.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace heddle::examples {
namespace {

constexpr double kLargestScore = 5;  // of STS-B

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

/// The byte offset in a message of parseJson(), which names line 1 and a column in bytes.
std::size_t offsetOf(const std::string& where) {
    const std::size_t at = where.rfind("column ");
    if (at == std::string::npos) return 0;
    const std::string_view digits = std::string_view(where).substr(at + 7);
    std::size_t column = 1;
    std::from_chars(digits.data(), digits.data() + digits.size(), column);
    return column - 1;
}

/// A number as text. A whole number beyond 64 bits was rounded when it was read: two of them could look like one.
std::string numberAsWritten(const Json& number, const std::string& key, const Line& line) {
    constexpr double kLargestExact = 9007199254740992;  // 2^53
    if (number.is_number_float()) {
        const double value = std::abs(number.get<double>());
        if (value >= kLargestExact && value == std::floor(value))
            line.refuse(fmt::format("the number in field \"{}\" has too many digits for a double", key), offsetOfKey(line, key),
                        "write it as a string, in quotation marks");
    }
    return number.dump();
}

}  // namespace

void Line::refuse(const std::string& what, std::size_t offset, const std::string& next) const {
    throwInvalid(fmt::format("{}: \"{}\"", what, safeExcerpt(text, offset)), placeInLine(path, number, text, offset), next);
}

void skipOrThrow(const std::exception& error, OnBadLine onBadLine, ExampleFile& file) {
    if (onBadLine == OnBadLine::Stop) throw;
    if (++file.skipped <= kNotedLines) file.notes.push_back(std::string("left out: ") + error.what());
}

std::vector<std::string_view> columnsOf(std::string_view text) {
    std::vector<std::string_view> columns;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find('\t', begin);
        columns.push_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) return columns;
        begin = end + 1;
    }
}

void checkLabel(const ExampleFormat& format, std::string_view label, const Line& line, std::size_t offset) {
    if (format.kind == ExampleFormat::Kind::Number) {
        double value = 0;
        const auto [end, failed] = std::from_chars(label.data(), label.data() + label.size(), value);
        const bool whole = failed == std::errc{} && end == label.data() + label.size();
        if (!whole || !(value >= 0 && value <= kLargestScore))
            line.refuse(fmt::format("score \"{}\" is not a number from 0 to 5", safeExcerpt(label)), offset,
                        "correct the line, or skip such lines (--skip-bad-lines or data.on_bad_line)");
        return;
    }
    const std::vector<std::string>& classes = format.classes;
    if (classes.empty() || contains(classes, label)) return;
    const std::string known = classes.size() > 20 ? fmt::format("{} … {}", classes.front(), classes.back()) : joined(classes);
    line.refuse(fmt::format("label \"{}\" is not a class of {} ({})", safeExcerpt(label), format.id, known), offset,
                "correct the line, skip such lines (--skip-bad-lines or data.on_bad_line), or choose another format (--format "
                "or data.format)");
}

std::size_t offsetOfKey(const Line& line, const std::string& key) {
    const std::size_t at = line.text.find("\"" + key + "\"");
    return at == std::string_view::npos ? 0 : at;
}

Json parseObject(const Line& line) {
    Json object;
    try {
        object = parseJson(line.text, "");
    } catch (const Error& error) {  // rethrow with the file's line and a column in characters
        line.refuse(error.problem(), std::min(offsetOf(error.where()), line.text.size()), "write one JSON object per line");
    }
    if (!object.is_object()) line.refuse("is not a JSON object", 0, "write one JSON object per line");
    return object;
}

std::optional<std::string> textField(const Json& object, const std::vector<std::string>& keys, const Line& line) {
    for (const std::string& key : keys) {
        const auto field = object.find(key);
        if (field == object.end()) continue;
        if (field->is_number()) return numberAsWritten(*field, key, line);
        const std::size_t offset = offsetOfKey(line, key);
        if (!field->is_string())
            line.refuse("field \"" + key + "\" is neither a string nor a number", offset, "correct the line");
        std::string text = field->get<std::string>();
        if (text.find('\0') != std::string::npos)
            line.refuse("field \"" + key + "\" contains a NUL character", offset, "correct the line");
        return text;
    }
    return std::nullopt;
}

std::string requiredField(const Json& object, const std::vector<std::string>& keys, const Line& line) {
    std::optional<std::string> text = textField(object, keys, line);
    if (text) return *text;
    std::vector<std::string> found;
    for (const auto& [key, value] : object.items()) found.push_back(safeExcerpt(key));
    line.refuse(fmt::format("no field \"{}\" (the fields are: {})", keys.front(), joined(found)), 0,
                "correct the line, or choose another format (--format or data.format)");
}

void noteNoGold(ExampleFile& file, std::int64_t count) {
    file.skipped += count;
    if (count > 0)
        file.notes.push_back(fmt::format("{}: {} examples without a gold label (\"-\") were left out", file.path, count));
}

}  // namespace heddle::examples
