// SPDX-License-Identifier: Apache-2.0
#include "engine/data/vectors/word_vectors.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/unicode.h"
#include "engine/data/readers/byte_reader.h"
#include "engine/data/readers/text_file.h"
#include "engine/data/vectors/vector_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

using vectors::Rows;

const char* const kNotVectors = "word2vec text begins with \"N D\", GloVe text with a word and its numbers";

/// Begin and end of a field in a line.
struct Field {
    std::size_t begin, end;
};

void splitFields(std::string_view line, std::vector<Field>& fields) {
    fields.clear();
    for (std::size_t begin = line.find_first_not_of(" \t"); begin != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
        fields.push_back({begin, end});
        begin = line.find_first_not_of(" \t", end);
    }
}

std::string_view textOf(std::string_view line, const Field& field) { return line.substr(field.begin, field.end - field.begin); }

bool parseFloat(std::string_view text, float& value) {
    const char* const last = text.data() + text.size();
    const auto [end, failed] = std::from_chars(text.data(), last, value);
    if (failed == std::errc::invalid_argument || end != last) return false;
    if (failed == std::errc{}) return true;
    double wide = std::numeric_limits<double>::infinity();  // out of range for a float, perhaps also for a double
    std::from_chars(text.data(), last, wide);
    value = static_cast<float>(wide);
    return true;
}

/// Whether the text is a vector's value and not part of a word: Tencent's vectors have words such as "web 2.0".
bool looksLikeValue(std::string_view text) {
    float ignored = 0;
    const std::size_t point = text.find('.');
    return parseFloat(text, ignored) && point != std::string_view::npos && text.size() - point > 3;
}

class TextRows {
public:
    TextRows(Rows& rows, const std::string& path, VectorLayout layout) : rows_(rows), path_(path), layout_(layout) {}

    void take(std::string_view line, std::int64_t number) {
        if (number == 1 && layout_ == VectorLayout::Text) return rows_.setHeader(*vectors::parseHeader(line));
        splitFields(line, fields_);
        if (rows_.dim() == 0) rows_.setDim(numbersAtTheEnd(line));
        ++rows_.result().rows;
        const auto dim = static_cast<std::size_t>(rows_.dim());
        if (fields_.size() <= dim)
            refuse(fmt::format("{} columns instead of a word and {} numbers", fields_.size(), dim), line, number, 0);
        const std::size_t first = fields_.size() - dim;
        if (first > 1 && looksLikeValue(textOf(line, fields_[first - 1])))
            refuse(fmt::format("more than {} numbers", dim), line, number, fields_[first - 1].begin);
        values_.resize(dim);
        for (std::size_t i = 0; i < dim; ++i) parse(line, number, i, first + i);
        const std::string_view word = line.substr(0, fields_[first - 1].end);
        if (fields_[0].begin > 0) refuse("the line begins with a space, so the word is empty", line, number, 0);
        withSpaces_ += first > 1 ? 1 : 0;
        if (!rows_.add(std::string(word), values_))
            refuse(fmt::format("the word \"{}\" appears twice", safeExcerpt(word)), line, number, 0);
    }

    std::int64_t withSpaces() const { return withSpaces_; }

private:
    [[noreturn]] void refuse(const std::string& what, std::string_view line, std::int64_t number, std::size_t offset) const {
        throwInvalid(fmt::format("{}: \"{}\"", what, safeExcerpt(line, offset)), placeInLine(path_, number, line, offset),
                     "correct the line, or download the file again");
    }

    std::int64_t numbersAtTheEnd(std::string_view line) const {
        float ignored = 0;
        std::size_t count = 0;
        while (count + 1 < fields_.size() && parseFloat(textOf(line, fields_[fields_.size() - 1 - count]), ignored)) ++count;
        if (count == 0) throwInvalid("not a word2vec or GloVe file", path_, kNotVectors);
        return static_cast<std::int64_t>(count);
    }

    void parse(std::string_view line, std::int64_t number, std::size_t i, std::size_t field) {
        const std::string_view text = textOf(line, fields_[field]);
        if (!parseFloat(text, values_[i]) || !std::isfinite(values_[i]))
            refuse(fmt::format("value {} is not a finite number", i + 1), line, number, fields_[field].begin);
    }

    Rows& rows_;
    const std::string& path_;
    VectorLayout layout_;
    std::vector<Field> fields_;
    std::vector<float> values_;
    std::int64_t withSpaces_ = 0;
};

void skipRow(const Error& error, WordVectors& result) {
    if (++result.skipped <= 5) result.notes.push_back(std::string("left out: ") + error.what());
}

WordVectors readText(const std::string& path, VectorLayout layout, const ReadVectorsOptions& options) {
    Rows rows(path, options.wanted);
    TextRows parser(rows, path, layout);
    LineOptions lines{options.stopRequested, {}};
    if (options.onBadRow == OnBadLine::Skip)
        lines.onBadLine = [&](const Error& error, std::int64_t /*number*/) { skipRow(error, rows.result()); };
    const TextFile text = forEachLine(
        path, [&](std::string_view line, std::int64_t number) { parser.take(line, number); }, lines);
    WordVectors result = rows.finish(text.sha256);
    result.notes.insert(result.notes.begin(), text.notes.begin(), text.notes.end());
    if (parser.withSpaces() > 0) result.notes.push_back(fmt::format("{}: {} words contain spaces", path, parser.withSpaces()));
    return result;
}

/// Whether control characters or invalid UTF-8 follow soon after the header, as in binary values.
bool looksBinary(std::string_view bytes) {
    constexpr std::size_t kExaminedBytes = 4096;
    const std::string_view head = bytes.substr(0, kExaminedBytes);
    const bool control = std::any_of(head.begin(), head.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
    });
    const auto bad = findInvalidUtf8(head);
    const bool onlyCut = bad && bytes.size() > kExaminedBytes && *bad + 4 > kExaminedBytes;
    return control || (bad && !onlyCut);
}

bool canBeReadBack(const std::string& word) {
    return !word.empty() && word.find_first_of("\n\r\t") == std::string::npos && word.front() != ' ' && word.back() != ' ' &&
           word.find('\0') == std::string::npos && !findInvalidUtf8(word);
}

}  // namespace

VectorLayout vectorLayoutOf(const std::string& path) {
    ByteReader reader(path);
    const std::string block(reader.read());
    const std::size_t end = block.find(lineEndOf(block));
    const std::string_view line = std::string_view(block).substr(0, end);
    if (vectors::parseHeader(line)) {
        const std::string_view rest = end == std::string::npos ? "" : std::string_view(block).substr(end + 1);
        return looksBinary(rest) ? VectorLayout::Binary : VectorLayout::Text;
    }
    std::vector<Field> fields;
    splitFields(line, fields);
    const bool isHeader = line.find_first_not_of("0123456789 \r") == std::string_view::npos && fields.size() == 2;
    if (isHeader)
        throwInvalid(fmt::format("the header \"{}\" declares more words or dimensions than possible", safeExcerpt(line)), path,
                     "the header may be damaged: download the file again");
    float ignored = 0;
    const bool glove = fields.size() > 1 && !findInvalidUtf8(line) && (end != std::string::npos || reader.read().empty()) &&
                       parseFloat(textOf(line.substr(0, line.find_last_not_of('\r') + 1), fields.back()), ignored);
    if (!glove) throwInvalid("not a word2vec or GloVe file: \"" + safeExcerpt(line) + "\"", path, kNotVectors);
    return VectorLayout::Glove;
}

WordVectors readWordVectors(const std::string& path, const ReadVectorsOptions& options) {
    const VectorLayout layout = vectorLayoutOf(path);
    if (layout == VectorLayout::Binary) return vectors::readBinary(path, options);
    return readText(path, layout, options);
}

void writeWordVectors(const std::string& path, const WordVectors& vectors) {
    std::string bytes = fmt::format("{} {}\n", vectors.words.size(), vectors.dim);
    const auto dim = static_cast<std::size_t>(vectors.dim);
    for (std::size_t i = 0; i < vectors.words.size(); ++i) {
        if (!canBeReadBack(vectors.words[i]))
            throwInvalid(fmt::format("the word \"{}\" cannot be written to a word vector file", safeExcerpt(vectors.words[i])),
                         path, "remove it from the vocabulary");
        bytes += vectors.words[i];
        for (std::size_t k = 0; k < dim; ++k) fmt::format_to(std::back_inserter(bytes), " {}", vectors.values[i * dim + k]);
        bytes += '\n';
    }
    writeFileAtomically(path, bytes);
}

}  // namespace heddle
