// SPDX-License-Identifier: Apache-2.0
// Several processes train one run: heddle train --nproc, real processes over the loopback.
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace heddle::integration {
namespace {

using testing::HasSubstr;

std::vector<std::string> training(const Workshop& shop, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"train", shop / "spec.json", "--set", "train.accumulate=2", "--set", "train.threads=1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

/// Process ids by rank of the processes that `launcher` has started.
std::map<int, pid_t> ranksOf(pid_t launcher) {
    const std::string id = std::to_string(launcher);
    std::ifstream children("/proc/" + id + "/task/" + id + "/children");
    std::map<int, pid_t> ranks;
    for (pid_t child = 0; children >> child;) {
        std::ifstream variables("/proc/" + std::to_string(child) + "/environ");
        for (std::string one; std::getline(variables, one, '\0');)
            if (one.starts_with("RANK=")) ranks[std::stoi(one.substr(5))] = child;
    }
    return ranks;
}

TEST(Processes, TwoTrainOneRunAndOnlyOneRecordsIt) {
    const Workshop shop;
    shop.must(training(shop, {"--steps", "20", "--nproc", "2"}));
    const Json both = shop.onlyRun();
    EXPECT_EQ(both.at("state"), "completed");
    const Workshop other;
    other.must(training(other, {"--steps", "20"}));
    EXPECT_EQ(lastWeights(both), lastWeights(other.onlyRun())) << "bit for bit those of one process";
}

TEST(Processes, AKilledOneEndsAllAndTheRunGoesOnExactly) {
    const Workshop straight;
    straight.must(training(straight, {"--steps", "60", "--set", "train.checkpoint_every=5"}));
    const Workshop shop;
    auto program = shop.start(training(shop, {"--steps", "60", "--set", "train.checkpoint_every=5", "--nproc", "2"}));
    const std::string run = shop.waitForStep(6);
    const auto ranks = ranksOf(program->id());
    ASSERT_EQ(ranks.size(), 2U);
    kill(ranks.at(1), SIGKILL);
    const Result ended = program->wait(60);
    EXPECT_EQ(ended.code, 75) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("another process of the run has ended"));
    EXPECT_EQ(shop.onlyRun().at("state"), "interrupted");
    shop.must({"resume", run, "--nproc", "2"});
    EXPECT_EQ(lastWeights(shop.onlyRun()), lastWeights(straight.onlyRun()));
}

TEST(Processes, ASignalToTheStarterStopsAllWithACheckpoint) {
    const Workshop shop;
    auto program = shop.start(training(shop, {"--steps", "100000", "--nproc", "2"}));
    const std::string run = shop.waitForStep(3);
    program->signal(SIGTERM);
    EXPECT_EQ(program->wait(60).code, 75);
    EXPECT_EQ(shop.onlyRun().at("state"), "stopped");
    const auto steps = shop.onlyRun().at("steps").get<std::int64_t>();
    const Result alone = shop.run({"resume", run, "--steps", std::to_string(steps + 2)});
    EXPECT_THAT(alone.out + alone.err + shop.run({"runs", "show", run}).out, HasSubstr("1 instead of 2 processes"));
}

TEST(Processes, TooFewMicroBatchesAreRefused) {
    const Workshop shop;
    const Result refused = shop.run({"train", shop / "spec.json", "--nproc", "2"});
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("set train.accumulate to a multiple of the number of processes"));
}

TEST(Processes, AnUnknownRunIsRefusedBeforeProcessesAreStarted) {
    const Workshop shop;
    shop.must(training(shop, {"--steps", "2"}));
    EXPECT_EQ(shop.run({"resume", "unknown", "--nproc", "2"}).code, 2);
}

}  // namespace
}  // namespace heddle::integration
