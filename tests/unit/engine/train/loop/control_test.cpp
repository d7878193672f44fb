// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/control.h"

#include "engine/base/device_lost.h"
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/train/train_support.h"

#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

namespace heddle {
namespace {

using testing::HasSubstr;

class ControlTest : public testing::Test {
protected:
    /// Asks a question that is answered by `answer`, and returns what the asker hears.
    Answer ask(const std::function<Json(const Json&)>& answer) {
        control_.setActions({[] {}, answer});
        mailbox_.put(AskCommand{7, {{"ask", 5}}});
        control_.serve();
        return sink_.all<Answer>().back();
    }

    test::RecordingSink sink_;
    Emitter emitter_{sink_, "0123456789ab", 1};
    Mailbox mailbox_;
    Control control_{mailbox_, emitter_};
};

TEST_F(ControlTest, WhateverAQuestionThrowsIsToldToTheAsker) {
    EXPECT_TRUE(ask([](const Json&) { return Json(1); }).ok);
    const auto refusal = [&](const std::function<Json(const Json&)>& answer) {
        const Answer told = ask(answer);
        EXPECT_FALSE(told.ok);
        EXPECT_EQ(told.question, 7U);
        return told.value.at("what").get<std::string>();
    };
    EXPECT_THAT(refusal([](const Json& question) { return Json(question.value("ask", "")); }), HasSubstr("expected form"));
    EXPECT_THAT(refusal([](const Json&) -> Json { throwInvalid("no such head", "ask", ""); }), HasSubstr("no such head"));
    EXPECT_THAT(refusal([](const Json&) -> Json { TORCH_CHECK(false, "sizes differ"); }), HasSubstr("sizes differ"));
    EXPECT_THAT(refusal([](const Json&) -> Json { throw std::bad_alloc(); }), HasSubstr("bad_alloc"));
}

TEST_F(ControlTest, ALostDeviceEndsTheRun) {
    EXPECT_THROW(ask([](const Json&) -> Json { throw DeviceLostError("illegal address", "ask"); }), DeviceLostError);
}

TEST_F(ControlTest, AStateThatTheTableForbidsIsRefused) {
    control_.setState(RunState::Preparing, "new run");
    control_.setState(RunState::Running, "started");
    try {
        control_.setState(RunState::Preparing, "again");
        FAIL() << "running became preparing";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Failure);
        EXPECT_THAT(error.where(), HasSubstr("engine/train/loop/control.cpp:"));
    }
    EXPECT_EQ(control_.state(), RunState::Running);
    EXPECT_EQ(sink_.all<StateChanged>().size(), 2U) << "nothing is said of a change that did not happen";
}

TEST_F(ControlTest, ASecondStopWhilePreparingChangesNothing) {
    control_.setState(RunState::Preparing, "new run");
    for (const char* who : {"user", "signal"}) mailbox_.put(StopCommand{who});
    EXPECT_TRUE(control_.stopWhilePreparing());
    EXPECT_TRUE(control_.stopWhilePreparing());
    EXPECT_EQ(control_.state(), RunState::Stopping);
}

}  // namespace
}  // namespace heddle
