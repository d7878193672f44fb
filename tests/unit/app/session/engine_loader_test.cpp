// SPDX-License-Identifier: Apache-2.0
#include "app/session/engine_loader.h"

#include "engine/base/error.h"
#include "engine/run/build_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using testing::HasSubstr;

TEST(EngineLoader, ALibraryOfAnotherBuildIsRefused) {
    ASSERT_NE(engineIdentity(), 0U);
    try {
        openEngineLibrary(HEDDLE_OTHER_ENGINE);
        FAIL() << "was taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Failure);
        EXPECT_THAT(error.problem(), HasSubstr("another build of Heddle"));
        EXPECT_EQ(error.where(), HEDDLE_OTHER_ENGINE);
        EXPECT_THAT(error.next(), HasSubstr("of one build"));
    }
}

TEST(EngineLoader, AFileThatIsNoLibraryIsNamed) {
    try {
        openEngineLibrary("/nowhere/libheddle_engine.so");
        FAIL() << "was opened";
    } catch (const Error& error) {
        EXPECT_EQ(error.where(), "/nowhere/libheddle_engine.so");
        EXPECT_THAT(error.next(), HasSubstr("heddle doctor"));
    }
}

}  // namespace
}  // namespace heddle::app
