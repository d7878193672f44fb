// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// No room for a file: the disk or the quota is full, or the file would be larger than the limit on file sizes (ulimit -f).
/// Existing files are unharmed.
class DiskFullError : public Error {
public:
    enum class Limit { Disk, FileSize };
    DiskFullError(const std::string& folder, std::uint64_t bytesNeeded, Limit limit = Limit::Disk);
    std::uint64_t bytesNeeded() const { return bytesNeeded_; }

    /// Whether a retry may succeed. A quota may refuse although the disk has room, so free space must also have grown since the
    /// failure.
    bool hasRoomNow() const;

private:
    std::string folder_;
    std::uint64_t bytesNeeded_, freeBefore_;
    Limit limit_;
};

/// Durable file operations; short writes are continued and every error is checked. They throw Error(Failure) naming the path
/// and the system's reason, or DiskFullError. A failed fsync is never retried: the page may be lost, and a second call would
/// report success.

/// Creates `path` anew for this user alone, writes the parts, syncs. Returns the SHA-256 of the bytes, lower-case hexadecimal.
std::string writeDurably(const std::string& path, const std::vector<std::string_view>& parts);
/// Copies a regular file, which is no link and has at most `most` bytes, to a new one for this user alone, and syncs it.
void copyDurably(const std::string& from, const std::string& to, std::uint64_t most);
void syncFolder(const std::string& path);
/// Creates the folder and its missing parents for this user alone, and syncs the parent of every folder it created.
void createFolderDurably(const std::string& path);
/// Replaces the folder `to`, which may exist, by `from`; atomic where the file system allows it. Syncs the parent.
void replaceFolder(const std::string& from, const std::string& to);

/// Who may read a new file and enter new folders.
enum class Readers {
    Owner,  ///< this user alone: files of runs and caches
    Umask   ///< whom the umask lets: files that a user saves
};
/// Writes beside `path`, flushes to disk and renames, so that a reader sees all or nothing. Creates the folder. Throws
/// Error(Failure) with the system's reason.
void writeFileAtomically(const std::string& path, const std::string& bytes, Readers readers = Readers::Owner);

/// Returns all bytes of a regular file (not a FIFO, device or folder). Throws Error(InvalidInput) with the system's reason and
/// what to do `next`.
std::string readWholeFile(const std::string& path, const char* next = "check the path and your rights to the file");
/// Returns all bytes of a regular file, or nothing when it cannot be read.
std::optional<std::string> tryReadWholeFile(const std::string& path);

/// Describes the errno of a failed write. EFBIG means the limit on file sizes, since our programs ignore SIGXFSZ.
std::string writeProblem(int error);
/// What the user can do about it.
std::string writeAdvice(int error);

/// Bytes a user may still write in the file system of `folder`; nothing if the system does not say.
std::optional<std::uint64_t> freeBytes(const std::string& folder);

}  // namespace heddle
