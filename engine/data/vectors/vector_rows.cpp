// SPDX-License-Identifier: Apache-2.0
#include "engine/data/vectors/vector_rows.h"

#include "engine/base/error.h"
#include "engine/base/unicode.h"
#include "engine/data/readers/byte_reader.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace heddle::vectors {
namespace {

static_assert(std::endian::native == std::endian::little, "the binary layout is read as the machine has it");

constexpr std::int64_t kMaxDim = 65'536, kMaxRows = std::int64_t{1} << 31;
constexpr std::size_t kMaxWordBytes = 1U << 16;

/// A window on the contents that grows on request.
class Window {
public:
    explicit Window(ByteReader& reader) : reader_(reader) {}

    /// At least `count` bytes, or the rest of the file.
    std::string_view atLeast(std::size_t count) {
        while (bytes_.size() - at_ < count) {
            const std::string_view block = reader_.read();
            if (block.empty()) break;
            bytes_.erase(0, std::exchange(at_, 0));
            bytes_.append(block);
        }
        return std::string_view(bytes_).substr(at_);
    }
    void drop(std::size_t count) { at_ += count; }

private:
    ByteReader& reader_;
    std::string bytes_;
    std::size_t at_ = 0;
};

class BinaryReader {
public:
    BinaryReader(const std::string& path, const ReadVectorsOptions& options)
        : path_(path), options_(options), reader_(path, options.stopRequested), window_(reader_), rows_(path, options.wanted) {}

    WordVectors read() {
        const std::string_view head = window_.atLeast(kMaxWordBytes);
        const std::size_t end = head.find('\n');
        const std::optional<Header> header = parseHeader(head.substr(0, end));
        if (!header || end == std::string_view::npos) throwInvalid("no header \"N D\"", path_, "download the file again");
        rows_.setHeader(*header);
        window_.drop(end + 1);
        values_.resize(static_cast<std::size_t>(header->dim));
        for (std::int64_t row = 1; row <= header->rows; ++row) readRow(row);
        std::string_view rest = window_.atLeast(2);
        if (rest.starts_with('\n')) rest.remove_prefix(1);
        if (!rest.empty())
            throwInvalid(fmt::format("more than the {} rows that the header declares", header->rows), path_,
                         "the header may be damaged: download the file again");
        return rows_.finish(reader_.sha256());
    }

private:
    void readRow(std::int64_t row) {
        if (window_.atLeast(1).starts_with('\n')) window_.drop(1);  // word2vec writes one after each row
        const std::size_t bytes = values_.size() * sizeof(float);
        std::string_view text = window_.atLeast(kMaxWordBytes);
        const std::size_t space = text.substr(0, kMaxWordBytes).find(' ');
        if (space == std::string_view::npos) throwCut(row, text.size() >= kMaxWordBytes);
        std::string word(text.substr(0, space));
        window_.drop(space + 1);
        text = window_.atLeast(bytes);
        if (text.size() < bytes) throwCut(row, false);
        std::memcpy(values_.data(), text.data(), bytes);
        window_.drop(bytes);
        ++rows_.result().rows;
        const std::string problem = problemOf(std::move(word));
        if (problem.empty()) return;
        const Error error(ErrorCode::InvalidInput, problem, fmt::format("{}, row {}", path_, row), "download the file again");
        if (options_.onBadRow == OnBadLine::Stop) throw error;
        if (++rows_.result().skipped <= 5) rows_.result().notes.push_back(std::string("left out: ") + error.what());
    }

    /// Adds the row; returns why it is invalid, or an empty string.
    std::string problemOf(std::string word) {
        const std::string shown = safeExcerpt(word);
        if (word.empty()) return "the word is empty";
        if (findInvalidUtf8(word) || word.find('\0') != std::string::npos)
            return fmt::format("the word \"{}\" is not UTF-8", shown);
        for (std::size_t i = 0; i < values_.size(); ++i)
            if (!std::isfinite(values_[i])) return fmt::format("value {} of \"{}\" is not a finite number", i + 1, shown);
        return rows_.add(std::move(word), values_) ? "" : fmt::format("the word \"{}\" appears twice", shown);
    }

    [[noreturn]] void throwCut(std::int64_t row, bool noSpace) const {
        throwInvalid(
            noSpace ? "no space after a word" : fmt::format("unexpected end of file in row {} of {}", row, rows_.header().rows),
            fmt::format("{}, row {}", path_, row), "the file is truncated or damaged: download it again");
    }

    const std::string& path_;
    const ReadVectorsOptions& options_;
    ByteReader reader_;
    Window window_;
    Rows rows_;
    std::vector<float> values_;
};

}  // namespace

std::optional<Header> parseHeader(std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    Header header;
    const char* const end = line.data() + line.size();
    const auto rows = std::from_chars(line.data(), end, header.rows);
    if (rows.ec != std::errc{} || rows.ptr == end || *rows.ptr != ' ') return std::nullopt;
    const auto dim = std::from_chars(rows.ptr + 1, end, header.dim);
    if (dim.ec != std::errc{} || dim.ptr != end) return std::nullopt;
    const bool meant = header.rows > 0 && header.rows <= kMaxRows && header.dim > 0 && header.dim <= kMaxDim;
    return meant ? std::optional(header) : std::nullopt;
}

Rows::Rows(const std::string& path, const std::function<bool(const std::string&)>& wanted) : path_(path), wanted_(wanted) {
    const ByteReader reader(path);
    // A number takes at least two bytes of text, and gzip compresses numbers at most threefold.
    maxValueBytes_ = reader.fileSize() * (reader.compressed() ? 6 : 2);
}

void Rows::setHeader(const Header& header) {
    header_ = header;
    setDim(header.dim);
    const auto values = static_cast<std::uint64_t>(header.rows) * static_cast<std::uint64_t>(header.dim);
    if (!wanted_ && values <= maxValueBytes_ / sizeof(float)) {
        result_.values.reserve(values);
        result_.words.reserve(static_cast<std::size_t>(header.rows));
    }
}

void Rows::setDim(std::int64_t dim) { result_.dim = dim; }

bool Rows::add(std::string word, const std::vector<float>& values) {
    if (wanted_ && !wanted_(word)) return true;
    if (!seen_.insert(word).second) return false;
    result_.words.push_back(std::move(word));
    result_.values.insert(result_.values.end(), values.begin(), values.end());
    return true;
}

WordVectors Rows::finish(const std::string& sha256) {
    if (header_.rows > 0 && result_.rows != header_.rows)
        throwInvalid(
            fmt::format("{} rows instead of the {} that the header declares", result_.rows, header_.rows), path_,
            result_.rows < header_.rows ? "the file is truncated: download or copy it again" : "the header may be damaged");
    if (result_.rows == 0) throwInvalid("no word vectors in the file", path_, "give a file of word vectors");
    result_.sha256 = sha256;
    return std::move(result_);
}

WordVectors readBinary(const std::string& path, const ReadVectorsOptions& options) {
    return BinaryReader(path, options).read();
}

}  // namespace heddle::vectors
