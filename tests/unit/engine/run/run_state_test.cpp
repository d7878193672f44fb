// SPDX-License-Identifier: Apache-2.0
#include "engine/run/run_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

// One row a state, one column a state, in the order of the enumeration; written out by hand from design section 4.
//                                          queued preparing running paused stopping completed stopped failed interrupted
const std::vector<std::string> kTransitions{".x....x.x",   // queued
                                            "..x.x..xx",   // preparing
                                            "...xxx.xx",   // running
                                            "..x.x..xx",   // paused
                                            ".....xxxx",   // stopping
                                            "x........",   // completed
                                            "x........",   // stopped
                                            "x........",   // failed
                                            "x........"};  // interrupted

//                                    start pause resume stop checkpoint delete
const std::vector<std::string> kVerbs{"...x.x",   // queued
                                      "...x..",   // preparing
                                      ".x.xx.",   // running
                                      "..xxx.",   // paused
                                      "......",   // stopping
                                      ".....x",   // completed
                                      "x....x",   // stopped
                                      "x....x",   // failed
                                      "x....x"};  // interrupted

TEST(RunState, EveryPairOfStates) {
    for (int from = 0; from < kRunStateCount; ++from)
        for (int to = 0; to < kRunStateCount; ++to)
            EXPECT_EQ(isAllowed(static_cast<RunState>(from), static_cast<RunState>(to)), kTransitions[from][to] == 'x')
                << name(static_cast<RunState>(from)) << " → " << name(static_cast<RunState>(to));
}

TEST(RunState, EveryVerbInEveryState) {
    for (int state = 0; state < kRunStateCount; ++state)
        for (int verb = 0; verb < 6; ++verb)
            EXPECT_EQ(isAllowed(static_cast<RunState>(state), static_cast<RunVerb>(verb)), kVerbs[state][verb] == 'x')
                << name(static_cast<RunState>(state)) << ", verb " << verb;
}

TEST(RunState, FinalStatesLeadOnlyToANewAttempt) {
    for (int i = 0; i < kRunStateCount; ++i)
        if (const auto state = static_cast<RunState>(i); isFinal(state)) {
            EXPECT_TRUE(isAllowed(state, RunState::Queued)) << name(state);
        }
}

TEST(RunState, NamesRoundTrip) {
    for (int i = 0; i < kRunStateCount; ++i)
        EXPECT_EQ(runStateFromName(name(static_cast<RunState>(i))), static_cast<RunState>(i));
    EXPECT_EQ(runStateFromName("Running"), std::nullopt);
    EXPECT_EQ(runStateFromName(""), std::nullopt);
}

}  // namespace
}  // namespace heddle
