// SPDX-License-Identifier: Apache-2.0
// Requests of other processes are carried out beside the recorder, not by it.
#include "app/session/host/run_session.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace heddle::app {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

/// A session whose requests to train wait for an engine that is not there yet.
class BlockedRequestTest : public testing::Test, protected SessionFixture {
protected:
    BlockedRequestTest() {
        engine_->stepMilliseconds = 2;
        auto options = sessionOptions("session test");
        options.engine = [this]() -> std::shared_ptr<Engine> {
            if (blocks_) {
                isBlocked_ = true;
                released_.wait_for(30s);
            }
            return engine_;
        };
        session_ = std::make_unique<RunSession>(options);
        training_ = session_->submit(smallSpec("base", 100000));
        EXPECT_TRUE(reaches(training_, "running"));
        blocks_ = true;
        Json spec = smallSpec("next", 5).toJson();
        spec["train"]["device"] = "auto";  // the engine knows the devices
        request_ = storage::putRequest(file_, {0, "enqueue", "", spec.dump()});
        EXPECT_TRUE(eventually([&] { return isBlocked_.load(); }));
    }

    std::promise<void> release_;
    std::shared_future<void> released_ = release_.get_future().share();
    std::atomic<bool> blocks_ = false, isBlocked_ = false;
    std::unique_ptr<RunSession> session_;
    std::string training_;
    std::int64_t request_ = 0;
};

// Before: the recording thread carried requests out, and nothing was recorded while one of them waited.
TEST_F(BlockedRequestTest, ItDelaysNoCommit) {
    const std::int64_t step = query()->run(training_)->step;
    EXPECT_TRUE(eventually([&] { return query()->run(training_)->step > step + 10; })) << "training is recorded";
    session_->edit(RenameRun{training_, "other"});
    EXPECT_EQ(query()->run(training_)->name, "other");
    session_->command(training_, RunVerb::Stop, "user");
    EXPECT_TRUE(reaches(training_, "stopped"));
    EXPECT_EQ(storage::readAnswer(file_, request_), std::nullopt);
    release_.set_value();
    EXPECT_TRUE(eventually([&] { return storage::readAnswer(file_, request_).has_value(); }));
    EXPECT_TRUE(reaches(storage::readAnswer(file_, request_)->second, "completed"));
}

TEST_F(BlockedRequestTest, ClosingWaitsForItAndItsRunIsLeftToTheNextOwner) {
    std::jthread closes([&] { EXPECT_EQ(session_->close(), ""); });
    EXPECT_TRUE(reaches(training_, "stopped"));
    release_.set_value();
    closes.join();
    const auto answer = storage::readAnswer(file_, request_);
    ASSERT_TRUE(answer.has_value());
    EXPECT_TRUE(answer->first);
    EXPECT_EQ(stateOf(answer->second), "queued");
    session_.reset();
    EXPECT_THAT(open()->leftQueued(), ElementsAre(answer->second));
}

}  // namespace
}  // namespace heddle::app
