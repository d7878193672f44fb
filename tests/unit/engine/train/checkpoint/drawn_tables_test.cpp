// SPDX-License-Identifier: Apache-2.0
// What a model draws once and never trains is saved with its weights: SEA's random features.
#include "engine/device/torch_pch.h"
#include "engine/model/builder.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/checkpoint/named_tensors.h"
#include "tests/unit/engine/tiny_model.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace heddle {
namespace {

constexpr const char* kFeatures = "encoder.layers.0.self.selector.features";

/// A toy run whose encoder chooses by SEA.
RunSpec seaRun(const TemporaryFolder& folder) {
    RunSpec spec = test::toySpec(folder.path(), test::toyPairs(40), test::toyPairs(8));
    Json variant = test::toyVariant();
    const Json selector{{"kind", "sea"}, {"k", 2}, {"columns", 8}, {"features", 6}};
    variant["encoder"]["sublayers"] = Json::array({{{"name", "self"}, {"selector", selector}}, {{"name", "ffn"}}});
    spec.variant = VariantSpec::parse(variant, builtinCatalogue());
    spec.train.epochs = 0;
    spec.train.steps = 20;
    spec.record.probes = 0;
    return spec;
}

TEST(SeaFeatures, AreSavedSoThatTheWeightsCountWhateverTheSeed) {
    const TemporaryFolder folder;
    const RunSpec spec = seaRun(folder);
    test::RecordingSink sink;
    Mailbox mailbox;
    test::createEngine()->train(test::toyRequest(spec, folder.path(), "run"), sink, mailbox);
    const std::string checkpoint = folder / "run/step-20";
    ASSERT_TRUE(readCheckpointWeights(checkpoint).contains(kFeatures));

    const auto measured = [&](std::uint64_t seed) {
        EvaluationRequest request{
            .spec = spec, .checkpointFolder = checkpoint, .cacheFolder = folder / "cache", .device = "cpu"};
        request.spec.seed = seed;
        std::map<std::string, double> values;
        for (const auto& value : test::createEngine()->evaluate(request).measured.values)
            if (!value.metric.starts_with("decode_")) values[value.metric] = value.value;  // those are times
        return values;
    };
    const auto values = measured(spec.seed);
    EXPECT_NEAR(values.at("loss"), sink.metric("valid", "loss").back(), 1e-6) << "as in training";
    EXPECT_EQ(measured(spec.seed + 1), values);

    const auto translated = [&](std::uint64_t seed) {
        RunSpec other = spec;
        other.seed = seed;
        DecodeRequest request;
        for (const auto& [source, target] : test::toyPairs(4)) request.lines.push_back(source);
        std::vector<std::pair<std::string, double>> hypotheses;
        const auto session = test::createEngine()->openInference(other, folder / "run", checkpoint, "cpu");
        for (const DecodedLine& line : session->translate(request))
            hypotheses.emplace_back(line.hypotheses.front().text, line.hypotheses.front().logProbability);
        return hypotheses;
    };
    EXPECT_EQ(translated(spec.seed + 1), translated(spec.seed));
}

TEST(SeaFeatures, OfAnotherSeedWouldGiveOtherOutputs) {
    const Json sea{{"topology", "encoder"},
                   {"defaults", {{"selector", {{"kind", "sea"}, {"k", 2}, {"columns", 4}, {"features", 6}}}}}};
    const auto model = testing_support::buildTiny(sea, at::kDouble, 1), other = testing_support::buildTiny(sea, at::kDouble, 2);
    const at::Tensor words = testing_support::ids({4, 7, 8, 9, 10, 5, 6});
    const at::Tensor output = model->encode({words, {}}, {});
    NamedTensors weights;
    for (const auto& [path, tensor] : savedTensors(*model)) weights[path] = tensor.detach().clone();
    ASSERT_TRUE(weights.contains(kFeatures));
    loadWeights(*other, weights, "here");
    EXPECT_TRUE(at::equal(other->encode({words, {}}, {}), output));

    const auto without = testing_support::buildTiny(sea, at::kDouble, 2);
    std::erase_if(weights, [](const auto& named) { return named.first.ends_with(".features"); });
    loadWeights(*without, weights, "here");  // as earlier versions saved them
    EXPECT_FALSE(at::equal(without->encode({words, {}}, {}), output));
}

}  // namespace
}  // namespace heddle
