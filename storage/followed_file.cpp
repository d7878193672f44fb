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

/// A writer of another machine, with which SQLite would share memory if it could.
bool isSharedAcrossMachines(const std::string& file) { return onNetworkFileSystem(file) && usesLog(file); }

FollowedFile::How howToOpen(const std::string& file) {
    if (folderIsWritable(file) && !isSharedAcrossMachines(file)) return FollowedFile::How::Shared;
    return sizeOf(file + "-wal") > 0 ? FollowedFile::How::Copy : FollowedFile::How::Immutable;
}

void copyFile(const std::string& from, const std::string& to) {
    std::error_code problem;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, problem);
    if (problem == std::errc::no_space_on_device)
        throw StorageError(Kind::Full, "there is no room for the copy of the database that is read", to,
                           "set TMPDIR to a folder with room");
    if (problem) throw StorageError(Kind::InputOutput, "cannot copy the database: " + problem.message(), from, "");
}

/// The header of a log: it has other salts after the log was begun anew (https://www.sqlite.org/fileformat2.html, 4.1).
std::array<char, 32> logHeader(const std::string& path) {
    std::array<char, 32> header{};
    std::ifstream(path, std::ios::binary).read(header.data(), header.size());
    return header;
}

}  // namespace

FollowedFile::FollowedFile(std::string file) : file_(std::move(file)), how_(howToOpen(file_)) {}

FollowedFile::~FollowedFile() { removeCopy(); }

void FollowedFile::removeCopy() const {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

FollowedFile::Stamp FollowedFile::stampOf(const std::string& path) {
    return {identityOf(path), lastWriteOf(path), sizeOf(path)};
}

FollowedFile::State FollowedFile::stateNow() const { return {stampOf(file_), stampOf(file_ + "-wal")}; }

std::unique_ptr<Connection> FollowedFile::open() {
    // The first connection to a replaced file would take the old one's shared memory for its own and cut it, under the feet of
    // older connections of this process.
    const std::string memory = file_ + "-shm";
    if (shared_ && identityOf(memory) == shared_ && identityOf(file_) != opened_.database.identity) fs::remove(memory);
    how_ = howToOpen(file_);
    State now = stateNow();
    std::unique_ptr<Connection> connection;
    if (how_ == How::Copy) {
        connection = std::make_unique<Connection>(copyNow(now), Connection::Mode::Read);
    } else {
        const auto mode = how_ == How::Shared ? Connection::Mode::Read : Connection::Mode::Immutable;
        connection = std::make_unique<Connection>(file_, mode);
        // SQLite opens its files with the first statement.
        connection->guarded([&] { connection->pragma("PRAGMA schema_version"); });
        shared_ = how_ == How::Shared ? identityOf(memory) : std::nullopt;
    }
    opened_ = now;
    return connection;
}

/// Copies the file before its log: all that a writer changes in the file meanwhile is in the log, too, unless that was begun
/// anew.
std::string FollowedFile::copyNow(State& copied) {
    constexpr int kTries = 5;
    const auto began = Clock::now();
    removeCopy();
    std::string pattern = (fs::temp_directory_path() / "heddle-read-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw StorageError(Kind::InputOutput, "cannot make a folder for a copy of the database", pattern, "check TMPDIR");
    folder_ = pattern;
    const std::string copy = folder_ + "/" + fs::path(file_).filename().string(), log = file_ + "-wal";
    for (int i = 0; i < kTries; ++i) {
        const auto header = logHeader(log);
        copied = stateNow();
        copyFile(file_, copy);
        if (copied.log.size > 0) copyFile(log, copy + "-wal");
        const State after = stateNow();
        const bool isOneState =
            copied.log.size > 0 ? logHeader(log) == header && after.log.size >= copied.log.size : after == copied;
        if (!isOneState) {
            fs::remove(copy + "-wal");
            continue;
        }
        copied_ = Clock::now();
        copying_ = copied_ - began;
        return copy;
    }
    throw StorageError(Kind::Locked, "the database changes faster than it can be copied", file_,
                       "try again, or copy the file where it is written: heddle runs export");
}

bool FollowedFile::hasChanged() const {
    constexpr int kShare = 9;
    const State now = stateNow();
    if (!now.database.identity) return false;  // gone for now: rsync and network folders bring it again
    if (how_ == How::Shared) return now.database.identity != opened_.database.identity && currentOwner(file_).empty();
    if (how_ == How::Copy && Clock::now() - copied_ < kShare * copying_) return false;
    return now != opened_;
}

}  // namespace heddle::storage
