// SPDX-License-Identifier: Apache-2.0
// The heddle program beside this test measures. It needs LibTorch and the engine, which a build for ThreadSanitizer lacks.
#include "app/session/process/time_step.h"

#include "app/session/process/engine_loader.h"
#include "engine/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

Json tinyRun() {
    return {
        {"variant",
         {{"preset", "eau-base"},
          {"dims",
           {{"d", 16}, {"f", 24}, {"heads", 2}, {"layers_enc", 1}, {"layers_dec", 1}, {"vocab_src", 40}, {"vocab_tgt", 40}}}}},
        {"train", {{"batch", {{"tokens", 256}}}, {"device", "cpu"}}}};
}

TEST(TimeStep, MeasuresInAProcessOfItsOwn) {
    if (const auto report = inspectEngine(); !report.problem.empty()) GTEST_SKIP() << report.problem;
    const StepTiming timing = timeStep(tinyRun(), {});
    EXPECT_GT(timing.median, 0);
    EXPECT_LE(timing.least, timing.median);
    EXPECT_GE(timing.most, timing.median);
}

TEST(CountSteps, AreThoseOfTheDataAndTheBudget) {
    if (const auto report = inspectEngine(); !report.problem.empty()) GTEST_SKIP() << report.problem;
    Json run = tinyRun();
    for (const char* key : {"vocab_src", "vocab_tgt"}) run["variant"]["dims"].erase(key);
    run["data"] = {{"format", "generated/copy"}};
    run["train"]["batch"] = {{"tokens", 0}, {"sentences", 8}};
    run["train"]["epochs"] = 1;
    const std::int64_t once = countSteps(run, {});
    EXPECT_GT(once, 1);
    run["train"]["epochs"] = 3;
    EXPECT_EQ(countSteps(run, {}), 3 * once);
    run["train"]["steps"] = 5;
    EXPECT_EQ(countSteps(run, {}), 5);
    run["data"] = {{"train", {{"source", "absent.en"}, {"target", "absent.de"}}}};
    EXPECT_THROW(countSteps(run, {}), Error);
    EXPECT_THROW(countSteps(tinyRun(), [] { return true; }), Error);
}

TEST(TimeStep, SaysWhyItCannotAndStopsWhenAsked) {
    Json unknown = tinyRun();
    unknown["variant"]["dims"].erase("vocab_src");
    EXPECT_THAT([&] { timeStep(unknown, {}); }, testing::ThrowsMessage<Error>(testing::HasSubstr("vocabulary")));
    EXPECT_THROW(timeStep(tinyRun(), [] { return true; }), Error);
}

}  // namespace
}  // namespace heddle::app
