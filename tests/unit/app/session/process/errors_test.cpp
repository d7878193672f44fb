// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/errors.h"

#include "engine/base/temporary_folder.h"
#include "storage/run_query.h"

#include <gmock/gmock.h>

namespace heddle::app {
namespace {

TEST(AsError, AMissingDatabaseIsNamedByTheOptionOfCommands) {
    const TemporaryFolder folder;
    try {
        storage::RunQuery::open(folder / "none.heddle");
        FAIL() << "it is not there";
    } catch (const storage::StorageError& error) {
        EXPECT_THAT(error.next(), testing::Not(testing::HasSubstr("--"))) << "storage knows of no options";
        const Error told = asError(std::current_exception(), "");
        EXPECT_EQ(told.code(), ErrorCode::InvalidInput);
        EXPECT_EQ(told.next(), error.next() + " (--db FILE)");
    }
}

}  // namespace
}  // namespace heddle::app
