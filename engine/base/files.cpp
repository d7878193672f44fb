// SPDX-License-Identifier: Apache-2.0
#include "engine/base/files.h"

#include "engine/base/sha256.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace heddle {
namespace {

/// A file descriptor that closes itself.
class Descriptor {
public:
    Descriptor(const std::string& path, int flags, mode_t mode = 0) : value_(open(path.c_str(), flags | O_CLOEXEC, mode)) {}
    ~Descriptor() {
        if (value_ >= 0) close(value_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return value_; }
    /// Closes it now; returns errno, or 0.
    int closeNow() { return close(std::exchange(value_, -1)) == 0 ? 0 : errno; }
    explicit operator bool() const { return value_ >= 0; }

private:
    int value_;
};

bool meansFull(int error) { return error == ENOSPC || error == EDQUOT; }

/// Throws the Error that belongs to errno. `bytes`: size of the whole write.
[[noreturn]] void fail(const std::string& action, const std::string& path, std::uint64_t bytes = 0) {
    const int error = errno;
    const std::string folder = std::filesystem::path(path).parent_path().string();
    if (error == EFBIG) throw DiskFullError(folder, bytes, DiskFullError::Limit::FileSize);
    if (meansFull(error)) throw DiskFullError(folder, bytes);
    throw Error(ErrorCode::Failure, "cannot " + action + ": " + std::strerror(error), path,
                "check the disk and the permissions of the folder; existing files are unchanged");
}

std::string problemOf(std::uint64_t bytes, DiskFullError::Limit limit) {
    if (bytes == 0 && limit == DiskFullError::Limit::Disk) return "disk full: no space, inodes or quota left";
    const std::string size = std::to_string((bytes + (1 << 20) - 1) >> 20) + " MB";
    return limit == DiskFullError::Limit::Disk ? "disk full: " + size + " needed"
                                               : "a file of " + size + " is larger than the limit on file sizes (ulimit -f)";
}

std::string adviceOn(DiskFullError::Limit limit) {
    if (limit == DiskFullError::Limit::Disk) return "free some space, or raise the quota; existing files are unchanged";
    return "raise the limit with prlimit --fsize=unlimited --pid " + std::to_string(getpid()) +
           ", or start again after ulimit -f unlimited; existing files are unchanged";
}

constexpr mode_t kOwnFile = 0600, kOwnFolder = 0700, kAnyFile = 0666, kAnyFolder = 0777;

/// Creates what is missing; a failure shows when a file is created there.
void tryCreateFolders(const std::filesystem::path& folder, mode_t mode) {
    std::error_code ignored;
    if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
    tryCreateFolders(folder.parent_path(), mode);
    ::mkdir(folder.c_str(), mode);
}

/// Writes everything; returns errno, or 0.
int writeAll(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = write(file, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return 0;
}

/// Reads a regular file into `bytes`; returns why it cannot, or nothing.
std::string readBytes(const std::string& path, std::string& bytes) {
    const Descriptor file(path, O_RDONLY | O_NONBLOCK);  // opening a FIFO must not hang
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0) return std::string("cannot be read: ") + std::strerror(errno);
    if (!S_ISREG(status.st_mode)) return "is not a regular file";  // a FIFO or a device would not end
    bytes.resize(static_cast<std::size_t>(status.st_size));
    for (std::size_t got = 0; got < bytes.size();) {
        const ssize_t count = read(file.get(), bytes.data() + got, bytes.size() - got);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::string("cannot be read: ") + std::strerror(errno);
        if (count == 0) return "the file was truncated while it was read";
        got += static_cast<std::size_t>(count);
    }
    return {};
}

}  // namespace

DiskFullError::DiskFullError(const std::string& folder, std::uint64_t bytesNeeded, Limit limit)
    : Error(ErrorCode::Failure, problemOf(bytesNeeded, limit), folder, adviceOn(limit)),
      folder_(folder),
      bytesNeeded_(bytesNeeded),
      freeBefore_(freeBytes(folder).value_or(0)),
      limit_(limit) {}

bool DiskFullError::hasRoomNow() const {
    if (limit_ == Limit::Disk) {
        const std::uint64_t now = freeBytes(folder_).value_or(0);
        return now >= bytesNeeded_ && now > freeBefore_;
    }
    rlimit most{};
    return getrlimit(RLIMIT_FSIZE, &most) == 0 && (most.rlim_cur == RLIM_INFINITY || most.rlim_cur >= bytesNeeded_);
}

std::string writeDurably(const std::string& path, const std::vector<std::string_view>& parts) {
    std::uint64_t total = 0;
    for (const auto part : parts) total += part.size();
    const Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, kOwnFile);
    if (!file) fail("create", path, total);
    Sha256 digest;
    for (const auto part : parts) {
        if (errno = writeAll(file.get(), part); errno != 0) fail("write", path, total);
        digest.add(part);
    }
    if (fsync(file.get()) != 0) fail("sync", path, total);
    return digest.hex();
}

void copyDurably(const std::string& from, const std::string& to, std::uint64_t most) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    const Descriptor source(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    struct stat status {};
    if (!source || fstat(source.get(), &status) != 0) fail("read", from);
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (!S_ISREG(status.st_mode) || size > most)
        throwInvalid(
            S_ISREG(status.st_mode) ? fmt::format("the file has {} bytes, more than {}", size, most) : "not a regular file",
            from, "it was not copied");
    const Descriptor target(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, kOwnFile);
    if (!target) fail("create", to, size);
    std::string piece(kPiece, '\0');
    for (std::uint64_t left = size; left > 0;) {
        const ssize_t count = read(source.get(), piece.data(), std::min<std::uint64_t>(left, kPiece));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("read", from);
        if (count == 0) break;  // it was cut meanwhile
        if (errno = writeAll(target.get(), std::string_view(piece).substr(0, static_cast<std::size_t>(count))); errno != 0)
            fail("write", to, size);
        left -= static_cast<std::uint64_t>(count);
    }
    if (fsync(target.get()) != 0) fail("sync", to, size);
}

void syncFolder(const std::string& path) {
    const Descriptor folder(path, O_RDONLY | O_DIRECTORY);
    if (!folder || fsync(folder.get()) != 0) fail("sync", path);
}

void createFolderDurably(const std::string& path) {
    if (std::filesystem::is_directory(path)) return;
    const std::string parent = std::filesystem::path(path).parent_path().string();
    if (!parent.empty()) createFolderDurably(parent);
    if (mkdir(path.c_str(), kOwnFolder) != 0 && errno != EEXIST) fail("create the folder", path);
    if (!parent.empty()) syncFolder(parent);
}

void replaceFolder(const std::string& from, const std::string& to) {
    const std::string parent = std::filesystem::path(to).parent_path().string();
    if (rename(from.c_str(), to.c_str()) != 0) {
        if (errno != ENOTEMPTY && errno != EEXIST) fail("rename", to);
        // An older folder is in the way: swap the two in one step, then remove it under its temporary name.
        if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) != 0) {
            const std::string aside = from + ".old";  // file systems that cannot swap: a short moment without `to`
            if (rename(to.c_str(), aside.c_str()) != 0 || rename(from.c_str(), to.c_str()) != 0) fail("rename", to);
            if (rename(aside.c_str(), from.c_str()) != 0) fail("rename", from);
        }
        syncFolder(parent);
        std::error_code ignored;  // the next start removes what is left
        std::filesystem::remove_all(from, ignored);
    }
    syncFolder(parent);
}

void writeFileAtomically(const std::string& path, const std::string& bytes, Readers readers) {
    static std::atomic<int> counter{0};
    const bool isOwn = readers == Readers::Owner;
    tryCreateFolders(std::filesystem::path(path).parent_path(), isOwn ? kOwnFolder : kAnyFolder);
    const std::string temporary = fmt::format("{}.{}.{}.tmp", path, getpid(), counter++);
    const auto refuse = [&path](int error) {
        throw Error(ErrorCode::Failure, "cannot write: " + writeProblem(error), path, writeAdvice(error));
    };
    Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, isOwn ? kOwnFile : kAnyFile);
    if (!file) refuse(errno);
    int error = writeAll(file.get(), bytes);
    if (error == 0 && fsync(file.get()) != 0) error = errno;
    if (const int closing = file.closeNow(); error == 0) error = closing;
    if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return;
    unlink(temporary.c_str());
    refuse(error);
}

std::optional<std::string> tryReadWholeFile(const std::string& path) {
    std::string bytes;
    return readBytes(path, bytes).empty() ? std::optional(std::move(bytes)) : std::nullopt;
}

std::string readWholeFile(const std::string& path, const char* next) {
    std::string bytes;
    if (const std::string problem = readBytes(path, bytes); !problem.empty()) throwInvalid(problem, path, next);
    return bytes;
}

std::string writeProblem(int error) {
    return error == EFBIG ? "the file would be larger than the limit on file sizes" : std::strerror(error);
}

std::string writeAdvice(int error) {
    if (error == EFBIG) return "raise the limit (ulimit -f unlimited), or use a file system that takes larger files";
    return "free disk space, or check the folder's permissions";
}

std::optional<std::uint64_t> freeBytes(const std::string& folder) {
    struct statvfs status {};
    if (statvfs(folder.c_str(), &status) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

}  // namespace heddle
