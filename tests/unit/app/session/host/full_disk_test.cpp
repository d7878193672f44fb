// SPDX-License-Identifier: Apache-2.0
// A real database whose files cannot grow any more: training waits, says so, and loses nothing.
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <map>

namespace heddle::app {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

class FullDiskTest : public testing::Test, protected SessionFixture {};

/// Limits the size of this process's files, which a process without privileges can do in place of filling the disk.
class FullDisk {
public:
    explicit FullDisk(std::uintmax_t bytes) {
        signal_ = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit before_{};
    void (*signal_)(int) = nullptr;
};

TEST_F(FullDiskTest, OnAFullDiskTrainingIsPausedAndNoValueIsLost) {
    engine_->stepMilliseconds = 1;
    engine_->checkpointEvery = 1000;
    const auto session = open();
    const auto run = session->submit(smallSpec("base", 10'000'000));
    ASSERT_TRUE(eventually([&] { return query()->run(run)->step > 20; }));
    using Held = std::map<std::string, std::string>;
    {
        const FullDisk disk(std::filesystem::file_size(file_ + "-wal"));
        ASSERT_TRUE(eventually([&] { return session->heldRuns() == Held{{run, "recorder"}}; }));
        EXPECT_THAT(session->recorderProblem(), HasSubstr("training is paused, nothing is lost: "));
        const auto step = engine_->stepsTaken.load();
        std::this_thread::sleep_for(200ms);
        EXPECT_EQ(engine_->stepsTaken, step) << "training waits";
        EXPECT_EQ(stateOf(run), "running") << "what the database shows cannot be changed now";
    }
    ASSERT_TRUE(eventually([&] { return session->heldRuns().empty() && session->recorderProblem().empty(); }));
    EXPECT_THAT(texts(run, "state"), Contains("paused"));
    session->command(run, RunVerb::Stop, "user");
    ASSERT_TRUE(ends(*session, run));
    const auto points = query()->points(run, "loss", "", 0, 10'000'000);
    ASSERT_EQ(static_cast<std::int64_t>(points.size()), query()->run(run)->step);
    EXPECT_EQ(points.front().step, 1);
    EXPECT_EQ(query()->run(run)->step, engine_->stepsTaken);
}

}  // namespace
}  // namespace heddle::app
