// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle {
namespace {

using testing::HasSubstr;

TEST(DecodingTime, IsMeasuredWhereTheSpecAsksForIt) {
    const auto timings = [](std::int64_t wanted) {
        test::Attempt attempt(40, 6);
        attempt.spec.data.test = attempt.spec.data.valid;  // six pairs
        attempt.spec.evaluate.testAtEnd = true;
        attempt.spec.evaluate.timedSentences = wanted;
        attempt.spec.train.epochs = 1;
        attempt.run();
        EXPECT_TRUE(attempt.sink.metric("valid", "decode_seconds").empty());
        std::vector<EvaluationDone::Value> found;
        for (const auto& done : attempt.sink.all<EvaluationDone>())
            for (const auto& value : done.values)
                if (value.metric == "decode_seconds") found.push_back(value);
        EXPECT_EQ(attempt.sink.metric("test", "bleu").size(), 1U) << "scored over all of them, once";
        return found;
    };
    EXPECT_TRUE(timings(0).empty());
    for (const auto& [wanted, n] : {std::pair<std::int64_t, std::int64_t>{4, 4}, {500, 6}}) {
        const auto found = timings(wanted);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found[0].n, n);
        EXPECT_GT(found[0].value, 0);
        EXPECT_THAT(found[0].signature,
                    HasSubstr("seconds|search:greedy|cache:yes|batch_tokens:4096|precision:fp32|device:cpu|"));
        EXPECT_THAT(found[0].signature, HasSubstr("|threads:1|n:" + std::to_string(n) + "|"));
    }
}

TEST(DecodingTime, OfDecodingWithoutACacheStandsBesideIt) {
    test::Attempt attempt(40, 6);
    attempt.spec.data.test = attempt.spec.data.valid;
    attempt.spec.evaluate.testAtEnd = true;
    attempt.spec.evaluate.timedSentences = 4;
    attempt.spec.evaluate.timedUncached = true;
    attempt.spec.train.epochs = 1;
    attempt.run();
    std::vector<EvaluationDone::Value> found;
    for (const auto& done : attempt.sink.all<EvaluationDone>())
        for (const auto& value : done.values)
            if (value.metric == "decode_seconds_uncached") found.push_back(value);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].n, 4);
    EXPECT_GT(found[0].value, 0);
    EXPECT_THAT(found[0].signature, HasSubstr("seconds|search:greedy|cache:no|batch_tokens:one_example|"));
}

}  // namespace
}  // namespace heddle
