// SPDX-License-Identifier: Apache-2.0
// The length of updates beside that of weights.
#include "engine/train/report/update_watch.h"

#include "engine/device/torch_pch.h"
#include "engine/model/builder.h"
#include "tests/unit/engine/tiny_model.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace heddle {
namespace {

using testing::ElementsAre;

std::map<std::string, SeriesBlock> ratiosIn(const test::RecordingSink& sink) {
    std::map<std::string, SeriesBlock> found;
    for (const StepBlock& block : sink.all<StepBlock>())
        for (const SeriesBlock& series : block.series)
            if (series.name == "update_ratio") found[series.path] = series;
    return found;
}

TEST(UpdateWatch, RatiosByHand) {
    ParameterStore store(1, makeInit(testing_support::resolveTiny().globals.at("init")));
    const at::Tensor matrix = store.declare("encoder.layers.0.ffn.ffn.in.weight", {2, 2}, {Initial::Kind::Ones});
    const at::Tensor bias = store.declare("encoder.layers.0.ffn.ffn.in.bias", {5}, {Initial::Kind::Ones});
    const at::Tensor frozen = store.declare("encoder.layers.1.ffn.ffn.in.weight", {2, 2}, {Initial::Kind::Ones});
    at::Tensor(frozen).set_requires_grad(false);
    UpdateWatch watch(store, 10);
    EXPECT_TRUE(watch.isDue(20));
    EXPECT_FALSE(watch.isDue(25));
    EXPECT_FALSE(UpdateWatch(store, 0).isDue(20));
    const at::NoGradGuard noGrad;
    for (const double change : {0.5, 0.0}) {
        watch.begin();
        matrix.add_(change);
        bias.sub_(2 * change);
        watch.end(change > 0 ? 10 : 20);
    }
    test::RecordingSink sink;
    Emitter emitter(sink, "run", 1);
    watch.emit(emitter);
    const auto found = ratiosIn(sink);
    EXPECT_EQ(found.size(), 4U) << "a matrix, its module, layer and stack; not the bias, nothing that is frozen";
    EXPECT_THAT(found.at("encoder.layers.0.ffn.ffn.in.weight").values, ElementsAre(0.5F, 0));
    const auto whole = static_cast<float>(std::sqrt((4 * 0.25 + 5 * 1.0) / 9));
    for (const char* path : {"encoder.layers.0.ffn.ffn", "encoder.layers.0", "encoder"}) {
        EXPECT_THAT(found.at(path).values, ElementsAre(testing::FloatEq(whole), 0)) << path;
        EXPECT_EQ(found.at(path).firstStep, 10);
        EXPECT_EQ(found.at(path).stride, 10);
    }
    watch.emit(emitter);
    EXPECT_EQ(sink.all<StepBlock>().size(), 1U) << "nothing is left";
}

TEST(UpdateWatch, ARunHasThemAndTrainsToTheSameBits) {
    const auto train = [](std::int64_t every) {
        test::Attempt attempt(20, 4);
        attempt.spec.record.healthEvery = every;
        attempt.spec.train.epochs = 2;
        attempt.spec.record.probes = 0;
        attempt.run();
        return std::pair{ratiosIn(attempt.sink), attempt.sink.all<CheckpointWritten>().back().weightsSha256};
    };
    const auto [none, plain] = train(0);
    const auto [ratios, watched] = train(2);
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(watched, plain);
    const SeriesBlock& encoder = ratios.at("encoder");
    EXPECT_EQ(encoder.values.size(), 3U) << "those of the second epoch";
    for (const float ratio : encoder.values) EXPECT_TRUE(ratio > 0 && ratio < 1) << ratio;
}

}  // namespace
}  // namespace heddle
