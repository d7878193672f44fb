// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::storage {

/// The kernel lock on FILE.heddle.lock (fcntl open file description lock): held during the lifetime of this object, released
/// when the process ends. The file's text is only for messages.
class WriterLock {
public:
    /// Waits at most `timeoutSeconds` for the lock. Throws StorageError of kind Locked, which names the owner, or InputOutput.
    WriterLock(const std::string& databaseFile, const std::string& owner, double timeoutSeconds);
    ~WriterLock();
    WriterLock(const WriterLock&) = delete;
    WriterLock& operator=(const WriterLock&) = delete;

private:
    bool tryLock();
    void writeOwner(const std::string& owner);

    std::string path_;
    int descriptor_ = -1;
};

}  // namespace heddle::storage
