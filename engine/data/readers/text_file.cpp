// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/text_file.h"

#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/base/unicode.h"
#include "engine/data/readers/byte_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>

namespace heddle {
namespace {

constexpr std::int64_t kExcerptCharacters = 60;

/// The last characters before an offset, safe to print: control characters become '?'.
std::string excerptBefore(std::string_view line, std::size_t offset) {
    std::size_t begin = offset > 30 ? offset - 30 : 0;
    while (begin < offset && (static_cast<unsigned char>(line[begin]) & 0xC0) == 0x80) ++begin;
    std::string text(line.substr(begin, offset - begin));
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
    return begin > 0 ? "…" + text : text;
}

/// Whether the line has a UTF-16 byte order mark, or a NUL in every second byte of the first characters, as Latin letters have.
bool looksLikeUtf16(std::string_view firstLine) {
    if (firstLine.starts_with("\xFF\xFE") || firstLine.starts_with("\xFE\xFF")) return true;
    if (firstLine.size() < 4) return false;
    const bool little = firstLine[0] != 0 && firstLine[1] == 0 && firstLine[2] != 0 && firstLine[3] == 0;
    const bool big = firstLine[0] == 0 && firstLine[1] != 0 && firstLine[2] == 0 && firstLine[3] != 0;
    return little || big;
}

/// Whether bytes above ASCII occur only singly, as in Western European words; two in a row indicate a multi-byte encoding.
bool looksLikeLatin1(std::string_view line) {
    const auto high = [&](std::size_t i) { return i < line.size() && static_cast<unsigned char>(line[i]) >= 0x80; };
    for (std::size_t i = 0; i < line.size(); ++i)
        if (high(i) && (static_cast<unsigned char>(line[i]) < 0xA0 || high(i + 1))) return false;
    return true;
}

std::string conversion(const std::string& path, const std::string& encoding) {
    std::string iconv = "iconv -f " + encoding + " -t UTF-8";
    if (path == kStandardInput) return iconv;
    return path.ends_with(".gz") ? "zcat " + path + " | " + iconv + " > NEW" : iconv + " " + path + " > NEW";
}

/// Splits blocks into checked lines and passes them to the handler.
class LineSplitter {
public:
    LineSplitter(TextFile& file, const LineHandler& handler, const LineOptions& options)
        : file_(file), handler_(handler), options_(options) {}

    void add(std::string_view bytes) {
        if (isFirst_ && !bytes.empty()) {
            lineEnd_ = lineEndOf(bytes);
            mayBeCut_ = lineEnd_ == '\r' && bytes.find('\r') + 1 == bytes.size();
            isFirst_ = false;
        } else if (mayBeCut_) {  // the only CR was the last byte: it belongs to a CR LF if LF is the next one
            mayBeCut_ = false;
            if (bytes.starts_with('\n')) {
                bytes.remove_prefix(1);
                lineEnd_ = '\n';
                ++carriageReturns_;
            }
        }
        while (!bytes.empty()) {
            const std::size_t end = bytes.find(lineEnd_);
            take(bytes.substr(0, end));
            if (end == std::string_view::npos) return;
            finishLine();
            bytes.remove_prefix(end + 1);
        }
    }

    void finish() {
        if (!current_.empty() || tooLong_) finishLine();
        if (carriageReturns_ > 0)
            file_.notes.push_back(fmt::format("{}: {} lines end in CR LF; the CR was taken off", file_.path, carriageReturns_));
        if (lineEnd_ == '\r' && number_ > 1)
            file_.notes.push_back(
                fmt::format("{}: {} lines end in CR alone, as old programs write them", file_.path, number_ - 1));
        if (inside_ > 0)
            file_.notes.push_back(
                fmt::format("{}: {} lines contain a CR, which was read as text since lines end in LF", file_.path, inside_));
    }

    std::uint64_t lines() const { return static_cast<std::uint64_t>(number_ - 1); }

private:
    void take(std::string_view bytes) {
        if (tooLong_) return;
        current_.append(bytes);
        if (current_.size() <= kMaxLineBytes) return;
        tooLong_ = true;
        const Error error(ErrorCode::InvalidInput, "line is longer than 16 MiB", at(0),
                          "use a text file with one sentence per line");
        current_.clear();
        if (!options_.onBadLine) throw error;
        options_.onBadLine(error, number_);
    }

    void finishLine() {
        if (number_ == 1 && current_.starts_with("\xEF\xBB\xBF")) {
            current_.erase(0, 3);
            file_.notes.push_back(fmt::format("{}: a byte order mark was taken off", file_.path));
        }
        if (lineEnd_ == '\n' && current_.ends_with('\r')) {
            current_.pop_back();
            ++carriageReturns_;
        }
        inside_ += lineEnd_ == '\n' && current_.find('\r') != std::string::npos ? 1 : 0;
        if (!tooLong_) deliver();
        tooLong_ = false;
        current_.clear();
        ++number_;
    }

    void deliver() {
        try {
            check();
            handler_(current_, number_);
        } catch (const Error& error) {  // this line may be skipped
            const bool skippable = options_.onBadLine && error.code() == ErrorCode::InvalidInput && !wide_;
            if (!skippable) throw;
            options_.onBadLine(error, number_);
        }
    }

    void check() {
        if (lineEnd_ == '\r')
            if (const std::size_t feed = current_.find('\n'); feed != std::string::npos)
                throwInvalid("lines end in CR at first and in LF here", at(feed),
                             "use one kind of line ending: tr '\\r' '\\n'");
        // A tokenizer decides what a NUL in a text is (published ones drop it); in a file it is a sign of damage.
        const std::size_t nul = isStandardInput() && !looksLikeUtf16(current_) ? std::string::npos : current_.find('\0');
        const std::size_t bad = findInvalidUtf8(current_).value_or(std::string::npos);
        if (nul == std::string::npos && bad == std::string::npos) return;
        const std::size_t offset = std::min(nul, bad);
        wide_ = number_ == 1 && looksLikeUtf16(current_);
        const std::string what = nul < bad ? "NUL byte in the text"
                                           : fmt::format("invalid UTF-8: byte 0x{:02X} at offset {} of the line",
                                                         static_cast<unsigned char>(current_[offset]), offset);
        const std::string context = offset > 0 ? fmt::format(" after \"{}\"", excerptBefore(current_, offset)) : "";
        throwInvalid(what + context, at(offset), advice(nul != std::string::npos));
    }

    std::string advice(bool hasNul) const {
        if (isStandardInput() && !wide_ && (hasNul || !looksLikeLatin1(current_)))
            return "convert the input to UTF-8 with iconv";
        if (wide_) return "this looks like UTF-16: convert it with " + conversion(file_.path, "UTF-16");
        if (!hasNul && looksLikeLatin1(current_))
            return "this looks like Latin-1: convert it with " + conversion(file_.path, "ISO-8859-1");
        return "correct the line, or convert the file with " + conversion(file_.path, "ITS-ENCODING");
    }

    bool isStandardInput() const { return file_.path == kStandardInput; }
    std::string at(std::size_t offset) const { return placeInLine(file_.path, number_, current_, offset); }

    TextFile& file_;
    const LineHandler& handler_;
    const LineOptions& options_;
    std::string current_;
    std::int64_t number_ = 1, carriageReturns_ = 0, inside_ = 0;
    char lineEnd_ = '\n';
    bool isFirst_ = true, mayBeCut_ = false, tooLong_ = false, wide_ = false;
};

}  // namespace

char lineEndOf(std::string_view beginning) {
    const bool onlyCr = beginning.find('\n') == std::string_view::npos && beginning.find('\r') != std::string_view::npos;
    return onlyCr ? '\r' : '\n';
}

void forEachLine(std::istream& in, const LineHandler& handler) {
    TextFile file;
    file.path = kStandardInput;
    const LineOptions options;
    LineSplitter splitter(file, handler, options);
    std::vector<char> buffer(std::size_t{64} << 10);
    while (in.good()) {
        in.getline(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        auto count = static_cast<std::size_t>(in.gcount());
        const bool isWhole = in.good();  // the LF was taken out and counted, but not stored
        if (isWhole) buffer[count - 1] = '\n';
        if (in.fail() && !in.eof() && count > 0) in.clear();  // a line longer than the buffer goes on
        splitter.add({buffer.data(), count});
    }
    splitter.finish();
}

std::string placeInLine(const std::string& path, std::int64_t number, std::string_view line, std::size_t offset) {
    return fmt::format("{}, line {}, column {}", path, number, countCodePoints(line.substr(0, offset)) + 1);
}

std::string safeExcerpt(std::string_view text, std::size_t offset) {
    std::string shown;
    std::int64_t characters = 0;
    for (std::string_view rest = text.substr(std::min(offset, text.size())); !rest.empty();) {
        if (++characters > kExcerptCharacters) return shown + "…";
        const PrintedCharacter next = firstCharacter(rest);
        if (rest[0] == '\t')
            shown += "\\t";
        else if (rest[0] == '"' || rest[0] == '\\')
            shown += {'\\', rest[0]};
        else
            shown += next.escape.empty() ? rest.substr(0, next.bytes) : std::string_view(next.escape);
        rest.remove_prefix(next.bytes);
    }
    return shown;
}

TextFile forEachLine(const std::string& path, const LineHandler& handler, const LineOptions& options) {
    TextFile file;
    file.path = path;
    ByteReader reader(path, options.stopRequested);
    LineSplitter splitter(file, handler, options);
    for (std::string_view block = reader.read(); !block.empty(); block = reader.read()) {
        splitter.add(block);
        refuseMany(splitter.lines(), "lines", reader, path);
    }
    splitter.finish();
    file.bytes = reader.bytes();
    file.sha256 = reader.sha256();
    return file;
}

TextFile readTextFile(const std::string& path, const std::function<bool()>& stopRequested) {
    std::vector<std::string> lines;
    TextFile file = forEachLine(path, [&lines](std::string_view line, std::int64_t /*number*/) { lines.emplace_back(line); },
                                {stopRequested, {}});
    file.lines = std::move(lines);
    return file;
}

}  // namespace heddle
