// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/engine/train/failing_calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string_view>

namespace heddle::test {
namespace {

struct Plan {
    std::string folder, realFolder;  ///< as given, and as open files have it
    std::string call;
    int error = 0, before = 0, count = 0, failed = 0;
};

std::atomic<bool> isActive{false};
std::mutex mutex;
Plan plan;  // guarded by mutex

/// Whether this call is to fail; errno is set.
bool fails(std::string_view call, std::string_view path) {
    const std::lock_guard lock(mutex);
    const auto isBelow = [&](const std::string& folder) {
        return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
    };
    const bool isMeant = call == plan.call && (isBelow(plan.folder) || isBelow(plan.realFolder));
    if (!isMeant || plan.before-- > 0 || plan.failed >= plan.count) return false;
    ++plan.failed;
    errno = plan.error;
    return true;
}

bool failsOnPath(std::string_view call, const char* path) { return isActive && fails(call, path); }

bool failsOnFile(std::string_view call, int file) {
    if (!isActive) return false;
    std::array<char, PATH_MAX> path{};
    const ssize_t length = readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path.data(), path.size());
    return length > 0 && fails(call, {path.data(), static_cast<std::size_t>(length)});
}

/// The C library's own function.
template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

FailingCalls::FailingCalls(const std::string& folder, const std::string& call, int error, int before, int count) {
    const std::lock_guard lock(mutex);
    plan = {folder, std::filesystem::weakly_canonical(folder).string(), call, error, before, count, 0};
    isActive = true;
}

FailingCalls::~FailingCalls() { isActive = false; }

int FailingCalls::failed() const {
    const std::lock_guard lock(mutex);
    return plan.failed;
}

}  // namespace heddle::test

using heddle::test::failsOnFile;
using heddle::test::failsOnPath;
using heddle::test::real;

#pragma GCC visibility push(default)
extern "C" {

int mkdir(const char* path, mode_t mode) noexcept {
    static const auto own = real<int(const char*, mode_t)>("mkdir");
    return failsOnPath("mkdir", path) ? -1 : own(path, mode);
}

int open(const char* path, int flags, ...) {
    static const auto own = real<int(const char*, int, ...)>("open");
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    return failsOnPath("open", path) ? -1 : own(path, flags, mode);
}

ssize_t read(int file, void* bytes, std::size_t count) {
    static const auto own = real<ssize_t(int, void*, std::size_t)>("read");
    return failsOnFile("read", file) ? -1 : own(file, bytes, count);
}

ssize_t write(int file, const void* bytes, std::size_t count) {
    static const auto own = real<ssize_t(int, const void*, std::size_t)>("write");
    return failsOnFile("write", file) ? -1 : own(file, bytes, count);
}

int fsync(int file) {
    static const auto own = real<int(int)>("fsync");
    return failsOnFile("fsync", file) ? -1 : own(file);
}

int rename(const char* from, const char* to) noexcept {
    static const auto own = real<int(const char*, const char*)>("rename");
    return failsOnPath("rename", to) ? -1 : own(from, to);
}

int statvfs(const char* path, struct statvfs* status) noexcept {
    static const auto own = real<int(const char*, struct statvfs*)>("statvfs");
    return failsOnPath("statvfs", path) ? -1 : own(path, status);
}

}  // extern "C"
#pragma GCC visibility pop
