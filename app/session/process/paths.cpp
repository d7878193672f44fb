// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/paths.h"

#include "engine/base/error.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace heddle::app {
namespace {

/// A folder below /tmp for a user without home. Others may have made one of its name.
std::string ownTemporaryFolder() {
    constexpr mode_t kOwn = 0700, kOthers = 0077;
    std::string folder = (std::filesystem::temp_directory_path() / ("heddle-" + std::to_string(geteuid()))).string();
    ::mkdir(folder.c_str(), kOwn);  // a failure shows below
    struct stat status {};
    const bool isOwn = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
                       (status.st_mode & kOthers) == 0;
    if (!isOwn)
        throw Error(ErrorCode::Failure, "HOME is not set, and the temporary folder used instead is not private to this user",
                    folder, "set HOME, or XDG_CACHE_HOME, XDG_STATE_HOME and XDG_DATA_HOME, to a folder of your own");
    return folder;
}

std::string xdgFolder(const char* variable, const std::string& belowHome) {
    // The XDG rule: a relative path in the variable is to be ignored.
    if (const std::string xdg = environment(variable); !xdg.empty() && xdg.front() == '/') return xdg + "/heddle";
    if (const std::string home = environment("HOME"); !home.empty()) return home + "/" + belowHome + "/heddle";
    return ownTemporaryFolder();
}

}  // namespace

std::string programFolder() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error)
        throw Error(ErrorCode::Failure, "cannot determine the path of this program: " + error.message(), "/proc/self/exe",
                    "mount /proc");
    return program.parent_path().string();
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string defaultCacheFolder() { return xdgFolder("XDG_CACHE_HOME", ".cache"); }
std::string defaultStateFolder() { return xdgFolder("XDG_STATE_HOME", ".local/state"); }
std::string defaultDataFolder() { return xdgFolder("XDG_DATA_HOME", ".local/share"); }

}  // namespace heddle::app
