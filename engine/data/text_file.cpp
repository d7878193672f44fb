// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text_file.h"

#include "engine/metrics/unicode.h"
#include "engine/spec/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace heddle {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

/// SHA-256 of a stream.
class Digest {
public:
    Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
    void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
    std::string hex() {
        std::array<unsigned char, 32> digest{};
        EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
        return fmt::format("{:02x}", fmt::join(digest, ""));
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

/// Opens without waiting (a FIFO would block) and makes sure that it is a regular file.
int openRegular(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        const int error = errno;
        throwInvalid(error == ENOENT ? "file not found" : std::strerror(error), path, "check the path and your rights to it");
    }
    struct stat status {};
    if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
    ::close(fd);
    throwInvalid(S_ISDIR(status.st_mode) ? "is a folder, not a text file" : "is not a regular file", path,
                 "name a text file, plain or .gz");
}

/// Contents of a file, gunzipped where they begin as gzip data does.
class Reader {
public:
    explicit Reader(const std::string& path) : path_(path), file_(nullptr, &gzclose) {
        const int fd = openRegular(path);
        file_.reset(gzdopen(fd, "rb"));
        if (!file_) {
            ::close(fd);
            throw Error(ErrorCode::OutOfMemory, "no memory to read a file", path, "free memory");
        }
        gzbuffer(file_.get(), kBlockBytes);
        if (path.ends_with(".gz") && gzdirect(file_.get()) != 0)
            throwInvalid("is named .gz but holds no gzip data", path, "give it its true name, or compress it again");
    }

    /// Next bytes; empty at the end.
    std::string_view read() {
        const int count = gzread(file_.get(), block_.data(), static_cast<unsigned>(block_.size()));
        int error = Z_OK;
        const char* text = gzerror(file_.get(), &error);
        if (error == Z_BUF_ERROR) throwInvalid("gzip data ends too early", path_, "the file is cut: fetch or copy it again");
        if (count < 0 || error != Z_OK)
            throwInvalid(error == Z_ERRNO ? fmt::format("cannot be read: {}", std::strerror(errno))
                                          : fmt::format("gzip data is damaged: {}", text),
                         path_, "fetch or copy the file again");
        return {block_.data(), static_cast<std::size_t>(count)};
    }

private:
    std::string path_;
    std::unique_ptr<gzFile_s, decltype(&gzclose)> file_;
    std::vector<char> block_ = std::vector<char>(kBlockBytes);
};

/// The last characters before an offset, safe to print: control characters become '?'.
std::string excerptBefore(std::string_view line, std::size_t offset) {
    std::size_t begin = offset > 30 ? offset - 30 : 0;
    while (begin < offset && (static_cast<unsigned char>(line[begin]) & 0xC0) == 0x80) ++begin;
    std::string text(line.substr(begin, offset - begin));
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
    return begin > 0 ? "…" + text : text;
}

/// Checks finished lines and collects them.
class LineCollector {
public:
    explicit LineCollector(TextFile& file) : file_(file) {}

    void add(std::string_view bytes) {
        while (!bytes.empty()) {
            const std::size_t end = bytes.find('\n');
            current_.append(bytes.substr(0, end));
            if (current_.size() > kMaxLineBytes)
                throwInvalid("line is longer than 16 MiB", at(1), "is this a text file with one sentence a line?");
            if (end == std::string_view::npos) return;
            finishLine();
            bytes.remove_prefix(end + 1);
        }
    }

    void finish() {
        if (!current_.empty()) finishLine();
        if (carriageReturns_ > 0)
            file_.notes.push_back(fmt::format("{}: {} lines end in CR LF; the CR was taken off", file_.path, carriageReturns_));
    }

private:
    void finishLine() {
        if (file_.lines.empty() && current_.starts_with("\xEF\xBB\xBF")) {
            current_.erase(0, 3);
            file_.notes.push_back(fmt::format("{}: a byte order mark was taken off", file_.path));
        }
        if (current_.ends_with('\r')) {
            current_.pop_back();
            ++carriageReturns_;
        }
        check();
        file_.lines.push_back(current_);
        current_.clear();
    }

    void check() const {
        const std::size_t nul = current_.find('\0');
        const std::size_t bad = findInvalidUtf8(current_).value_or(std::string::npos);
        if (nul == std::string::npos && bad == std::string::npos) return;
        const std::size_t offset = std::min(nul, bad);
        const std::int64_t column = countCodePoints(std::string_view(current_).substr(0, offset)) + 1;
        const bool wide = file_.lines.empty() && (current_.starts_with("\xFF\xFE") || current_.starts_with("\xFE\xFF"));
        const std::string what = nul < bad ? "NUL byte in text"
                                           : fmt::format("invalid UTF-8: byte 0x{:02X} at offset {} of the line",
                                                         static_cast<unsigned char>(current_[offset]), offset);
        const std::string context = offset > 0 ? fmt::format(" after \"{}\"", excerptBefore(current_, offset)) : "";
        throwInvalid(what + context, at(column),
                     wide ? "this looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8"
                          : "correct the line, or convert the file with iconv -f ITS-ENCODING -t UTF-8");
    }

    std::string at(std::int64_t column) const {
        return fmt::format("{}, line {}, column {}", file_.path, file_.lines.size() + 1, column);
    }

    TextFile& file_;
    std::string current_;
    std::int64_t carriageReturns_ = 0;
};

}  // namespace

void throwStopped(const std::string& where) { throw Error(ErrorCode::Failure, "stopped", where, "nothing was changed"); }

TextFile readTextFile(const std::string& path, const std::function<bool()>& stopRequested) {
    TextFile file;
    file.path = path;
    Reader reader(path);
    Digest digest;
    LineCollector collector(file);
    for (std::string_view block = reader.read(); !block.empty(); block = reader.read()) {
        if (stopRequested && stopRequested()) throwStopped(path);
        file.bytes += block.size();
        digest.add(block);
        collector.add(block);
    }
    collector.finish();
    file.sha256 = digest.hex();
    return file;
}

}  // namespace heddle
