// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/child_process.h"

#include "engine/base/error.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace heddle::app {
namespace {

using Clock = std::chrono::steady_clock;

/// Milliseconds for poll(); -1: no timeout.
int left(const std::optional<Clock::time_point>& end) {
    if (!end) return -1;
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now()).count();
    return static_cast<int>(std::max<decltype(rest)>(0, rest));
}

/// Reads both pipes alternately until the child closes them, so that neither fills up. False on timeout and when it must stop.
bool readBoth(std::array<int, 2> ends, const std::optional<Clock::time_point>& end, const std::function<bool()>& stopRequested,
              std::array<std::string, 2>& texts) {
    constexpr int kStopEveryMs = 100;
    std::array<pollfd, 2> waiting{pollfd{ends[0], POLLIN, 0}, pollfd{ends[1], POLLIN, 0}};
    std::array<char, 8192> buffer;
    for (int open = 2; open > 0;) {
        const int timeout = left(end);
        const bool isShort = stopRequested && (timeout < 0 || timeout > kStopEveryMs);
        const int ready = poll(waiting.data(), waiting.size(), isShort ? kStopEveryMs : timeout);
        if (stopRequested && stopRequested()) return false;
        if ((ready == 0 && !isShort) || (ready < 0 && errno != EINTR)) return false;
        if (ready <= 0) continue;
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
            const ssize_t n = read(waiting[i].fd, buffer.data(), buffer.size());
            if (n > 0) {
                texts[i].append(buffer.data(), static_cast<std::size_t>(n));
            } else if (n == 0 || errno != EINTR) {
                waiting[i].fd = -1;
                --open;
            }
        }
    }
    return true;
}

/// Our environment with some variables changed.
std::vector<std::string> environmentWith(const std::vector<std::pair<std::string, std::string>>& set) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        bool isReplaced = false;
        for (const auto& [name, value] : set) isReplaced = isReplaced || text.rfind(name + "=", 0) == 0;
        if (!isReplaced) all.push_back(text);
    }
    for (const auto& [name, value] : set) all.push_back(name + "=" + value);
    return all;
}

}  // namespace

std::string lastLineOf(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

ChildResult runChild(std::vector<std::string> arguments, const ChildOptions& options) {
    std::array<int, 2> out{}, err{};
    if (pipe2(out.data(), O_CLOEXEC) != 0) throw Error(ErrorCode::Failure, std::strerror(errno), arguments[0], "");
    if (pipe2(err.data(), O_CLOEXEC) != 0) {
        const std::string problem = std::strerror(errno);
        close(out[0]), close(out[1]);
        throw Error(ErrorCode::Failure, problem, arguments[0], "");
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    if (!options.showsErrors) posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    auto variables = environmentWith(options.environment);
    std::optional<Clock::time_point> end;
    if (options.timeout) end = Clock::now() + *options.timeout;
    pid_t child = 0;
    const int failed = posix_spawnp(&child, arguments[0].c_str(), &actions, nullptr, pointersTo(arguments).data(),
                                    pointersTo(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]), close(err[1]);

    ChildResult result;
    std::array<std::string, 2> texts;
    int status = 0;
    if (failed == 0) {
        if (options.hasLowestPriority) setpriority(PRIO_PROCESS, static_cast<id_t>(child), 19);
        if (!readBoth({out[0], err[0]}, end, options.stopRequested, texts)) kill(child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    }
    close(out[0]), close(err[0]);
    if (failed != 0)
        throw Error(ErrorCode::Usage, std::string("cannot start a program: ") + std::strerror(failed), arguments[0],
                    "install it, or name another one");
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = std::move(texts[0]);
    result.last = lastLineOf(std::move(texts[1]));
    return result;
}

}  // namespace heddle::app
