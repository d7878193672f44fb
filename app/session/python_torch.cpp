// SPDX-License-Identifier: Apache-2.0
#include "app/session/python_torch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

extern char** environ;

namespace heddle::app {
namespace {

constexpr std::chrono::milliseconds kPatience{3000};
constexpr const char* kQuestion =
    "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')";

/// Reads until the other end closes or the time is over; false in the latter case.
bool readAll(int fd, std::string& text) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    std::array<char, 4096> buffer;
    while (true) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd waiting{fd, POLLIN, 0};
        if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return false;
        const ssize_t n = read(fd, buffer.data(), buffer.size());
        if (n <= 0) return n == 0;
        text.append(buffer.data(), static_cast<std::size_t>(n));
    }
}

}  // namespace

std::string pythonTorchFolder() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const std::array<const char*, 4> arguments{"python3", "-c", kQuestion, nullptr};
    pid_t child = 0;
    const int failed = posix_spawnp(&child, "python3", &actions, nullptr, const_cast<char* const*>(arguments.data()), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);

    std::string answer;
    bool complete = false;
    if (failed == 0) {
        complete = readAll(ends[0], answer);
        if (!complete) kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        complete = complete && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    close(ends[0]);
    if (!complete) return {};
    while (!answer.empty() && (answer.back() == '\n' || answer.back() == '\r')) answer.pop_back();
    return answer;
}

}  // namespace heddle::app
