// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/moving_average.h"

#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/model/builder.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::Key;

/// Two trained parameters of three numbers in float64, and one that is frozen.
struct Weights {
    Weights() : store(1, makeInit(testing_support::resolveTiny().globals.at("init")), at::kDouble) {
        for (const char* path : {"a", "b", "frozen"}) {
            at::Tensor tensor = store.declare(path, {3}, {Initial::Kind::Zeros});
            tensor.requires_grad_(path != std::string("frozen"));
        }
    }
    /// As an update would.
    void set(const std::vector<double>& values) const {
        const at::NoGradGuard noGrad;
        for (const auto& [path, tensor] : store.entries()) at::Tensor(tensor).copy_(at::tensor(values, at::kDouble));
    }
    at::Tensor a() const { return store.find("a"); }
    ParameterStore store;
};

/// tests/oracle/average_oracle.py.
TEST(MovingAverage, IsTheWeightedMeanOfWhatWasTrained) {
    const Json cases =
        readJsonFile(HEDDLE_SOURCE_DIR "/tests/unit/engine/train/checkpoint/cases/average_cases.json").at("moving");
    ASSERT_EQ(cases.size(), 3U);
    for (const Json& one : cases) {
        const Weights weights;
        MovingAverage average(weights.store, one.at("decay"));
        for (std::size_t t = 0; t < one.at("weights").size(); ++t) {
            weights.set(one.at("weights").at(t).get<std::vector<double>>());
            average.add();
            const NamedTensors found = average.weights(static_cast<std::int64_t>(t) + 1);
            EXPECT_THAT(found, ElementsAre(Key("a"), Key("b")));
            const at::Tensor mean = at::tensor(one.at("means").at(t).get<std::vector<double>>(), at::kDouble);
            EXPECT_TRUE(at::allclose(found.at("b"), mean, 1e-11, 1e-12)) << one.at("decay") << " " << t << found.at("b");
        }
    }
}

TEST(MovingAverage, IsTheWeightsThemselvesBeforeTheFirstUpdate) {
    const Weights weights;
    weights.set({1, 2, 3});
    const MovingAverage average(weights.store, 0.999);
    EXPECT_TRUE(at::equal(average.weights(0).at("a"), weights.a()));
}

TEST(MovingAverage, IsUsedForAWhileAndNoBitOfTheWeightsChanges) {
    const Weights weights;
    MovingAverage average(weights.store, 0.5);
    for (const double value : {0.1, 0.7}) {
        weights.set({value, value, value});
        average.add();
    }
    const at::Tensor before = weights.a().detach().clone();
    {
        const MovingAverage::Use use(average, 2);
        EXPECT_TRUE(at::equal(weights.a(), average.weights(2).at("a")));
        EXPECT_NEAR(weights.a()[0].item<double>(), 0.5, 1e-12);  // (½ · 0.1 + 0.7) ÷ 1½
        EXPECT_EQ(weights.store.find("frozen")[0].item<double>(), 0.7);
    }
    EXPECT_TRUE(at::equal(weights.a(), before));
}

TEST(MovingAverage, ItsStateBringsItBack) {
    const Weights weights, others;
    MovingAverage average(weights.store, 0.9), again(others.store, 0.9);
    for (const double value : {0.3, 0.8, 0.4}) {
        weights.set({value, -value, 1});
        average.add();
    }
    copyInto(again.state(), average.state(), "test");
    EXPECT_TRUE(at::equal(others.a(), weights.a()));
    weights.set({5, 5, 5});
    others.set({5, 5, 5});
    average.add();
    again.add();
    EXPECT_TRUE(at::equal(again.weights(4).at("a"), average.weights(4).at("a")));
}

}  // namespace
}  // namespace heddle
