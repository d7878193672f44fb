// SPDX-License-Identifier: Apache-2.0
#include "app/launch/local_processes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace heddle::app {
namespace {

using std::chrono::milliseconds;

/// The exit code of two processes that run a shell script, in which $RANK is the process's number.
int codeOf(const std::string& script) {
    return runLocally({{"sh", "-c", script}, 2, [] { return 0; }, milliseconds(200), milliseconds(200)});
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

}  // namespace
}  // namespace heddle::app
