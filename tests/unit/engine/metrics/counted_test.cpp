// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/counted.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

std::string words(const char* metric, const char* signature) { return unitWords(countedBy(metric, signature)); }

TEST(Counted, TheUnitIsThatOfTheSignature) {
    EXPECT_EQ(words("loss", "ce:nats|smoothing:0|per:token"), "nats per token");
    EXPECT_EQ(words("loss", "ce:nats|smoothing:0|per:example|answer:visible"), "nats per example");
    EXPECT_EQ(words("loss", "mse|per:example"), "squared error per example");
    EXPECT_EQ(words("loss", "hinge:max|per:example"), "hinge loss per example");
    EXPECT_EQ(words("accuracy", "teacher-forced|per:token"), "share of tokens right, teacher forcing");
    EXPECT_EQ(words("accuracy", "per:example"), "share of examples right");
    EXPECT_EQ(words("accuracy", "acc|n:408|version:heddle-0.1.0"), "share right");
    EXPECT_EQ(words("loss", "of a later version"), "");
}

TEST(Counted, SmoothingIsReadFromTheSignature) {
    EXPECT_DOUBLE_EQ(countedBy("objective", "ce:nats|smoothing:0.1|per:token").smoothing, 0.1);
    EXPECT_DOUBLE_EQ(countedBy("loss", "mse|per:example").smoothing, 0);
}

}  // namespace
}  // namespace heddle
