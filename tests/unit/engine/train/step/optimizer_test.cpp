// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/optimizer.h"
#include "engine/base/error.h"

#include "engine/device/torch_pch.h"
#include "engine/model/builder.h"
#include "engine/spec/schedules.h"
#include "tests/unit/engine/tiny_model.h"
#include "tests/unit/engine/train/train_support.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace heddle {
namespace {

/// Adam and AdamW as the papers write them, one number at a time, in double.
struct ScalarAdam {
    const TrainSpec& spec;
    double mean = 0, square = 0;
    int step = 0;

    double update(double parameter, double gradient, double lr) {
        ++step;
        if (spec.optimizer == OptimizerKind::AdamW)
            parameter -= lr * spec.weightDecay * parameter;
        else
            gradient += spec.weightDecay * parameter;
        mean = spec.betas[0] * mean + (1 - spec.betas[0]) * gradient;
        square = spec.betas[1] * square + (1 - spec.betas[1]) * gradient * gradient;
        const double meanHat = mean / (1 - std::pow(spec.betas[0], step)),
                     squareHat = square / (1 - std::pow(spec.betas[1], step));
        return parameter - lr * meanHat / (std::sqrt(squareHat) + spec.epsilon);
    }
};

constexpr std::array<double, 3> kStart{0.5, -1.25, 2.0};

/// A store of two parameters (two elements and one) with the values of kStart.
ParameterStore makeStore() {
    ParameterStore store(1, makeInit(testing_support::resolveTiny().globals.at("init")));
    const at::NoGradGuard noGrad;
    store.declare("a", {2}, {Initial::Kind::Zeros}).copy_(at::tensor({kStart[0], kStart[1]}));
    store.declare("b", {1}, {Initial::Kind::Zeros}).copy_(at::tensor({kStart[2]}));
    return store;
}

void setGradients(const ParameterStore& store, const std::array<double, 3>& values) {
    store.find("a").mutable_grad() = at::tensor({values[0], values[1]}).to(at::kFloat);
    store.find("b").mutable_grad() = at::tensor({values[2]}).to(at::kFloat);
}

std::array<double, 3> parameters(const ParameterStore& store) {
    const auto all = at::cat({store.find("a").detach(), store.find("b").detach()}).to(at::kDouble);
    return {all[0].item<double>(), all[1].item<double>(), all[2].item<double>()};
}

void expectEqualsReference(const TrainSpec& spec) {
    const ParameterStore store = makeStore();
    Optimizer optimizer(store, spec);
    std::array<ScalarAdam, 3> reference{ScalarAdam{spec}, ScalarAdam{spec}, ScalarAdam{spec}};
    auto expected = kStart;
    for (int step = 1; step <= 20; ++step) {
        const std::array<double, 3> gradient{std::sin(step) * 2, 0.3 * step, -1.0 / step};
        const double norm = std::sqrt(gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2]);
        const double factor = spec.clip > 0 ? std::min(1.0, spec.clip / (norm + 1e-6)) : 1.0;
        setGradients(store, gradient);
        const double lr = 0.01 * step;
        const auto update = optimizer.update(lr, at::zeros({}));
        EXPECT_NEAR(update.gradientNorm.item<double>(), norm, 1e-6 * norm);
        EXPECT_EQ(update.notFinite.item<float>(), 0);
        for (std::size_t i = 0; i < 3; ++i) expected[i] = reference[i].update(expected[i], gradient[i] * factor, lr);
    }
    const auto actual = parameters(store);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], expected[i], 2e-5) << i;
    EXPECT_FALSE(store.find("a").grad().defined());
}

TrainSpec specWith(OptimizerKind optimizer, double clip) {
    TrainSpec spec;
    spec.optimizer = optimizer;
    spec.weightDecay = 0.1;
    spec.clip = clip;
    return spec;
}

TEST(Optimizer, AdamWEqualsTheScalarReference) { expectEqualsReference(specWith(OptimizerKind::AdamW, 0)); }
TEST(Optimizer, AdamEqualsTheScalarReference) { expectEqualsReference(specWith(OptimizerKind::Adam, 0)); }
TEST(Optimizer, ClipsByTheGlobalNorm) {
    expectEqualsReference(specWith(OptimizerKind::AdamW, 1.0));  // clips at every step
    expectEqualsReference(specWith(OptimizerKind::Adam, 3.0));   // clips some
}

TEST(Optimizer, LeavesEverythingAloneWhenTheGradientIsNotFinite) {
    const ParameterStore store = makeStore();
    Optimizer optimizer(store, specWith(OptimizerKind::AdamW, 1.0));
    setGradients(store, {1, std::numeric_limits<double>::quiet_NaN(), 1});
    EXPECT_EQ(optimizer.update(0.1, at::zeros({})).notFinite.item<float>(), 1);
    EXPECT_EQ(parameters(store), kStart);
    EXPECT_EQ(optimizer.state().at("a.exp_avg").abs().sum().item<float>(), 0);

    setGradients(store, {1, 1, 1});
    EXPECT_EQ(optimizer.update(0.1, at::full({}, std::numeric_limits<double>::infinity())).notFinite.item<float>(), 1);
    EXPECT_EQ(parameters(store), kStart);
}

TEST(Optimizer, LowerLayersLearnMoreSlowlyWhereToldSo) {
    ParameterStore store(1, makeInit(testing_support::resolveTiny().globals.at("init")));
    const std::vector<std::string> paths{"embed.weight", "encoder.layers.0.ffn.weight", "encoder.layers.1.ffn.weight",
                                         "head.weight"};
    for (const std::string& path : paths) store.declare(path, {1}, {Initial::Kind::Zeros}).mutable_grad() = at::ones({1});
    TrainSpec spec = specWith(OptimizerKind::Adam, 0);
    spec.weightDecay = 0;
    spec.start.layerDecay = 0.5;
    Optimizer optimizer(store, spec);
    optimizer.update(0.01, at::zeros({}));
    for (std::size_t i = 0; i < paths.size(); ++i)  // the first step of Adam is the rate, whatever the gradient
        EXPECT_NEAR(store.find(paths[i]).item<double>(), -0.01 * std::pow(0.5, 3 - static_cast<double>(i)), 1e-6) << paths[i];
}

TEST(Optimizer, SkipsParametersWithoutGradient) {
    const ParameterStore store = makeStore();
    Optimizer optimizer(store, specWith(OptimizerKind::AdamW, 1.0));
    store.find("b").mutable_grad() = at::ones({1});
    optimizer.update(0.1, at::zeros({}));
    EXPECT_EQ(parameters(store)[0], kStart[0]);
    EXPECT_NE(parameters(store)[2], kStart[2]);
}

TEST(Optimizer, RestoreIsAllOrNothing) {
    const ParameterStore store = makeStore();
    Optimizer optimizer(store, specWith(OptimizerKind::AdamW, 1.0));
    setGradients(store, {1, 2, 3});
    optimizer.update(0.1, at::zeros({}));
    NamedTensors state;
    for (const auto& [name, tensor] : optimizer.state()) state[name] = tensor.clone();

    Optimizer other(store, specWith(OptimizerKind::AdamW, 1.0));
    auto broken = state;
    broken.erase("b.exp_avg_sq");
    EXPECT_THROW(other.restore(broken, "file"), Error);
    broken = state;
    broken["extra"] = at::zeros({1});
    EXPECT_THROW(other.restore(broken, "file"), Error);
    broken = state;
    broken["b.exp_avg_sq"] = at::zeros({2});
    EXPECT_THROW(other.restore(broken, "file"), Error);
    EXPECT_EQ(other.state().at("step").item<float>(), 0);
    other.restore(state, "file");
    for (const auto& [name, tensor] : other.state()) EXPECT_TRUE(at::equal(tensor, state.at(name))) << name;
}

}  // namespace
}  // namespace heddle
