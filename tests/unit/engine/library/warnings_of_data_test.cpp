// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/run_data.h"
#include "engine/library/sessions.h"

#include <gmock/gmock.h>

namespace heddle {
namespace {

TEST(WarningsOfData, AreThoseOfTheSplitAndOfAll) {
    RunData data;
    data.warnings = {
        {"train", "train: left out"}, {"valid", "valid: cut"}, {"test", "test: cut"}, {"", "training data repeat"}};
    EXPECT_THAT(warningsOfData(data, "valid"), testing::ElementsAre("valid: cut", "training data repeat"));
    EXPECT_THAT(warningsOfData(data, "test"), testing::ElementsAre("test: cut", "training data repeat"));
    data.synthetic = "copy";
    EXPECT_THAT(warningsOfData(data, "test"), testing::Contains("synthetic data: copy"));
}

}  // namespace
}  // namespace heddle
