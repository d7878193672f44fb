// SPDX-License-Identifier: Apache-2.0
// Muon beside torch.optim.Muon, and which parameters are whose.
#include "engine/train/step/muon.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/model/builder.h"
#include "engine/train/step/optimizer.h"
#include "engine/train/step/parameter_groups.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kMatrix = "encoder.layers.0.self.scorer.q.weight";

/// The weights (step 0) and gradients of tests/oracle/muon_oracle.py.
at::Tensor matrixOf(std::int64_t rows, std::int64_t columns, double (*of)(double), int step) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
        const auto at = static_cast<double>(i);
        values.push_back(of(0.37 * at + 1.3 * step + 0.011 * at * at + 0.5 * static_cast<double>(i % 3) * step));
    }
    return at::tensor(values).to(at::kFloat).view({rows, columns});
}

ParameterStore makeMuonStore() { return {1, makeInit(testing_support::resolveTiny().globals.at("init"))}; }

at::Tensor declareMatrix(ParameterStore& store, const std::string& path, at::IntArrayRef sizes) {
    const at::Tensor matrix = store.declare(path, sizes, {Initial::Kind::Zeros});
    store.noteFactor(matrix);
    return matrix;
}

TrainSpec muonSpec() {
    TrainSpec spec;
    spec.optimizer = OptimizerKind::Muon;
    spec.clip = 0;
    return spec;
}

/// The weights after the oracle's steps.
at::Tensor trainedAs(const Json& wanted, int steps, Precision precision) {
    const std::int64_t rows = wanted.at("rows"), columns = wanted.at("columns");
    ParameterStore store = makeMuonStore();
    const at::Tensor matrix = declareMatrix(store, kMatrix, {rows, columns});
    {
        const at::NoGradGuard noGrad;
        matrix.copy_(matrixOf(rows, columns, std::sin, 0));
    }
    TrainSpec spec = muonSpec();
    spec.precision = precision;
    spec.weightDecay = wanted.at("weight_decay");
    spec.muon.momentum = wanted.at("momentum");
    spec.muon.nesterov = wanted.at("nesterov");
    spec.muon.scale = choiceNamed<MuonScale>(wanted.at("scale").get<std::string>()).value();
    Optimizer optimizer(store, spec);
    for (int step = 1; step <= steps; ++step) {
        matrix.mutable_grad() = matrixOf(rows, columns, std::cos, step);
        optimizer.update(0.002 * step, at::zeros({}));
    }
    return matrix.detach().to(at::kDouble);
}

TEST(Muon, TwentyUpdatesAreThoseOfTorch) {
    const Json golden = readJsonFile(HEDDLE_SOURCE_DIR "/tests/oracle/muon.json");
    ASSERT_EQ(golden.at("cases").size(), 4U);
    for (const Json& wanted : golden.at("cases")) {
        const at::Tensor values = verify::tensorFromJson(wanted.at("values"), at::TensorOptions(at::kDouble));
        const auto difference = [&](Precision precision) {
            return (trainedAs(wanted, golden.at("steps"), precision) - values).abs().max().item<double>();
        };
        EXPECT_LT(difference(Precision::Float32), 1e-6) << wanted.at("rows");
        // As far from exact products as torch, which multiplies in bfloat16.
        EXPECT_LT(difference(Precision::BFloat16), 2 * wanted.at("bfloat16").get<double>()) << wanted.at("rows");
        EXPECT_GT(difference(Precision::BFloat16), 1e-5) << wanted.at("rows");
    }
}

TEST(Muon, MatricesBecomeNearlyOrthogonal) {
    const at::Tensor one = matrixOf(5, 9, std::sin, 1);
    const at::Tensor wide_NRC = at::stack({one, -3 * one});
    const at::Tensor made_NRC = orthogonalised(wide_NRC, 5, at::kFloat);
    const at::Tensor gram_RR = at::mm(made_NRC[0], made_NRC[0].t());
    EXPECT_GT(gram_RR.diagonal().min().item<double>(), 0.3);
    EXPECT_LT(gram_RR.diagonal().max().item<double>(), 1.6);
    EXPECT_LT((made_NRC[0] + made_NRC[1]).abs().max().item<double>(), 1e-4) << "of the length nothing is left";
    const at::Tensor tall_NCR = orthogonalised(wide_NRC.transpose(1, 2), 5, at::kFloat);
    EXPECT_LT((tall_NCR.transpose(1, 2) - made_NRC).abs().max().item<double>(), 1e-6);
    EXPECT_EQ(orthogonalised(at::zeros({1, 2, 3}), 5, at::kFloat).abs().max().item<double>(), 0);
}

TEST(Muon, MatricesOfOneShapeDoNotMix) {
    const auto trained = [](const std::vector<std::string>& paths) {
        ParameterStore store = makeMuonStore();
        for (std::size_t i = 0; i < paths.size(); ++i)
            declareMatrix(store, paths[i], {4, 6}).mutable_grad() = matrixOf(4, 6, std::cos, static_cast<int>(paths[i].size()));
        Optimizer optimizer(store, muonSpec());
        optimizer.update(0.1, at::zeros({}));
        return store.find(paths.front()).detach().clone();
    };
    const std::string other = "encoder.layers.10.self.value.v.weight";
    EXPECT_LT((trained({kMatrix}) - trained({kMatrix, other})).abs().max().item<double>(), 1e-6);
}

TEST(Muon, LeavesEverythingAloneWhenTheGradientIsNotFinite) {
    ParameterStore store = makeMuonStore();
    const at::Tensor matrix = declareMatrix(store, kMatrix, {3, 4});
    Optimizer optimizer(store, muonSpec());
    matrix.mutable_grad() = matrixOf(3, 4, std::cos, 1);
    optimizer.update(0.1, at::zeros({}));
    const at::Tensor before = matrix.detach().clone(),
                     momentum = optimizer.state().at(std::string(kMatrix) + ".momentum").clone();
    matrix.mutable_grad() = at::full({3, 4}, std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(optimizer.update(0.1, at::zeros({})).notFinite.item<float>(), 1);
    EXPECT_TRUE(at::equal(matrix.detach(), before));
    EXPECT_TRUE(at::equal(optimizer.state().at(std::string(kMatrix) + ".momentum"), momentum));
}

/// A store with a parameter of each kind.
ParameterStore makeStoreOfKinds() {
    ParameterStore store = makeMuonStore();
    declareMatrix(store, "embed.weight", {5, 4});
    declareMatrix(store, kMatrix, {4, 4});
    declareMatrix(store, "encoder.layers.0.self.residual.gate.weight", {1, 4});
    store.declare("encoder.layers.0.self.normaliser.before.weight", {2, 2}, {Initial::Kind::Zeros});
    declareMatrix(store, "encoder.layers.1.ffn.ffn.in.bias", {4});
    declareMatrix(store, "head.weight", {5, 4});
    return store;
}

TEST(ParameterGroups, KindsOfParameters) {
    const ParameterStore store = makeStoreOfKinds();
    std::vector<std::string> kinds;
    for (const ParameterSettings& one : parameterSettings(store, muonSpec())) {
        kinds.push_back(wordOf(one.kind));
        EXPECT_EQ(one.isMuons, one.path == kMatrix);
    }
    EXPECT_THAT(kinds, ElementsAre("embeddings", "matrices", "vectors", "vectors", "vectors", "head"));
    Optimizer optimizer(store, muonSpec());
    const NamedTensors state = optimizer.state();
    EXPECT_EQ(state.count(std::string(kMatrix) + ".momentum"), 1U);
    EXPECT_EQ(state.count(std::string(kMatrix) + ".exp_avg"), 0U);
    EXPECT_EQ(state.count("head.weight.exp_avg_sq"), 1U);
    EXPECT_EQ(state.size(), 1 + 1 + 2 * 5U) << "counter, Muon's, AdamW's";
}

TEST(ParameterGroups, TheFirstEntryThatFitsCounts) {
    const ParameterStore store = makeStoreOfKinds();
    TrainSpec spec;
    spec.weightDecay = 0.1;
    spec.groups = {{"*.ffn.*", 3, 1}, {"vectors", 1, 0}, {"embeddings", 0.5, 2}};
    spec.start.layerDecay = 0.5;
    std::map<std::string, std::pair<double, double>> found;
    for (const ParameterSettings& one : parameterSettings(store, spec)) {
        found[one.path] = {one.rate, one.weightDecay};
        EXPECT_FALSE(one.isMuons);
    }
    EXPECT_EQ(found.at("encoder.layers.1.ffn.ffn.in.bias"), (std::pair{3 * 0.5, 0.1}));
    EXPECT_EQ(found.at("encoder.layers.0.self.residual.gate.weight"), (std::pair{0.25, 0.0}));
    EXPECT_EQ(found.at("embed.weight"), (std::pair{0.5 * 0.125, 0.2}));
    EXPECT_EQ(found.at("head.weight"), (std::pair{1.0, 0.1}));

    spec.groups = {{"vectors", 1, 1}, {"encoder.*.bias", 2, 1}};
    EXPECT_NO_THROW(parameterSettings(store, spec)) << "the second entry is in the first one's shadow, but fits";
    spec.groups = {{"decoder.*", 2, 1}};
    try {
        parameterSettings(store, spec);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("train.groups.0.parameters"));
        EXPECT_THAT(error.what(), HasSubstr("decoder.*"));
    }
}

TEST(ParameterGroups, AnUpdateObeysThem) {
    const auto trained = [](const TrainSpec& spec) {
        const ParameterStore store = makeStoreOfKinds();
        {
            const at::NoGradGuard noGrad;
            for (const auto& [path, tensor] : store.entries()) at::Tensor(tensor).fill_(1);
        }
        for (const auto& [path, tensor] : store.entries()) at::Tensor(tensor).mutable_grad() = at::ones_like(tensor.detach());
        Optimizer optimizer(store, spec);
        optimizer.update(0.01, at::zeros({}));
        return std::pair{store.find("head.weight").mean().item<double>(), store.find("embed.weight").mean().item<double>()};
    };
    TrainSpec spec;
    spec.weightDecay = 0.5;
    spec.groups = {{"embeddings", 2, 0}};
    const auto [head, embed] = trained(spec);  // the first step of Adam is the rate, whatever the gradient
    EXPECT_NEAR(head, 1 - 0.01 * 0.5 - 0.01, 1e-6);
    EXPECT_NEAR(embed, 1 - 0.02, 1e-6);
}

}  // namespace
}  // namespace heddle
