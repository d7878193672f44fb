// SPDX-License-Identifier: Apache-2.0
// A terminal that closes, nohup, and a limit on file sizes: a checkpoint is written, or the training waits; nothing is lost.
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::integration {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Sets how this process answers a signal, which its children inherit where it is ignored, and puts it back.
class Answer {
public:
    Answer(int number, void (*how)(int)) : number_(number), before_(::signal(number, how)) {}
    ~Answer() { ::signal(number_, before_); }
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;

private:
    int number_;
    void (*before_)(int);
};

/// Limits the size of the files that this process and its new children write.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : ignored_(SIGXFSZ, SIG_DFL) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limited{bytes, before_.rlim_max};
        EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    Answer ignored_;  ///< before the limit: the child's own doing is tried
    rlimit before_{};
};

void expectResumable(const Workshop& shop) {
    const Json run = shop.onlyRun();
    EXPECT_EQ(run.at("state"), "stopped");
    const std::string steps = std::to_string(run.at("steps").get<std::int64_t>());
    bool hasCheckpoint = false;
    for (const auto& checkpoint : run.at("checkpoints"))
        hasCheckpoint = hasCheckpoint || (checkpoint.at("kind") == "last" && checkpoint.at("step") == run.at("steps"));
    EXPECT_TRUE(hasCheckpoint) << "of step " << steps << ": " << run.at("checkpoints").dump();
}

TEST(HangUp, EndsWithACheckpointHoweverOftenItArrives) {
    const Workshop shop;
    const auto program = shop.start({"train", shop / "spec.json", "--steps", "100000"});
    shop.waitForStep(5);
    for (int i = 0; i < 3; ++i) program->signal(SIGHUP);
    const auto result = program->wait();
    EXPECT_EQ(result.code, 75) << result.err;
    EXPECT_THAT(result.err, HasSubstr("heddle resume"));
    expectResumable(shop);
}

TEST(HangUp, ASignalToEndAfterItIsNotASecondOne) {
    const Workshop shop;
    const auto program = shop.start({"train", shop / "spec.json", "--steps", "100000"});
    shop.waitForStep(5);
    program->signal(SIGHUP);
    program->signal(SIGTERM);
    EXPECT_EQ(program->wait().code, 75);
    expectResumable(shop);
}

TEST(HangUp, StaysIgnoredUnderNohup) {
    const Workshop shop;
    std::unique_ptr<Program> program;
    {
        const Answer nohup(SIGHUP, SIG_IGN);
        program = shop.start({"train", shop / "spec.json", "--steps", "100000"});
    }
    const auto run = shop.waitForStep(5);
    program->signal(SIGHUP);
    const auto seen = shop.onlyRun().at("steps").get<std::int64_t>();
    shop.waitForStep(seen + 20);
    EXPECT_TRUE(program->running());
    program->signal(SIGTERM);
    EXPECT_EQ(program->wait().code, 75);
}

TEST(HangUp, ATerminalThatClosesHarmsNothing) {
    const Workshop shop;
    const std::string spec = shop / "spec.json", database = shop / Workshop::database(), cache = shop / "cache";
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    ASSERT_GE(child, 0);
    if (child == 0) {
        setenv("XDG_CACHE_HOME", cache.c_str(), 1);
        setenv("TERM", "xterm", 1);  // a progress line is drawn
        execl(HEDDLE_BINARY_DIR "/bin/heddle", "heddle", "train", spec.c_str(), "--steps", "100000", "--db", database.c_str(),
              nullptr);
        _exit(127);
    }
    shop.waitForStep(5);
    close(terminal);  // the kernel sends SIGHUP; writes to it fail from now on
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    EXPECT_EQ(WEXITSTATUS(status), 75);
    expectResumable(shop);
}

TEST(FileSizeLimit, IsSaidWhereADatabaseCannotBeMade) {
    const Workshop shop;
    const FileSizeLimit limit(16 << 10);
    const auto result = shop.run({"train", shop / "spec.json", "--steps", "5"});
    EXPECT_EQ(result.code, 1) << result.err << " (128 + " << SIGXFSZ << ": killed)";
    EXPECT_THAT(result.err, HasSubstr("heddle: "));
}

TEST(FileSizeLimit, ACheckpointBeyondItIsWaitedForAndWrittenOnceItIsRaised) {
    const Workshop shop;
    std::unique_ptr<Program> program;
    {
        const FileSizeLimit limit(3 << 20);
        program = shop.start({"train", shop / "spec.json", "--steps", "20", "--set", "dims.d=256", "--set", "dims.f=1024"});
    }
    Json run = Json::object();
    for (int i = 0; i < 400 && run.value("state", "") != "paused" && program->running(); ++i) run = shop.onlyRun();
    ASSERT_EQ(run.value("state", ""), "paused") << program->wait(1).err;
    EXPECT_THAT(run.at("reason").get<std::string>(), HasSubstr("ulimit -f"));
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    ASSERT_EQ(prlimit(program->id(), RLIMIT_FSIZE, &none, nullptr), 0);
    const auto result = program->wait();
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("limit on file sizes"), HasSubstr("prlimit")));
    lastWeights(result.json());
}

}  // namespace
}  // namespace heddle::integration
