// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/own_surroundings.h"

#include "app/session/process/child_process.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/base/split.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace heddle::app {
namespace {

constexpr std::chrono::milliseconds kGitTimeout{1000};
constexpr std::size_t kLongestCommand = std::size_t{16} << 10;  // bytes

std::vector<std::string> shortened(std::vector<std::string> arguments) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string& argument = arguments[i];
        bytes += argument.size() + 1;
        if (bytes <= kLongestCommand) continue;
        argument.resize(argument.size() - std::min(argument.size(), bytes - kLongestCommand));
        argument.resize(argument.size() - cutCharacter(argument));
        argument += "…";
        arguments.resize(i + 1);
    }
    return arguments;
}

}  // namespace

std::vector<std::string> ownArguments() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    std::vector<std::string> arguments = splitAt(bytes, '\0');
    arguments.pop_back();  // after the last zero byte
    return arguments;
}

void readGit(const std::string& folder, Surroundings& surroundings) {
    ChildOptions options;
    options.timeout = kGitTimeout;
    ChildResult answer;
    try {
        // Takes no lock in the user's repository, and starts no program that its configuration names for watching files.
        answer = runChild({"git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", folder, "status", "--porcelain=v2",
                           "--branch", "--untracked-files=no"},
                          options);
    } catch (const Error&) {
        return;  // no git
    }
    if (answer.code != 0) return;
    constexpr std::string_view kCommit = "# branch.oid ", kNoCommit = "(initial)";
    for (const std::string& line : splitAt(answer.out, '\n')) {
        if (line.rfind(kCommit, 0) == 0)
            surroundings.commit = line.substr(kCommit.size());
        else if (!line.empty() && line.front() != '#')
            surroundings.isDirty = true;
    }
    if (surroundings.commit == kNoCommit) surroundings.commit.clear();
    surroundings.isDirty = surroundings.isDirty && !surroundings.commit.empty();
}

Surroundings ownSurroundings() {
    Surroundings own;
    own.command = shortened(ownArguments());
    std::error_code failed;
    own.folder = std::filesystem::current_path(failed).string();
    if (!own.folder.empty()) readGit(own.folder, own);
    return own;
}

}  // namespace heddle::app
