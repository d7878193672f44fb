// SPDX-License-Identifier: Apache-2.0
// Reads a database that another machine may write: in a read-only or network folder, or brought by rsync.
#pragma once

#include "storage/connection.h"
#include "storage/place.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace heddle::storage {

/// Opens a database for reading in the way that its folder allows, and says when it must be opened again to see what others
/// wrote. One thread.
class FollowedFile {
public:
    enum class How {
        Shared,     ///< with SQLite's locks and shared memory, beside a writer of this machine
        Immutable,  ///< without locks and shared memory; there is no log
        Copy,       ///< a private copy of file and log: this machine cannot share memory with the writer
    };

    /// `file` must be absolute, with links resolved.
    explicit FollowedFile(std::string file);

    /// Opens the file as it is now; a connection of an earlier call goes on showing what it showed. Throws StorageError.
    std::unique_ptr<Connection> open();
    How how() const { return how_; }
    const std::string& file() const { return file_; }
    /// Whether open() would show another state than it did: the file was replaced, or a writer of another machine has changed
    /// it. After a copy it returns false for nine times as long as the copying took.
    bool hasChanged() const;

private:
    struct Stamp {
        std::optional<FileIdentity> identity;
        std::int64_t written = 0;
        std::uint64_t size = 0;
        bool operator==(const Stamp&) const = default;
    };
    struct State {
        Stamp database, log;
        bool operator==(const State&) const = default;
    };
    static Stamp stampOf(const std::string& path);
    State stateNow() const;
    std::unique_ptr<Connection> openCopy();

    std::string file_;
    How how_;
    State opened_;
    std::optional<FileIdentity> shared_;  ///< of the file with the shared memory
    std::chrono::steady_clock::time_point nextCopy_{};
};

}  // namespace heddle::storage
