// SPDX-License-Identifier: Apache-2.0
#include "engine/run/intervention_change.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace heddle::app {
namespace {

using testing::ElementsAre;

class SessionInterventions : public testing::Test, protected SessionFixture {};

TEST_F(SessionInterventions, InterventionsAreJournaledAndGivenToTheNextAttempt) {
    engine_->stepMilliseconds = 2;
    const auto session = open();
    const auto run = session->submit(smallSpec("base", 100000));
    ASSERT_TRUE(reaches(run, "running"));
    EXPECT_EQ(query()->run(run)->intervened, -1);
    const std::vector<Intervention> mute{MuteHead{"encoder.layers.0.self", 1}}, cut{CutCarry{"encoder.layers.1.self"}};
    std::vector<std::int64_t> steps;
    for (const InterventionChange& change :
         {InterventionChange{mute, {}}, InterventionChange{cut, mute}, InterventionChange{{}, cut}}) {
        std::atomic<std::int64_t> step = -1;
        session->ask(run, interventionQuestion(change), [&](bool, const Json& value) { step = value.at("step"); });
        ASSERT_TRUE(eventually([&] { return step >= 0; }));
        steps.push_back(step);  // the events were committed before the answer
        EXPECT_EQ(query()->run(run)->intervened, steps.front());
    }
    session->command(run, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(run, "stopped"));
    session->resume(run);
    ASSERT_TRUE(reaches(run, "running"));
    EXPECT_THAT(engine_->interventionsGiven,
                ElementsAre(InterventionsAt{steps[0], mute}, InterventionsAt{steps[1], cut}, InterventionsAt{steps[2], {}}));
    session->command(run, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(run, "stopped"));
}

}  // namespace
}  // namespace heddle::app
