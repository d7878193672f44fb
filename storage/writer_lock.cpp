// SPDX-License-Identifier: Apache-2.0
#include "storage/writer_lock.h"

#include "storage/file_system.h"
#include "storage/owner.h"
#include "storage/run_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

namespace heddle::storage {

namespace {

std::string lockFile(const std::string& databaseFile) { return realFile(databaseFile) + ".lock"; }

StorageError failure(const std::string& path) {
    return {StorageError::Kind::InputOutput, std::string("cannot lock the database: ") + std::strerror(errno), path,
            "make the folder writable"};
}

struct flock wholeFile() {
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    return range;
}

Owner ownerIn(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return Owner::parse(line.empty() ? "another program" : line);
}

}  // namespace

WriterLock::WriterLock(const std::string& databaseFile, const std::string& owner, double timeoutSeconds)
    : path_(lockFile(databaseFile)) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kPause = std::chrono::milliseconds(20);
    auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeoutSeconds));

    // Who can read the file could hold the lock.
    constexpr mode_t kOwn = 0600, kOthers = 0077;
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwn);
    if (descriptor_ < 0) throw failure(path_);
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0 && status.st_uid == ::geteuid() && (status.st_mode & kOthers) != 0)
        ::fchmod(descriptor_, kOwn);
    while (!tryLock()) {
        if (Clock::now() >= until) {
            ::close(descriptor_);
            throw StorageError(StorageError::Kind::Locked, "the database is in use by " + ownerIn(path_).text(), databaseFile,
                               "wait for it to end, stop it, or use another database");
        }
        std::this_thread::sleep_for(kPause);
    }
    writeOwner(owner);
}

WriterLock::~WriterLock() {
    // The file stays: removing it would let two processes lock two files of the same name.
    if (::ftruncate(descriptor_, 0) != 0) errno = 0;
    ::close(descriptor_);
}

bool WriterLock::tryLock() {
    struct flock range = wholeFile();
    if (::fcntl(descriptor_, F_OFD_SETLK, &range) == 0) return true;
    if (errno == EAGAIN || errno == EACCES || errno == EINTR) return false;
    StorageError error = failure(path_);
    ::close(descriptor_);
    throw error;
}

void WriterLock::writeOwner(const std::string& owner) {
    const std::string text = Owner::here(owner).text() + '\n';
    // Only shown to people, so failure (a full disk) is ignored.
    if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, text.data(), text.size(), 0) < 0) errno = 0;
}

Owner currentOwner(const std::string& file) {
    std::string path = lockFile(file);
    int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return Owner::parse(errno == EACCES ? "a program of another user" : "");
    struct flock range = wholeFile();
    bool held = ::fcntl(descriptor, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;  // only queries the lock
    ::close(descriptor);
    return held ? ownerIn(path) : Owner();
}

}  // namespace heddle::storage
