// SPDX-License-Identifier: Apache-2.0
// `heddle evaluate` with a fake engine: what it asks the engine for.
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace heddle::app {
namespace {

class EvaluateCommand : public testing::Test, protected SessionFixture {
protected:
    void SetUp() override {
        RunSpec spec = smallSpec("base", 20);
        spec.train.ema = 0.9;
        {
            const auto session = open();
            const std::string run = session->submit(spec);
            ASSERT_TRUE(reaches(run, "completed"));
        }
        engine_->evaluator = [this](const EvaluationRequest& request) {
            asked_ = request;
            return EvaluationReport{};
        };
    }
    CommandResult evaluate(std::vector<std::string> options) {
        options.insert(options.begin(), {"evaluate", "--run", "base"});
        return runOn(file_, std::move(options), [this] { return engine_; });
    }
    std::optional<EvaluationRequest> asked_;
};

TEST_F(EvaluateCommand, AsksForTheSpecWithTheUsersValues) {
    const CommandResult result = evaluate({"--set", "evaluate.timed_uncached=true"});
    ASSERT_EQ(result.code, 0) << result.err;
    ASSERT_TRUE(asked_);
    EXPECT_TRUE(asked_->spec.evaluate.timedUncached);
    EXPECT_EQ(asked_->split, "valid");
    EXPECT_FALSE(asked_->otherFiles);
}

// The engine marks signatures by train.ema, and the weights in the file stay what they are.
TEST_F(EvaluateCommand, NoValueOfTheUserMakesTheWeightsAnotherAverage) {
    for (const char* ema : {"train.ema=0", "train.ema=0.5"}) {
        asked_.reset();
        const CommandResult result = evaluate({"--set", ema});
        ASSERT_EQ(result.code, 0) << result.err;
        ASSERT_TRUE(asked_);
        EXPECT_EQ(asked_->spec.train.ema, 0.9) << ema;
    }
}

}  // namespace
}  // namespace heddle::app
