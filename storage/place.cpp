// SPDX-License-Identifier: Apache-2.0
// Handles files of an open database that are moved, removed or replaced. SQLite does not notice and continues with the open
// files.
#include "storage/place.h"

#include "storage/file_system.h"
#include "storage/run_store_parts.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace heddle::storage {

namespace fs = std::filesystem;
using Kind = StorageError::Kind;

std::optional<FileIdentity> identityOf(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return FileIdentity{status.st_dev, status.st_ino};
}

std::int64_t lastWriteOf(const std::string& path) {
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec : 0;
}

std::string nameOf(const FileIdentity& file) {
    std::error_code ignored;
    fs::directory_iterator descriptor("/proc/self/fd", ignored);
    for (; !ignored && descriptor != fs::directory_iterator(); descriptor.increment(ignored)) {
        if (identityOf(descriptor->path().string()) != file) continue;
        const std::string name = fs::read_symlink(descriptor->path(), ignored).string();
        return !ignored && identityOf(name) == file ? name : "";  // the name of a removed file ends in " (deleted)"
    }
    return "";
}

bool renameIfFree(const std::string& from, const std::string& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (errno == EEXIST) return false;
    throw StorageError(Kind::InputOutput, fmt::format("cannot give the finished file its name: {}", std::strerror(errno)), from,
                       "it is complete: rename it");
}

namespace {

bool isTaken(const std::string& file) {
    for (const char* suffix : {"", "-wal", "-journal"})
        if (identityOf(file + suffix)) return true;
    return false;
}

/// "runs.heddle", "runs.recovered.heddle", "runs.recovered-2.heddle", …
std::string candidate(const std::string& file, int number) {
    if (number == 0) return file;
    const fs::path path = file;
    const std::string mark = number == 1 ? ".recovered" : fmt::format(".recovered-{}", number);
    return (path.parent_path() / (path.stem().string() + mark + path.extension().string())).string();
}

}  // namespace

std::string RunStore::placeProblem() {
    if (const auto here = identityOf(file_); here != identity_) {
        const std::string name = nameOf(identity_);
        if (name.empty()) return here ? "the database file was replaced by another one" : "the database file was removed";
        return fmt::format("the database file was moved to {}{}", name, here ? ", and another file has its name" : "");
    }
    lastWrite_ = lastWriteOf(file_);
    if (!wal_) return "";
    const auto log = identityOf(file_ + "-wal");
    if (!logIdentity_) logIdentity_ = log;  // the first transaction creates it
    return log == logIdentity_ ? "" : "the write-ahead log of the database (-wal) was removed";
}

/// Copies the whole log into the database file, so that this file alone is complete.
bool RunStore::completeFile() {
    if (!wal_) return true;
    return sqlite3_wal_checkpoint_v2(connection_->handle(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr) == SQLITE_OK;
}

/// Whether no other program can have written to the file under its new name, so that the log may be copied into it.
bool RunStore::isOnlyOurs(const std::string& name) const {
    const auto log = identityOf(name + "-wal"), lock = identityOf(name + ".lock");
    const bool isFree = lock == lockIdentity_ || currentOwner(name).empty();
    return isFree && (!log || log == logIdentity_) && lastWriteOf(name) == lastWrite_;
}

std::string RunStore::recover() {
    if (open_) rollback();
    if (identityOf(file_) == identity_ && completeFile()) return file_;
    if (const std::string name = nameOf(identity_); !name.empty() && isOnlyOurs(name) && completeFile()) return name;
    return copyToFreeName();
}

std::string RunStore::copyToFreeName() {
    std::error_code failure;
    fs::create_directories(fs::path(file_).parent_path(), failure);
    const std::string unfinished = fmt::format("{}.recovered.tmp-{}", file_, ::getpid());
    fs::remove(unfinished, failure);
    createPrivate(unfinished);
    connection_->guarded([&] { connection_->query("VACUUM INTO ?").with(unfinished).run(); });
    syncToDisk(unfinished);
    // Left over from the removed file; SQLite would take it for the log of the copy.
    if (logIdentity_ && identityOf(file_ + "-wal") == logIdentity_) {
        fs::remove(file_ + "-wal", failure);
        fs::remove(file_ + "-shm", failure);
    }
    for (int number = 0;; ++number) {
        std::string file = candidate(file_, number);
        if (isTaken(file) || !renameIfFree(unfinished, file)) continue;
        syncToDisk(folderOf(file));
        return file;
    }
}

}  // namespace heddle::storage
