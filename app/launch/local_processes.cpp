// SPDX-License-Identifier: Apache-2.0
#include "app/launch/local_processes.h"

#include "app/session/process/child_process.h"
#include "app/session/process/paths.h"
#include "engine/base/error.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

extern char** environ;

namespace heddle::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kResumable = 75, kInterrupted = 130;
constexpr std::chrono::milliseconds kPoll{20};
constexpr const char* kStarter = "HEDDLE_STARTER";

/// A TCP port of the loopback interface that is free now.
std::string freePort() {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    const bool isBound = listener >= 0 && bind(listener, any, length) == 0 && getsockname(listener, any, &length) == 0;
    const std::string problem = isBound ? "" : std::strerror(errno);
    if (listener >= 0) close(listener);
    if (!isBound) throw Error(ErrorCode::Failure, "no port for the processes: " + problem, "127.0.0.1", "try it again");
    return std::to_string(ntohs(address.sin_port));
}

/// A process of the run.
class Rank {
public:
    Rank(std::vector<std::string> command, std::vector<std::string> variables, bool isLeader) {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (!isLeader) posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // signals of the terminal come once, from us
        const int failed = posix_spawnp(&child_, command.front().c_str(), &actions, &attributes, pointersTo(command).data(),
                                        pointersTo(variables).data());
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        if (failed != 0)
            throw Error(ErrorCode::Failure, std::string("cannot start a process: ") + std::strerror(failed), command.front(),
                        "start fewer processes: --nproc");
    }

    bool runs() {
        int status = 0;
        if (!code_ && waitpid(child_, &status, WNOHANG) == child_) {
            killer_ = WIFEXITED(status) ? 0 : WTERMSIG(status);
            code_ = killer_ != 0 ? 128 + killer_ : WEXITSTATUS(status);
        }
        return !code_;
    }
    /// Passes on a signal that asks for a checkpoint and an orderly end.
    void stop(int signal) {
        stopped_ = signal;
        if (runs()) kill(child_, signal);
    }
    /// Sends a signal because another process has failed.
    void end(int signal) {
        if (!runs()) return;
        wasEnded_ = true;
        kill(child_, signal);
    }
    int code() const { return code_.value_or(0); }  ///< once it has ended
    /// Has ended with a code other than 0 and other than those of an end that a signal asked for.
    bool hasFailed() {
        if (runs() || code() == 0) return false;
        return stopped_ == 0 || (code() != kResumable && code() != kInterrupted);
    }
    bool isKilledHere() const { return killer_ != 0 && wasEnded_; }  ///< by a signal of end()
    /// Killed by a signal that was not sent here. (The signal of stop() kills a process that does not handle it yet, or no
    /// longer.)
    bool isLost() const { return killer_ != 0 && !wasEnded_ && killer_ != stopped_; }

private:
    pid_t child_ = 0;
    std::optional<int> code_;
    int killer_ = 0, stopped_ = 0;  ///< signals; 0: none
    bool wasEnded_ = false;
};

std::vector<std::string> variablesOf(int rank, int size, const std::string& port) {
    std::vector<std::string> variables;
    const std::pair<const char*, std::string> own[] = {
        {"RANK", std::to_string(rank)},       {"LOCAL_RANK", std::to_string(rank)},
        {"WORLD_SIZE", std::to_string(size)}, {"LOCAL_WORLD_SIZE", std::to_string(size)},
        {"MASTER_ADDR", "127.0.0.1"},         {"MASTER_PORT", port},
        {kStarter, std::to_string(getpid())}};
    for (char** one = environ; *one; ++one) {
        const std::string_view text(*one);
        const bool isOurs = std::any_of(std::begin(own), std::end(own), [&](const auto& variable) {
            return text.starts_with(std::string(variable.first) + "=");
        });
        if (!isOurs) variables.emplace_back(text);
    }
    for (const auto& [name, value] : own) variables.push_back(std::string(name) + "=" + value);
    return variables;
}

}  // namespace

int runLocally(const LocalProcesses& processes) {
    signal(SIGCHLD, SIG_DFL);  // if our parent ignored it, waitpid() would not tell how a process ended
    const std::string port = freePort();
    std::vector<Rank> ranks;
    int passedOn = 0;
    const Rank* firstFailed = nullptr;
    Clock::time_point failed;
    bool isTerminated = false;
    const auto endAll = [&](int signal) {
        for (Rank& rank : ranks) rank.end(signal);
    };
    try {
        for (int rank = 0; rank < processes.count; ++rank)
            ranks.emplace_back(processes.command, variablesOf(rank, processes.count, port), rank == 0);
    } catch (const Error&) {
        endAll(SIGKILL);
        throw;
    }
    while (std::any_of(ranks.begin(), ranks.end(), [](Rank& rank) { return rank.runs(); })) {
        if (const int signal = processes.signal(); signal != 0 && !std::exchange(passedOn, signal))
            for (Rank& rank : ranks) rank.stop(signal);
        const auto found = std::find_if(ranks.begin(), ranks.end(), [](Rank& rank) { return rank.hasFailed(); });
        if (!firstFailed && found != ranks.end()) {
            firstFailed = &*found;
            failed = Clock::now();
        }
        const auto since = firstFailed ? Clock::now() - failed : Clock::duration::zero();
        if (since > processes.ownEnd + processes.termination)
            endAll(SIGKILL);
        else if (since > processes.ownEnd && !std::exchange(isTerminated, true))
            endAll(SIGTERM);
        std::this_thread::sleep_for(kPoll);
    }
    if (std::any_of(ranks.begin(), ranks.end(), [](const Rank& rank) { return rank.isLost(); })) return kResumable;
    return ranks.front().isKilledHere() ? firstFailed->code() : ranks.front().code();
}

void endWithStarter() {
    const std::string starter = environment(kStarter);
    if (starter.empty()) return;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (std::to_string(getppid()) != starter) raise(SIGTERM);  // it has died already
}

}  // namespace heddle::app
