// SPDX-License-Identifier: Apache-2.0
#include "app/session/host/child_host.h"

#include "app/session/process/child_process.h"
#include "app/session/process/paths.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/sha256.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <vector>

extern char** environ;

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

/// Long enough for reopening the window, short enough not to block a GPU.
constexpr const char* kIdleSeconds = "120";
/// Exit code of an orderly end after SIGTERM, with a checkpoint written.
constexpr int kResumable = 75;

class Server final : public ChildHost {
public:
    Server(pid_t child, std::string log) : child_(child), log_(std::move(log)) {}
    ~Server() override { running(); }  // reaps the child if it has ended; otherwise init will

    bool running() override {
        if (child_ != 0 && waitpid(child_, &status_, WNOHANG) != 0) child_ = 0;
        return child_ != 0;
    }
    std::string failure() override {
        if (running()) return "";
        const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
        if (code == 0 || code == kResumable) return "";
        return fmt::format("heddle serve ended with {}: {} (log: {})", code, lastLineOf(tryReadWholeFile(log_).value_or("")),
                           log_);
    }

private:
    pid_t child_;
    int status_ = 0;
    std::string log_;
};

}  // namespace

std::unique_ptr<ChildHost> startServer(const std::string& database) {
    const fs::path folder = defaultStateFolder();
    createFolderDurably(folder.string());
    const std::string log = (folder / fmt::format("serve-{:.12}.log", sha256Hex(database))).string();
    std::vector<std::string> arguments{programFolder() + "/heddle", "serve", "--db", database, "--idle", kIdleSeconds};

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t child = 0;
    const int failed = posix_spawn(&child, arguments[0].c_str(), &actions, &attributes, pointersTo(arguments).data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        throw Error(ErrorCode::Failure, fmt::format("cannot start the training process: {}", std::strerror(failed)),
                    arguments[0], "train inside the window instead: Settings, Engine host");
    return std::make_unique<Server>(child, log);
}

}  // namespace heddle::app
