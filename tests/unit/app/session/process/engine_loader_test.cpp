// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/engine_loader.h"

#include "engine/base/error.h"
#include "engine/run/build_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

TEST(EngineLoader, ALibraryOfAnotherBuildIsRefused) {
    ASSERT_NE(engineIdentity(), 0U);
    EXPECT_THAT([] { openEngineLibrary(HEDDLE_OTHER_ENGINE); },
                Throws<Error>(AllOf(
                    Property(&Error::code, ErrorCode::Failure), Property(&Error::problem, HasSubstr("another build of Heddle")),
                    Property(&Error::where, HEDDLE_OTHER_ENGINE), Property(&Error::next, HasSubstr("of one build")))));
}

TEST(EngineLoader, AFileThatIsNoLibraryIsNamed) {
    EXPECT_THAT([] { openEngineLibrary("/nowhere/libheddle_engine.so"); },
                Throws<Error>(AllOf(Property(&Error::where, "/nowhere/libheddle_engine.so"),
                                    Property(&Error::next, HasSubstr("heddle doctor")))));
}

TEST(EngineLoader, ThePlacesOfTheSearchAreListedWithWhatWasFound) {
    EngineReport report;
    report.searched = {{"python3", "", "", "not there"}, {".deps", "/src/torch", "2.11.0", ""}};
    EXPECT_EQ(searchedList(report), "python3: not there; .deps /src/torch: usable");
}

}  // namespace
}  // namespace heddle::app
