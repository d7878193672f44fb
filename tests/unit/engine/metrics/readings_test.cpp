// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/buckets.h"
#include "engine/base/error.h"
#include "engine/base/unicode.h"
#include "engine/metrics/bleu_readings.h"
#include "engine/metrics/charpos.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Strings = std::vector<std::string>;

const Strings kReferences{"two dogs ran in the winter landscapes .", "a man in a blue shirt stands on a ladder", "hello there"};
const Strings kForced{"two dogs run in the winter landscape", "a man in a blue shirt is on a ladder", "hello where"};
const Strings kFree{"two dogs are in the snow", "a man in a shirt stands on a ladder", "hello"};

BleuReadingOptions onWords(std::int64_t batch = 0) { return {{"none", "exp", false}, batch}; }

TEST(BleuReadings, EachIsWhatItSays) {
    const TeacherForcedReadings readings = teacherForcedReadings(kForced, kReferences, onWords());
    EXPECT_DOUBLE_EQ(readings.bleu.value, corpusBleu(kForced, kReferences, onWords().bleu).bleu);
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += charpos(splitUnicodeSpace(kForced[i]), splitUnicodeSpace(kReferences[i])).score;
    EXPECT_DOUBLE_EQ(readings.charpos.value, sum / 3);
    EXPECT_GT(readings.charpos.value, readings.bleu.value);
}

// The specification's golden case `bleu_charpos`, through the one function.
TEST(BleuReadings, GoldenCharpos) {
    const Strings reference{kReferences[0]}, forced{kForced[0]};
    EXPECT_NEAR(teacherForcedReadings(forced, reference, onWords()).charpos.value, 92.24830325945163, 1e-10);
}

TEST(BleuReadings, SignaturesTellThemApart) {
    const TeacherForcedReadings readings = teacherForcedReadings(kForced, kReferences, {{"13a", "exp", true}, 2});
    EXPECT_EQ(readings.bleu.name, "bleu_teacher_forced");
    EXPECT_EQ(readings.bleu.signature,
              "mode:teacher_forced|" + corpusBleu(kForced, kReferences, {"13a", "exp", true}).signature);
    EXPECT_EQ(readings.charpos.signature, "mode:charpos|case:lc|tok:13a|mean:batches-of-2|n:3|version:heddle-" HEDDLE_VERSION);
    EXPECT_THAT(readings.charpos.warning, HasSubstr("not comparable"));
    EXPECT_EQ(readings.charpos.n, 3);
}

TEST(BleuReadings, TheLineageMeansBatchesOfUnequalSize) {
    const auto of = [](std::size_t i) {
        return charpos(splitUnicodeSpace(kForced[i]), splitUnicodeSpace(kReferences[i])).score;
    };
    EXPECT_DOUBLE_EQ(teacherForcedReadings(kForced, kReferences, onWords(2)).charpos.value, ((of(0) + of(1)) / 2 + of(2)) / 2);
    EXPECT_DOUBLE_EQ(teacherForcedReadings(kForced, kReferences, onWords(128)).charpos.value,
                     teacherForcedReadings(kForced, kReferences, onWords()).charpos.value);
}

TEST(BleuReadings, RefusesUnequalOrNoSentences) {
    const Strings none;
    EXPECT_THROW(teacherForcedReadings(none, none, onWords()), Error);
    EXPECT_THROW(teacherForcedReadings(none, kReferences, onWords()), Error);
    EXPECT_THROW(teacherForcedReadings(kForced, none, onWords()), Error);
}

TEST(LengthBuckets, HoldTheirUpperBound) {
    const LengthBuckets buckets({10, 20});
    EXPECT_EQ(buckets.size(), 3U);
    EXPECT_EQ(buckets.of(0), 0U);
    EXPECT_EQ(buckets.of(10), 0U);
    EXPECT_EQ(buckets.of(11), 1U);
    EXPECT_EQ(buckets.of(20), 1U);
    EXPECT_EQ(buckets.of(21), 2U);
    EXPECT_EQ(buckets.label(0), "1-10");
    EXPECT_EQ(buckets.label(1), "11-20");
    EXPECT_EQ(buckets.label(2), "over-20");
    EXPECT_THROW(LengthBuckets({}), Error);
    EXPECT_THROW(LengthBuckets({0, 5}), Error);
    EXPECT_THROW(LengthBuckets({5, 5}), Error);
    EXPECT_THROW(buckets.of(-1), Error);
}

TEST(LengthBuckets, LossAndAccuracyAreOverTokens) {
    const auto values = lossByLength({{5, 6.0, 2, 1}, {10, 12.0, 4, 4}, {50, 3.0, 1, 0}}, LengthBuckets({10, 20}));
    ASSERT_EQ(values.size(), 6U);
    EXPECT_EQ(values[0].name, "loss/length:1-10");
    EXPECT_DOUBLE_EQ(values[0].value, 18.0 / 6);
    EXPECT_EQ(values[0].n, 6);
    EXPECT_EQ(values[1].name, "accuracy/length:1-10");
    EXPECT_DOUBLE_EQ(values[1].value, 5.0 / 6);
    EXPECT_TRUE(std::isnan(values[2].value));
    EXPECT_THAT(values[2].warning, HasSubstr("no sentences of this length"));
    EXPECT_EQ(values[2].n, 0);
    EXPECT_DOUBLE_EQ(values[4].value, 3);
    EXPECT_EQ(values[5].value, 0);
    EXPECT_EQ(values[0].signature, "ce:nats|per:token|source_length:1-10|n:6|version:heddle-" HEDDLE_VERSION);
}

TEST(LengthBuckets, BleuIsOfEachBucketsOwnCorpus) {
    const std::vector<std::int64_t> lengths{8, 30, 3};
    const BleuOptions options{"none", "exp", false};
    const auto values = bleuByLength({lengths, kFree, kReferences}, LengthBuckets({10, 20}), options);
    ASSERT_EQ(values.size(), 3U);
    EXPECT_DOUBLE_EQ(values[0].value, corpusBleu({kFree[0], kFree[2]}, {kReferences[0], kReferences[2]}, options).bleu);
    EXPECT_EQ(values[0].n, 2);
    EXPECT_THAT(values[0].signature, StartsWith("source_length:1-10|nrefs:1|"));
    EXPECT_TRUE(std::isnan(values[1].value));
    EXPECT_DOUBLE_EQ(values[2].value, corpusBleu({kFree[1]}, {kReferences[1]}, options).bleu);
    EXPECT_THROW(bleuByLength({lengths, kFree, {}}, LengthBuckets({10}), options), Error);
}

}  // namespace
}  // namespace heddle
