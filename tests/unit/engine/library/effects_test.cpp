// SPDX-License-Identifier: Apache-2.0
#include "engine/library/effects.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace heddle {
namespace {

/// 60 sentences of ten words; `fewer` matching words in every second one, and one fewer in the others.
TaskMetrics bleuTask(std::int64_t fewer) {
    TaskMetrics task;
    for (std::int64_t i = 0; i < 60; ++i) {
        const std::int64_t lost = fewer == 0 ? 0 : (i % 2 == 0 ? fewer : 1);
        task.bleuSentences.push_back({{9 - lost, 7 - lost, 5 - lost, 4 - lost + i % 3}, {10, 9, 8, 7}, 10, 10});
    }
    task.bleuSmooth = "exp";
    return task;
}

std::vector<EvaluationDone::Value> valuesOf(double bleu) {
    EvaluationDone::Value value;
    value.metric = "bleu";
    value.value = bleu;
    return {value};
}

/// The interval of BLEU has the level 95 % alone, which is none for all changes of a ranking together.
TEST(Effects, ARankingHasNoSimultaneousIntervalOfBleu) {
    const TaskMetrics before = bleuTask(0), after = bleuTask(2);
    const std::vector<EvaluationDone::Value> high = valuesOf(60), low = valuesOf(40);
    const std::vector<SentenceLoss> none;
    const MeasuredModel trained{high, none, before}, intervened{low, none, after};
    const std::vector<MetricEffect> effects = metricEffects(trained, intervened, 12);
    ASSERT_EQ(effects.size(), 1U);
    ASSERT_TRUE(effects[0].interval) << effects[0].whyNoInterval;
    EXPECT_FALSE(effects[0].simultaneous);
}

}  // namespace
}  // namespace heddle
