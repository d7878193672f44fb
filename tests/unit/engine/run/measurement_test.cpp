// SPDX-License-Identifier: Apache-2.0
#include "engine/run/measurement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heddle {
namespace {

Measurement ranking() {
    RankReport report{"valid", 256, {}, {}, 8, {"few examples"}, 1.5};
    report.entries.push_back(
        {MuteHead{"encoder.layers.0.self", 1},
         {"loss", "ce", 100, 1.8, 1.9, DifferenceInterval{0.05, 0.15, 0.001}, "", DifferenceInterval{0.03, 0.17, 0.001}, 0.008},
         {}});
    report.entries.push_back({MuteHead{"encoder.layers.0.self", 0},
                              {"loss", "ce", 100, 1.8, std::numeric_limits<double>::quiet_NaN(), {}, "too few"},
                              {}});
    return {"run1", 400, 1.7e9, {}, report};
}

TEST(Measurement, ARankingComesBackWhole) {
    const Measurement before = ranking(), after = Measurement::parse(Json::parse(before.toJson().dump()));
    EXPECT_EQ(after.run, "run1");
    EXPECT_EQ(after.step, 400);
    EXPECT_EQ(after.question(), "rank heads, valid, 256");
    EXPECT_EQ(after.key(), before.key());
    EXPECT_TRUE(after.key().starts_with("400 "));
    const auto& report = std::get<RankReport>(after.report);
    ASSERT_EQ(report.entries.size(), 2U);
    EXPECT_EQ(report.all, 8);
    EXPECT_EQ(report.warnings, std::vector<std::string>{"few examples"});
    EXPECT_EQ(textOf(report.entries[0].intervention), "encoder.layers.0.self:1");
    EXPECT_EQ(report.entries[0].loss.interval, (DifferenceInterval{0.05, 0.15, 0.001}));
    EXPECT_EQ(report.entries[0].loss.simultaneous, (DifferenceInterval{0.03, 0.17, 0.001}));
    EXPECT_FALSE(report.entries[1].loss.simultaneous);
    EXPECT_EQ(report.entries[0].loss.corrected, 0.008);
    EXPECT_TRUE(std::isnan(report.entries[1].loss.intervened));
    EXPECT_FALSE(report.entries[1].loss.interval);
    EXPECT_FALSE(after.isWorthKeeping()) << "2 of 8: it was stopped, and must not take the place of a whole one";
    EXPECT_EQ(report.entries[1].loss.whyNoInterval, "too few");
}

TEST(Measurement, ARankingIsKnownByItsAblation) {
    const auto questionOf = [](const Intervention& first) {
        Measurement one = ranking();
        std::get<RankReport>(one.report).entries[0].intervention = first;
        return Measurement::parse(one.toJson()).question();
    };
    EXPECT_EQ(questionOf(MeanOutput{"encoder.layers.0.self", 1}), "rank heads by mean, valid, 256");
    EXPECT_EQ(questionOf(ResampleOutput{"encoder.layers.0.self", 1}), "rank heads by resample, valid, 256");
    EXPECT_EQ(questionOf(MeanOutput{"encoder.layers.0.self.residual.gate"}), "rank gates by mean, valid, 256");
    EXPECT_EQ(questionOf(ClampExposure{"encoder.layers.0.self.residual.gate", 1}), "rank gates, valid, 256");
}

TEST(Measurement, AnEffectIsKnownByItsInterventions) {
    EffectReport report{"test", 64, {}, {{"loss", "ce", 100, 1.8, 1.9}}, {}, {}, 0.5};
    const Measurement before{"run1", 400, 1.7e9, {MuteHead{"a", 2}, CutCarry{"b"}}, report};
    const Measurement after = Measurement::parse(before.toJson());
    EXPECT_EQ(after.question(), "mute a:2; cut_carry b, test, 64");
    EXPECT_EQ(after.interventions, before.interventions);
    EXPECT_EQ(std::get<EffectReport>(after.report).metrics.at(0).intervened, 1.9);
    EXPECT_TRUE(after.isWorthKeeping());
    EXPECT_FALSE((Measurement{"run1", 400, 0, {}, EffectReport{}}).isWorthKeeping());
    EXPECT_FALSE((Measurement{"run1", 400, 0, {}, RankReport{}}).isWorthKeeping());
    EXPECT_THROW(Measurement::parse(Json::object()), std::exception);
    Measurement decoded = before;
    std::get<EffectReport>(decoded.report).metrics.push_back({"bleu", "nrefs:1", 64, 10, 9});
    EXPECT_NE(decoded.key(), before.key()) << "neither takes the place of the other";
}

}  // namespace
}  // namespace heddle
