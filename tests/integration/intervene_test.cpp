// SPDX-License-Identifier: Apache-2.0
// `heddle intervene` with the built program and the real engine: on a run that another process trains, also after a kill.
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

namespace heddle::integration {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kMutedGate = "encoder.layers.0.self.residual.gate";

/// A run in training that keeps no checkpoint but that of step 0. It never validates, because a validation writes the best
/// weights.
class Intervene : public testing::Test {
protected:
    std::unique_ptr<Program> train() const {
        return shop_.start({"train", shop_ / "spec.json", "--name", "tiny", "--steps", "100000", "--set",
                            "train.checkpoint_every=100000", "--set", "evaluate.every_steps=100000"});
    }
    Json intervene(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"intervene", "tiny"});
        const Result result = shop_.run(std::move(arguments));
        EXPECT_EQ(result.code, 0) << result.err << result.out;
        return result.json();
    }
    std::string refusal(std::vector<std::string> arguments, int code) const {
        arguments.insert(arguments.begin(), {"intervene", "tiny"});
        const Result result = shop_.run(std::move(arguments));
        EXPECT_EQ(result.code, code) << result.err;
        return result.err;
    }

    const Workshop shop_;
};

TEST_F(Intervene, IsJournaledFlaggedUndoneAndRepeatedAfterAKill) {
    const auto program = train();
    shop_.waitForStep(25);
    EXPECT_TRUE(intervene({}).at("interventions").empty());
    const Json muted = intervene({"--mute", "encoder.layers.0.self:1", "--clamp", std::string(kMutedGate) + "=0.5"});
    const auto step = muted.at("step").get<std::int64_t>();
    EXPECT_EQ(muted.at("interventions").size(), 2U);
    EXPECT_EQ(shop_.onlyRun().at("intervened"), step);
    EXPECT_THAT(refusal({"--mute", "encoder.layers.0.self:1"}, 1), HasSubstr("is given twice"));
    EXPECT_THAT(refusal({"--mute", "encoder.layers.0.sef:1"}, 1), HasSubstr("did you mean"));
    shop_.waitForStep(step + 30);
    program->signal(SIGKILL);
    program->wait();
    const auto killedAfter = shop_.onlyRun().at("steps").get<std::int64_t>();
    EXPECT_EQ(intervene({}).at("interventions").size(), 2U);
    EXPECT_THAT(refusal({"--undo-all"}, 2), AllOf(HasSubstr("not in training"), HasSubstr("heddle inspect")));

    const auto resumed = shop_.start({"resume", "tiny"});
    shop_.waitForStep(killedAfter + 50);
    const Json undone = intervene({"--undo", kMutedGate});
    EXPECT_EQ(undone.at("interventions"), Json::parse(R"([{"kind":"mute","path":"encoder.layers.0.self","head":1}])"));
    EXPECT_TRUE(intervene({"--undo-all"}).at("interventions").empty());
    resumed->signal(SIGINT);
    EXPECT_EQ(resumed->wait().code, 130);
    const Json run = shop_.onlyRun();
    EXPECT_EQ(run.at("intervened"), step);
    EXPECT_EQ(run.at("attempts").at(1).at("replay"), "equal") << run.at("attempts").dump();
}

}  // namespace
}  // namespace heddle::integration
