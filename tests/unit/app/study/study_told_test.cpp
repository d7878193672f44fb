// SPDX-License-Identifier: Apache-2.0
// What a verdict says of how its question was asked.
#include "app/study/study_told.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

std::vector<std::string> wordsOf(const std::vector<StudyChange>& changes) {
    StudyVerdict verdict;
    verdict.changes = changes;
    return toldWords(Study(), verdict);
}

TEST(StudyTold, RunsThatWereGoneAreToldWithTheirDay) {
    EXPECT_THAT(wordsOf({{1764201600, 16, {}, -4}}),
                ElementsAre(StartsWith(
                    "On 2025-11-27, 4 of the 16 runs that had ended when it was asked before were no longer there")));
    EXPECT_THAT(
        wordsOf({{86400, 6, {}, -1}}),
        ElementsAre(StartsWith("On 1970-01-02, 1 of the 6 runs that had ended when it was asked before was no longer")));
    EXPECT_THAT(wordsOf({{1e300, 6, {}, -1}}), ElementsAre(StartsWith("On a day that is not known, 1 of")));
}

TEST(StudyTold, ManyLooksAreCounted) {
    std::vector<StudyChange> looks{{1, 2, {}, 2}};
    EXPECT_THAT(wordsOf(looks),
                ElementsAre(StartsWith("It was asked before, when 2 of its runs had ended; 2 more have ended since.")));
    for (std::size_t ended = 4; ended <= 22; ended += 2) looks.push_back({1, ended, {}, ended == 22 ? 1 : 2});
    EXPECT_THAT(
        wordsOf(looks),
        ElementsAre(StartsWith("It was asked 11 times before, the first time when 2 and the last time when 22 of its runs had "
                               "ended; 1 more has ended since.")));
}

}  // namespace
}  // namespace heddle::app
