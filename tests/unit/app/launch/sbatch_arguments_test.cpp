// SPDX-License-Identifier: Apache-2.0
#include "app/launch/sbatch_arguments.h"

#include "engine/base/temporary_folder.h"
#include "tests/unit/app/session/fake_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle::app {
namespace {

using testing::Contains;
using testing::Not;

TEST(SbatchArguments, ListsTasksAsSlurmReadsThem) {
    EXPECT_EQ(taskList({1, 2, 3}), "1-3");
    EXPECT_EQ(taskList({4}), "4");
    EXPECT_EQ(taskList({2, 5, 6, 9}), "2,5-6,9");
    EXPECT_EQ(taskList({}), "");
}

TEST(SbatchArguments, AnArrayThatWaitsForAnotherHasItsTasksAndNoOtherDependency) {
    const TemporaryFolder place;
    const SlurmFolder folder(place / "runs.heddle");
    PlannedRun run;
    run.spec = smallSpec("fine", 30);
    const std::vector<const PlannedRun*> runs{&run, &run};
    SlurmArray array{"heddle-1", "sweep/plan", 30, 0, {"a", "b"}, {}};
    SlurmOptions options;
    options.arrayLimit = 4;
    options.more = {"--dependency=afterok:4711", "--account=lab"};
    const auto first = sbatchArguments(array, runs, folder, options);
    EXPECT_THAT(first, Contains("--array=1-2%4"));
    EXPECT_THAT(first, Contains("--dependency=afterok:4711"));
    EXPECT_THAT(first, Not(Contains("--kill-on-invalid-dep=yes")));
    array.tasks = {7, 3};
    array.after = 17;
    const auto second = sbatchArguments(array, runs, folder, options);
    for (const char* word : {"--array=3,7%4", "--dependency=aftercorr:17", "--kill-on-invalid-dep=yes", "--account=lab"})
        EXPECT_THAT(second, Contains(word));
    EXPECT_THAT(second, Not(Contains("--dependency=afterok:4711"))) << "what it waits for has waited for that";
    options.more = {"-d", "afterok:4711", "--account=lab"};
    const auto third = sbatchArguments(array, runs, folder, options);
    EXPECT_THAT(third, Not(Contains("afterok:4711"))) << "else sbatch would take it for the script";
    EXPECT_THAT(third, Contains("--account=lab"));
}

}  // namespace
}  // namespace heddle::app
