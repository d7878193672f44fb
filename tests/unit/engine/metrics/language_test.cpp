// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/language.h"
#include "engine/base/error.h"
#include "engine/metrics/metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

// A model that gives each of 8 words the same chance: 3 bits a token.
TEST(Language, UniformModelOfEightWords) {
    const auto values = languageValues({100 * std::log(8.0), 100, 400, 600});
    ASSERT_EQ(values.size(), 4U);
    EXPECT_EQ(values[0].name, "perplexity");
    EXPECT_NEAR(values[0].value, 8, 1e-12);
    EXPECT_EQ(values[0].signature, "ppl|per:token|counted:tokens+eos|n:100|version:heddle-" HEDDLE_VERSION);
    EXPECT_NEAR(values[1].value, 3, 1e-12);
    EXPECT_EQ(values[2].name, "bits_per_character");
    EXPECT_NEAR(values[2].value, 300.0 / 400, 1e-12);
    EXPECT_NEAR(values[3].value, 300.0 / 600, 1e-12);
    EXPECT_EQ(values[3].n, 600);
}

TEST(Language, WithoutALengthThereIsNothingPerCharacter) {
    const auto values = languageValues({1, 1, 0, 0});
    ASSERT_EQ(values.size(), 2U);
    EXPECT_NEAR(values[0].value, std::exp(1.0), 1e-15);
    EXPECT_NEAR(values[1].value, 1 / std::log(2.0), 1e-15);
}

TEST(Language, WhatIsUndefinedSaysSo) {
    EXPECT_TRUE(std::isnan(languageValues({0, 0, 10, 10})[0].value));
    EXPECT_THAT(languageValues({0, 0, 10, 10})[1].warning, HasSubstr("no token"));
    EXPECT_THAT(languageValues({std::nan(""), 5, 0, 0})[0].warning, HasSubstr("not a number"));
    const MetricValue huge = languageValues({1e6, 1, 0, 0})[0];
    EXPECT_TRUE(std::isinf(huge.value));
    EXPECT_THAT(huge.warning, HasSubstr("bits_per_token"));
}

TEST(MetricTable, SaysWhichWayIsBetter) {
    for (const char* name : {"loss", "objective", "perplexity", "bits_per_token", "bits_per_character", "bits_per_byte"})
        EXPECT_FALSE(metricInfo(name).higherIsBetter) << name;
    for (const char* name : {"accuracy", "bleu", "chrf", "chrf++", "f1", "matthews", "pearson", "span_f1", "exact_match"})
        EXPECT_TRUE(metricInfo(name).higherIsBetter) << name;
    EXPECT_EQ(metricInfo("accuracy").shownScale(), 100);
    EXPECT_EQ(metricInfo("bleu").shownScale(), 1);
}

TEST(MetricTable, KnowsPartsAndRefusesStrangers) {
    EXPECT_EQ(metricInfo("f1/PER").name, "f1");
    EXPECT_EQ(metricInfo("loss/length:1-10").name, "loss");
    EXPECT_EQ(findMetric("los"), nullptr);
    EXPECT_EQ(findMetric(""), nullptr);
    EXPECT_THAT([] { metricInfo("acuracy"); }, Throws<Error>(Property(&Error::next, HasSubstr("accuracy"))));
}

TEST(MetricTable, HasEveryNameOnceAndATitle) {
    std::set<std::string_view> names;
    for (const MetricInfo& info : metricInfos()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_FALSE(info.title.empty()) << info.name;
        EXPECT_EQ(info.name.find('/'), std::string_view::npos);
        EXPECT_EQ(&metricInfo(info.name), &info);
    }
}

}  // namespace
}  // namespace heddle
