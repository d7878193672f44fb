// SPDX-License-Identifier: Apache-2.0
// Several processes train one run: heddle train --nproc, real processes over the loopback.
#include "engine/base/threads.h"
#include "tests/eventually.h"
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace heddle::integration {
namespace {

using testing::AllOf;
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

/// Whether a process has not ended. A zombie has ended: nobody has waited for it yet.
bool goesOn(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string stat;
    return std::getline(file, stat) && stat.substr(stat.rfind(')')).substr(0, 3) != ") Z";
}

TEST(Processes, ASecondSignalEndsTheStarterAtOnceAndTheOthersWithIt) {
    const Workshop shop;
    auto program = shop.start(training(shop, {"--steps", "100000", "--nproc", "2"}));
    shop.waitForStep(3);
    const auto ranks = ranksOf(program->id());
    ASSERT_EQ(ranks.size(), 2U);
    for (const auto& [rank, process] : ranks) kill(process, SIGSTOP);  // the first signal finds them busy
    program->signal(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_TRUE(program->running()) << "it waits for them";
    program->signal(SIGTERM);
    EXPECT_EQ(program->wait(10).code, 143);
    for (const auto& [rank, process] : ranks) kill(process, SIGCONT);
    for (const auto& [rank, process] : ranks)
        EXPECT_TRUE(eventually([id = process] { return !goesOn(id); }, std::chrono::seconds(60))) << "process " << rank;
}

TEST(Processes, AutoStartsOneForEachCore) {
    if (physicalCores() < 2) GTEST_SKIP() << "one core";
    if (std::ifstream("/proc/driver/nvidia/version")) GTEST_SKIP() << "there it counts GPUs";
    const Workshop shop;
    auto program = shop.start({"train", shop / "spec.json", "--set", "train.accumulate=" + std::to_string(physicalCores()),
                               "--steps", "100000", "--nproc=auto"});
    shop.waitForStep(2);
    EXPECT_EQ(ranksOf(program->id()).size(), static_cast<std::size_t>(physicalCores()));
    program->signal(SIGTERM);
    EXPECT_EQ(program->wait(60).code, 75);
}

/// Changes this process's current folder, which the programs that it starts inherit, until the end of the scope.
class FolderScope {
public:
    explicit FolderScope(const std::filesystem::path& folder) : before_(std::filesystem::current_path()) {
        std::filesystem::current_path(folder);
    }
    ~FolderScope() { std::filesystem::current_path(before_); }
    FolderScope(const FolderScope&) = delete;
    FolderScope& operator=(const FolderScope&) = delete;

private:
    std::filesystem::path before_;
};

TEST(Processes, OneWithOtherFilesUnderTheSamePathIsRefused) {
    const Workshop shop, other;
    other.write("train.src", shop.read("train.src") + "a line more .\n");
    other.write("train.tgt", shop.read("train.tgt") + "a line more .\n");
    Json spec = Json::parse(shop.read("spec.json"));
    for (const char* split : {"train", "valid"})  // each process finds other files at this path, as on different machines
        spec["data"][split] = {{"source", "/proc/self/cwd/train.src"}, {"target", "/proc/self/cwd/train.tgt"}};
    const std::string file = shop.write("everywhere.json", spec.dump());
    const std::string master = "127.0.0.1:" + std::to_string(20'000 + getpid() % 10'000);
    const auto start = [&](const Workshop& in, int rank) {
        const FolderScope folder(in / "");
        return in.start({"train", file, "--set", "train.accumulate=2", "--steps", "10", "--rank", std::to_string(rank),
                         "--world-size", "2", "--local-rank", std::to_string(rank), "--master", master});
    };
    const auto second = start(other, 1), first = start(shop, 0);
    for (const Result& refused : {first->wait(), second->wait()}) {
        EXPECT_EQ(refused.code, 3) << refused.err;
        EXPECT_THAT(refused.err, AllOf(HasSubstr("do not agree: data /"), HasSubstr("process 1"),
                                       HasSubstr("give all processes the same data files")));
    }
    EXPECT_FALSE(std::filesystem::exists(other / Workshop::database()));
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
