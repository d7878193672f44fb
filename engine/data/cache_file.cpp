// SPDX-License-Identifier: Apache-2.0
#include "engine/data/cache_file.h"

#include "engine/spec/error.h"
#include "engine/spec/json.h"
#include "engine/spec/write_problem.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace heddle {
namespace {

static_assert(std::endian::native == std::endian::little, "cache files and id sections are little-endian");

constexpr std::string_view kMagic = "HEDDLEC1";
constexpr std::size_t kDigestBytes = 64;
constexpr std::string_view kCacheSuffix = ".heddlecache.", kTemporarySuffix = ".tmp";  // "corpus-….heddlecache.PID.N.tmp"

template <typename Integer>
void appendInteger(std::string& bytes, Integer value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Takes pieces off the front; throws std::out_of_range where the bytes are too few.
class Cursor {
public:
    explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
    std::string_view take(std::uint64_t count) {
        if (count > bytes_.size()) throw std::out_of_range("cut");
        const std::string_view piece = bytes_.substr(0, count);
        bytes_.remove_prefix(count);
        return piece;
    }
    template <typename Integer>
    Integer takeInteger() {
        Integer value{};
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }

private:
    std::string_view bytes_;
};

CacheSections parseSections(std::string_view bytes) {
    Cursor cursor(bytes);
    CacheSections sections;
    const auto count = cursor.takeInteger<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string name(cursor.take(cursor.takeInteger<std::uint32_t>()));
        sections[name] = cursor.take(cursor.takeInteger<std::uint64_t>());
    }
    return sections;
}

[[noreturn]] void throwWriteError(const std::string& path, int error) {
    throw Error(ErrorCode::Failure, "cannot write: " + writeProblem(error), path, writeAdvice(error));
}

/// Writes everything and flushes it to the disk; returns errno, or 0.
int writeAndFlush(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(fd, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return ::fsync(fd) == 0 ? 0 : errno;
}

std::optional<std::string> bytesOf(const std::string& path) {
    std::ifstream stream(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
    if (size < 0) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (!stream.seekg(0).read(bytes.data(), size)) return std::nullopt;
    return bytes;
}

/// Removes temporary cache files that nobody has written to for a day: their writers were killed.
void removeAbandoned(const std::filesystem::path& folder) {
    constexpr auto kAbandonedAfter = std::chrono::hours(24);
    namespace fs = std::filesystem;
    const auto before = fs::file_time_type::clock::now() - kAbandonedAfter;
    std::error_code ignored;  // another process may remove them too
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.find(kCacheSuffix) == std::string::npos || !name.ends_with(kTemporarySuffix)) continue;
        const auto written = entry.last_write_time(ignored);
        if (!ignored && written < before) fs::remove(entry.path(), ignored);
    }
}

}  // namespace

std::string readWholeFile(const std::string& path) {
    std::optional<std::string> bytes = bytesOf(path);
    if (!bytes) throwInvalid("cannot be read", path, "check the path and your rights to the file");
    return std::move(*bytes);
}

std::string readRecordedFile(const std::string& path, const std::string& recorded) {
    std::string bytes = readWholeFile(path);
    if (recorded.empty()) return bytes;
    if (const std::string found = sha256Hex(bytes); found != recorded)
        throwInvalid(fmt::format("the file is not the one that the run was trained with: its SHA-256 is {:.12}…, recorded is "
                                 "{:.12}…",
                                 found, recorded),
                     path, "restore the file from a copy of the run; resuming a run makes a missing one anew from its data");
    return bytes;
}

CacheRead readCacheFile(const std::string& path) {
    const std::optional<std::string> read = bytesOf(path);
    if (!read) return {};
    const std::string_view bytes = *read;
    if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kDigestBytes)
        return {std::nullopt, "not a whole cache file"};
    const std::string_view body = bytes.substr(0, bytes.size() - kDigestBytes);
    if (sha256Hex(body) != bytes.substr(body.size())) return {std::nullopt, "checksum does not match"};
    try {
        return {parseSections(body.substr(kMagic.size())), ""};
    } catch (const std::out_of_range&) {
        return {std::nullopt, "sections are cut"};
    }
}

void writeFileAtomically(const std::string& path, const std::string& bytes) {
    static std::atomic<int> counter{0};
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);  // a failure shows in open()
    const std::string temporary = fmt::format("{}.{}.{}.tmp", path, ::getpid(), counter++);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) throwWriteError(path, errno);
    int error = writeAndFlush(fd, bytes);
    if (::close(fd) != 0 && error == 0) error = errno;
    if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return;
    ::unlink(temporary.c_str());
    throwWriteError(path, error);
}

void writeCacheFile(const std::string& path, const CacheSections& sections) {
    std::string bytes(kMagic);
    appendInteger(bytes, static_cast<std::uint32_t>(sections.size()));
    for (const auto& [name, content] : sections) {
        appendInteger(bytes, static_cast<std::uint32_t>(name.size()));
        bytes.append(name);
        appendInteger(bytes, static_cast<std::uint64_t>(content.size()));
        bytes.append(content);
    }
    writeFileAtomically(path, bytes.append(sha256Hex(bytes)));
    removeAbandoned(std::filesystem::path(path).parent_path());
}

}  // namespace heddle
