// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/extension.h"

#include "engine/base/error.h"
#include "engine/run/run_state.h"
#include "engine/spec/schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A run of 20 steps, of which `step` are done.
storage::RunRecord runAt(std::int64_t step) {
    storage::RunRecord run;
    run.state = name(step == 20 ? RunState::Completed : RunState::Stopped);
    run.step = step;
    run.totalSteps = 20;
    return run;
}

RunSpec specOf(ScheduleKind schedule) {
    RunSpec spec;
    spec.train.schedule = schedule;
    spec.train.steps = 20;
    spec.train.epochs = 0;
    return spec;
}

const Extension kTo40{{}, 40, {}, {}};

TEST(Extension, AScheduleThatEndsWithTheRunKeepsItsEnd) {
    for (const ScheduleKind schedule : {ScheduleKind::Linear, ScheduleKind::Cosine}) {
        const RunSpec spec = specOf(schedule);
        const RunSpec longer = extended(spec, runAt(20), kTo40);
        EXPECT_EQ(longer.train.steps, 40);
        EXPECT_EQ(longer.train.scheduleSteps, 20) << wordOf(schedule);
        const RunSpec again = extended(longer,
                                       [] {
                                           storage::RunRecord run = runAt(20);
                                           run.step = run.totalSteps = 40;
                                           return run;
                                       }(),
                                       {{}, 60, {}, {}});
        EXPECT_EQ(again.train.scheduleSteps, 20) << "a second extension moves it no more than the first";
        EXPECT_THAT(again.train.extended, ElementsAre(20, 40));
    }
}

TEST(Extension, IsPartOfTheHashWhereTheRunIsNotTheOneOfTheNewLimits) {
    const auto hashOf = [](const RunSpec& spec) { return spec.hash({}); };
    for (const ScheduleKind schedule : {ScheduleKind::Constant, ScheduleKind::Linear, ScheduleKind::Plateau}) {
        RunSpec whole = specOf(schedule);
        whole.train.steps = 40;
        const RunSpec longer = extended(specOf(schedule), runAt(20), kTo40);
        EXPECT_THAT(longer.train.extended, ElementsAre(20)) << wordOf(schedule);
        EXPECT_NE(hashOf(longer), hashOf(whole))
            << wordOf(schedule) << ": it was evaluated after step 20, its schedule ends there";
    }
    RunSpec whole = specOf(ScheduleKind::Constant);
    whole.train.steps = 40;
    EXPECT_EQ(hashOf(extended(specOf(ScheduleKind::Constant), runAt(7), kTo40)), hashOf(whole))
        << "it never came to its end: equal bits";
    EXPECT_THAT(extended(specOf(ScheduleKind::Linear), runAt(7), kTo40).train.extended, ElementsAre(7));
    EXPECT_EQ(extended(specOf(ScheduleKind::Linear), runAt(0), kTo40).train.scheduleSteps, 0) << "no step was taken";
}

TEST(Extension, ImportedWeightsAreForkedAndNotResumed) {
    storage::RunRecord imported = runAt(20);
    imported.step = 0;
    EXPECT_THAT([&] { extended(specOf(ScheduleKind::Linear), imported, kTo40); },
                testing::ThrowsMessage<Error>(HasSubstr("heddle fork")));
}

TEST(Extension, AnEndOfTheScheduleMayBeGiven) {
    const Extension moved{{}, 40, {}, 40};
    const RunSpec longer = extended(specOf(ScheduleKind::Linear), runAt(20), moved);
    EXPECT_EQ(longer.train.scheduleSteps, 40);
    EXPECT_THAT(longer.train.extended, ElementsAre(20)) << "the steps up to 20 had another rate";
    EXPECT_THROW(extended(specOf(ScheduleKind::Constant), runAt(20), moved), Error);
    storage::RunRecord unknown = runAt(20);
    unknown.totalSteps = 0;
    EXPECT_THROW(extended(specOf(ScheduleKind::Linear), unknown, kTo40), Error);
}

TEST(Extension, NewLimitsReplaceABudget) {
    RunSpec spec = specOf(ScheduleKind::Wsd);
    spec.train.steps = 0;
    spec.train.budget.tokens = 1000;
    const RunSpec longer = extended(spec, runAt(20), kTo40);
    EXPECT_TRUE(longer.train.budget.isEmpty());
    EXPECT_EQ(longer.train.steps, 40);
    EXPECT_EQ(longer.train.scheduleSteps, 20) << "wsd keeps its end as linear and cosine do";
    spec.train.scheduleDecay = 0;
    EXPECT_EQ(extended(spec, runAt(20), kTo40).train.scheduleSteps, 0) << "a trunk has no end";
}

TEST(Extension, IsReadFromTheRecordAndSaid) {
    storage::RunRecord run;
    run.spec = canonicalJson(extended(specOf(ScheduleKind::Linear), runAt(20), kTo40).toJson());
    EXPECT_THAT(extensionsIn(run.spec), ElementsAre(20));
    EXPECT_THAT(extensionText(run), HasSubstr("extended after step 20: "));
    run.spec = canonicalJson(specOf(ScheduleKind::Linear).toJson());
    EXPECT_THAT(extensionsIn(run.spec), IsEmpty());
    EXPECT_EQ(extensionText(run), "");
    run.spec = "not \"extended\" JSON";
    EXPECT_THAT(extensionsIn(run.spec), IsEmpty());
}

}  // namespace
}  // namespace heddle::app
