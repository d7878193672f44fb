// SPDX-License-Identifier: Apache-2.0
#include "app/launch/local_processes.h"

#include "engine/base/temporary_folder.h"

#include <gtest/gtest.h>

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace heddle::app {
namespace {

using std::chrono::milliseconds;

using Clock = std::chrono::steady_clock;

/// The exit code of two processes that run a shell script, in which $RANK is the process's number.
int codeOf(
    const std::string& script, const std::function<int()>& signal = [] { return 0; }) {
    return runLocally({{"sh", "-c", script}, 2, signal, milliseconds(200), milliseconds(200)});
}

/// The signal, from some time on.
std::function<int()> later(int signal, milliseconds after = milliseconds(1000)) {
    return [signal, at = Clock::now() + after] { return Clock::now() < at ? 0 : signal; };
}

TEST(LocalProcesses, TheExitCodeIsThatOfRank0) {
    EXPECT_EQ(codeOf("exit 0"), 0);
    EXPECT_EQ(codeOf("test $RANK = 1 || exit 2; exec sleep 60"), 2) << "the other one waits and gets SIGTERM";
    EXPECT_EQ(codeOf("test $RANK = 1 || exit 2; trap '' TERM; while :; do sleep 0.1; done"), 2) << "and SIGKILL";
}

TEST(LocalProcesses, TheExitCodeIsThatOfTheFirstFailureIfRank0IsKilledForIt) {
    EXPECT_EQ(codeOf("test $RANK = 0 || exit 3; exec sleep 60"), 3);
}

TEST(LocalProcesses, ALostProcessMeansThatTheRunCanBeResumed) {
    EXPECT_EQ(codeOf("test $RANK = 0 || kill -KILL $$; exec sleep 60"), 75);
    EXPECT_EQ(codeOf("test $RANK = 1 || kill -KILL $$; exec sleep 60"), 75);
}

TEST(LocalProcesses, ExitCodesAreKnownAlsoIfTheParentIgnoredTheEndOfItsChildren) {
    signal(SIGCHLD, SIG_IGN);
    EXPECT_EQ(codeOf("exit 3"), 3);
}

TEST(LocalProcesses, ASignalAtTheEndChangesNothing) {
    EXPECT_EQ(codeOf("test $RANK = 1 || exit 0; exec sleep 60", later(SIGTERM)), 0) << "rank 0 had done all work";
    EXPECT_EQ(codeOf("test $RANK = 0 || exit 0; trap 'exit 75' TERM; while :; do sleep 0.05; done", later(SIGTERM)), 75);
}

TEST(LocalProcesses, ASignalBeforeTheyListenEndsThemAsItEndsOneProcess) {
    EXPECT_EQ(codeOf("exec sleep 60", later(SIGTERM)), 128 + SIGTERM) << "no checkpoint was written: not 75";
    EXPECT_EQ(codeOf("exec sleep 60", later(SIGUSR1)), 128 + SIGUSR1);
}

TEST(LocalProcesses, AfterASignalACheckpointMayTakeLongerThanTheEndOfTheOthers) {
    const TemporaryFolder folder;
    const std::string written = folder / "written";
    const std::string script =
        "trap \"test $RANK = 1 || { sleep 1.5; touch '" + written + "'; }; exit 75\" TERM\n" + "while :; do sleep 0.05; done";
    EXPECT_EQ(codeOf(script, later(SIGTERM)), 75);
    EXPECT_TRUE(std::filesystem::exists(written)) << "rank 0 was killed while it wrote";
}

}  // namespace
}  // namespace heddle::app
