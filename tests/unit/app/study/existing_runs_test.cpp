// SPDX-License-Identifier: Apache-2.0
#include "app/study/existing_runs.h"

#include "tests/unit/app/study/recorded_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::Pair;

class ExistingRunsTest : public testing::Test, protected RecordedRuns {
protected:
    static RunSpec specOf(double lr, std::uint64_t seed) {
        RunSpec spec = seeded(smallSpec("run", 40), seed);
        spec.train.lr = lr;
        return spec;
    }
    /// The runs of the group: seed and why each is left out.
    std::vector<std::pair<std::uint64_t, std::string>> ofGroup() const {
        std::vector<std::pair<std::uint64_t, std::string>> all;
        for (const ExistingRun& one : existingRuns({ExistingRuns::By::Group, {"g"}}, "row", "study.json", *query(), file_))
            all.emplace_back(one.run.spec.seed, one.why);
        return all;
    }
};

TEST_F(ExistingRunsTest, QueuedRunsDoNotOutvoteThoseThatEnded) {
    for (const std::uint64_t seed : {1, 2}) record(specOf(0.001, seed), {"completed", {}, "hash", "g", 1});
    for (const std::uint64_t seed : {3, 4, 5}) record(specOf(0.01, seed), {"queued", {}, "", "g"});
    record(specOf(0.001, 6), {"queued", {}, "", "g"});
    const std::string other = "has other settings than most runs of this row";
    EXPECT_THAT(ofGroup(),
                ElementsAre(Pair(1, ""), Pair(2, ""), Pair(3, other), Pair(4, other), Pair(5, other), Pair(6, "is queued")))
        << "the last one is a seed of those that ended";
}

TEST_F(ExistingRunsTest, WhereAllAreQueuedMostCount) {
    record(specOf(0.001, 1), {"queued", {}, "", "g"});
    for (const std::uint64_t seed : {2, 3}) record(specOf(0.01, seed), {"queued", {}, "", "g"});
    EXPECT_THAT(ofGroup(), ElementsAre(Pair(1, "has other settings than most runs of this row"), Pair(2, "is queued"),
                                       Pair(3, "is queued")));
}

}  // namespace
}  // namespace heddle::app
