// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/paths.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>

namespace heddle::app {
namespace {

std::string xdgFolder(const char* variable, const std::string& belowHome) {
    // The XDG rule: a relative path in the variable is to be ignored.
    if (const std::string xdg = environment(variable); !xdg.empty() && xdg.front() == '/') return xdg + "/heddle";
    if (const std::string home = environment("HOME"); !home.empty()) return home + "/" + belowHome + "/heddle";
    return (std::filesystem::temp_directory_path() / ("heddle-" + std::to_string(getuid()))).string();
}

}  // namespace

std::string programFolder() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::filesystem::current_path().string() : program.parent_path().string();
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string defaultCacheFolder() { return xdgFolder("XDG_CACHE_HOME", ".cache"); }
std::string defaultStateFolder() { return xdgFolder("XDG_STATE_HOME", ".local/state"); }
std::string defaultDataFolder() { return xdgFolder("XDG_DATA_HOME", ".local/share"); }

std::string hostName() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace heddle::app
