// SPDX-License-Identifier: Apache-2.0
#include "storage/followed_file.h"

#include "storage/file_system.h"
#include "storage/run_store.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace heddle::storage {
namespace {

namespace fs = std::filesystem;
using Kind = StorageError::Kind;
using Clock = std::chrono::steady_clock;

/// Whether the writer may be on another machine, with which SQLite cannot share memory.
bool isSharedAcrossMachines(const std::string& file) { return onNetworkFileSystem(file) && usesLog(file); }

FollowedFile::How howToOpen(const std::string& file) {
    if (folderIsWritable(file) && !isSharedAcrossMachines(file)) return FollowedFile::How::Shared;
    return sizeOf(file + "-wal") > 0 ? FollowedFile::How::Copy : FollowedFile::How::Immutable;
}

/// A temporary folder for a copy, which only this user can enter. SQLite keeps the files of an opened copy open, so the folder
/// is removed at once: nothing is left behind, however this process ends.
class CopyFolder {
public:
    CopyFolder() {
        std::error_code problem;
        path_ = (fs::temp_directory_path(problem) / "heddle-read-XXXXXX").string();
        if (problem || ::mkdtemp(path_.data()) == nullptr)
            throw StorageError(Kind::InputOutput, "cannot create a folder for the copy of the database that is read",
                               problem ? "TMPDIR" : path_, "set TMPDIR to a folder you can write to");
    }
    ~CopyFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    CopyFolder(const CopyFolder&) = delete;
    CopyFolder& operator=(const CopyFolder&) = delete;
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

/// Limits scopes to a tenth of the time: at the end of one, sets `until`, before which the next must not begin.
struct TenthOfTheTime {
    Clock::time_point& until;
    Clock::time_point began = Clock::now();
    ~TenthOfTheTime() {
        constexpr int kRest = 9;
        const auto now = Clock::now();
        until = now + kRest * (now - began);
    }
};

void copyFile(const std::string& from, const std::string& to) {
    std::error_code problem;
    fs::remove(to, problem);  // a read-only file cannot be overwritten
    fs::copy_file(from, to, problem);
    if (problem == std::errc::no_space_on_device)
        throw StorageError(Kind::Full, "there is no room for the copy of the database that is read", to,
                           "set TMPDIR to a folder with room");
    if (problem)
        throw StorageError(Kind::InputOutput, "cannot copy the database: " + problem.message(), from,
                           "try again; check the path and its permissions if that fails, too");
}

/// The header of a log. Its salts change when SQLite begins the log anew (https://www.sqlite.org/fileformat2.html, 4.1).
std::array<char, 32> logHeader(const std::string& path) {
    std::array<char, 32> header{};
    std::ifstream(path, std::ios::binary).read(header.data(), header.size());
    return header;
}

/// Opens the database and runs a statement, because SQLite opens its files only with the first one.
std::unique_ptr<Connection> openNow(const std::string& file, Connection::Mode mode) {
    auto connection = std::make_unique<Connection>(file, mode);
    connection->guarded([&] { connection->pragma("PRAGMA schema_version"); });
    return connection;
}

}  // namespace

FollowedFile::FollowedFile(std::string file) : file_(std::move(file)), how_(howToOpen(file_)) {}

FollowedFile::Stamp FollowedFile::stampOf(const std::string& path) {
    return {identityOf(path), lastWriteOf(path), sizeOf(path)};
}

FollowedFile::State FollowedFile::stateNow() const { return {stampOf(file_), stampOf(file_ + "-wal")}; }

std::unique_ptr<Connection> FollowedFile::open() {
    // The first connection to a replaced file would take the shared memory of the old file for its own and truncate it, while
    // older connections of this process still use it.
    const std::string memory = file_ + "-shm";
    if (shared_ && identityOf(memory) == shared_ && identityOf(file_) != opened_.database.identity) fs::remove(memory);
    how_ = howToOpen(file_);
    if (how_ == How::Copy) return openCopy();
    const State now = stateNow();
    auto connection = openNow(file_, how_ == How::Shared ? Connection::Mode::Read : Connection::Mode::Immutable);
    shared_ = how_ == How::Shared ? identityOf(memory) : std::nullopt;
    opened_ = now;
    return connection;
}

/// Copies the file before its log: whatever a writer changes in the file meanwhile is in the log, too, unless the log was begun
/// anew.
std::unique_ptr<Connection> FollowedFile::openCopy() {
    constexpr int kTries = 5;
    const TenthOfTheTime pause{nextCopy_};
    const CopyFolder folder;
    const std::string copy = folder / fs::path(file_).filename().string(), log = file_ + "-wal";
    for (int i = 0; i < kTries; ++i) {
        const auto header = logHeader(log);
        const State before = stateNow();
        copyFile(file_, copy);
        if (before.log.size > 0) copyFile(log, copy + "-wal");
        const State after = stateNow();
        const bool isOneState =
            before.log.size > 0 ? logHeader(log) == header && after.log.size >= before.log.size : after == before;
        if (isOneState) {
            auto connection = openNow(copy, Connection::Mode::Read);
            opened_ = before;
            return connection;
        }
        fs::remove(copy + "-wal");
    }
    throw StorageError(Kind::Locked, "the database changes faster than it can be copied", file_,
                       "try again, or copy the file where it is written: heddle runs export");
}

bool FollowedFile::hasChanged() const {
    if (how_ == How::Shared) {  // asked very often of a local database, so only one stat(2)
        const auto now = identityOf(file_);
        return now && now != opened_.database.identity && currentOwner(file_).empty();
    }
    if (how_ == How::Copy && Clock::now() < nextCopy_) return false;
    const State now = stateNow();
    // A file that is gone is no change: rsync and network folders bring it back.
    return now.database.identity && now != opened_;
}

}  // namespace heddle::storage
