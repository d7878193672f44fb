// SPDX-License-Identifier: Apache-2.0
// The selector that estimates a mask (SEA): its golden case, and what holds whatever the numbers.
#include "engine/blocks/selector/feature_attention.h"
#include "engine/blocks/selector/key_columns.h"
#include "engine/device/device.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/model/recording_taps.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/step/step.h"
#include "engine/verify/one_block.h"
#include "engine/verify/verify.h"
#include "tests/unit/engine/tiny_model.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace heddle {
namespace {

using testing_support::buildTiny;
using testing_support::distance;
using testing_support::ids;

Json seaCase() { return readJsonFile(HEDDLE_SOURCE_DIR "/tests/oracle/sea.json"); }

/// A tiny model of one stack whose self-attentions choose by `selector`.
Json tinyWith(const std::string& topology, const Json& selector) {
    return {{"topology", topology}, {"defaults", {{"selector", selector}}}};
}

Json seaWith(const Json& params) {
    Json selector{{"kind", "sea"}, {"k", 2}, {"columns", 4}, {"features", 6}};
    selector.update(params);
    return selector;
}

at::Tensor hiddenOf(const Model& model, const at::Tensor& words, const Forward& f = {}) {
    return model.variant().encoder.empty() ? model.decode({words, {}}, {}, f) : model.encode({words, {}}, f);
}

/// "encoder.layers.<layer>.self.selector", or the decoder's.
std::string selectorPath(const Model& model, int layer) {
    return std::string(model.variant().encoder.empty() ? "decoder" : "encoder") + ".layers." + std::to_string(layer) +
           ".self.selector";
}

TEST(SeaGolden, EveryFormIsTheOneWorkedOutByNumpy) {
    std::size_t passed = 0;
    for (const VerifyCheck& check : runChecks({seaCase(), false, "", ""})) {
        EXPECT_EQ(check.status, VerifyCheck::Status::Pass) << check.name << ": " << check.detail << ", " << check.maxError;
        passed += check.status == VerifyCheck::Status::Pass ? 1 : 0;
    }
    EXPECT_EQ(passed, 5U * 6 * 2 + 2) << "forms, outputs and precisions, and the count";
}

TEST(SeaGolden, AWrongValueFails) {
    Json golden = seaCase();
    Json& value = golden["sea"]["outputs"]["causal_estimate"][0][1][3][2];
    value = value.get<double>() + 1e-9;
    int failed = 0;
    for (const VerifyCheck& check : runChecks({golden, false, "", ""}))
        failed += check.status == VerifyCheck::Status::Fail ? 1 : 0;
    EXPECT_EQ(failed, 1);
}

TEST(KeyColumns, EveryKeyHasAColumnAndEveryUsedColumnAKey) {
    for (std::int64_t keys = 1; keys <= 9; ++keys) {
        for (const std::int64_t width : {4, 6, 16}) {
            const at::Tensor hidden = at::ones({keys, keys}, at::kBool).triu(1);
            const KeyColumns columns(hidden, keys, width, at::kCPU);
            for (std::int64_t query = 0; query < keys; ++query) {
                std::set<std::int64_t> met;
                std::int64_t before = -1;
                for (std::int64_t key = 0; key <= query; ++key) {
                    const auto column = columns.column_b1qK[0][0][query][key].item<std::int64_t>();
                    EXPECT_EQ(column, (2 * key + 1) * width / (2 * (query + 1)));
                    EXPECT_GE(column, before) << "in the order of the keys";
                    met.insert(before = column);
                }
                EXPECT_EQ(met.size(), static_cast<std::size_t>(std::min(width, query + 1)));
                for (std::int64_t column = 0; column < width; ++column)
                    EXPECT_EQ(columns.used_b1qW[0][0][query][column].item<bool>(), met.contains(column)) << column;
            }
        }
    }
}

TEST(KeyColumns, HiddenKeysTakeNoPlace) {
    const at::Tensor hidden = at::tensor({0, 1, 0, 0, 1}).to(at::kBool).view({1, 1, 1, 5});
    const KeyColumns columns(hidden, 5, 6, at::kCPU);
    EXPECT_EQ(columns.keys_b1q1.item<std::int64_t>(), 3);
    const std::vector<std::pair<int, int>> expected{{0, 1}, {2, 3}, {3, 5}};
    for (const auto& [key, column] : expected) EXPECT_EQ(columns.column_b1qK[0][0][0][key].item<int>(), column);
    EXPECT_TRUE(at::equal(columns.real_b11K, hidden.logical_not()));
}

TEST(Features, AreOrthogonalAndFollowFromSeedAndPath) {
    const auto featuresOf = [](std::uint64_t seed, int layer) {
        const auto model = buildTiny(tinyWith("encoder", seaWith({{"features", 7}})), at::kDouble, seed);
        for (const auto& [path, table] : model->parameters().frozen())
            if (path == selectorPath(*model, layer) + ".features") return table;
        return at::Tensor();
    };
    const at::Tensor features_ME = featuresOf(1, 0);
    ASSERT_EQ(features_ME.sizes(), (at::IntArrayRef{7, 4}));
    const at::Tensor products = at::matmul(features_ME.narrow(0, 0, 4), features_ME.narrow(0, 0, 4).t());
    EXPECT_LT(distance(products, products.diagonal().diag()), 1e-12);
    EXPECT_GT(features_ME.norm(2, {1}, false).std().item<double>(), 0.1) << "lengths are drawn, too";
    EXPECT_TRUE(at::equal(features_ME, featuresOf(1, 0)));
    EXPECT_FALSE(at::equal(features_ME, featuresOf(1, 1)));
    EXPECT_FALSE(at::equal(features_ME, featuresOf(2, 0)));
}

TEST(Features, ManyOfThemGiveTheSoftmax) {
    const at::Tensor q = normal(randomKey(1, "q"), {1, 2, 5, 4}, 0, 0.7), k = normal(randomKey(1, "k"), {1, 2, 6, 4}, 0, 0.7);
    ParameterStore store = verify::emptyStore(at::kDouble);
    const at::Tensor features = ParameterScope(store, "many").declareFrozen("features", {20000, 4}, {Initial::Kind::Features});
    const at::Tensor visible = at::tensor({1, 1, 0, 1, 1, 1}).to(at::kBool).view({1, 1, 1, 6});
    const at::Tensor p = FeatureAttention{q, k, features, 0.5, visible, visible, false}.weights();
    const at::Tensor scores = at::matmul(q, k.transpose(-1, -2)) * 0.5;
    EXPECT_LT(distance(p, at::softmax(scores.masked_fill(visible.logical_not(), kHiddenScore), -1)), 0.02);
    EXPECT_LT(distance(p.sum(-1), at::ones({1, 2, 5}, at::kDouble)), 1e-12);
}

class SeaGroups : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Sea, SeaGroups, ::testing::Values("query", "causal_batch", "head", "batch"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(SeaGroups, NoFutureWordChangesAnything) {
    const std::string group = GetParam();
    if (group == "head" || group == "batch") return;  // refused under a causal mask: Rules.SelectorsChooseAmongWhatTheyMaySee
    const auto model = buildTiny(tinyWith("decoder", seaWith({{"group", group}})));
    const std::vector<std::int64_t> words{2, 7, 8, 9, 10, 5, 6, 4, 12, 7};
    const at::Tensor plain = hiddenOf(*model, at::tensor(words).unsqueeze(0));
    for (std::int64_t t = 0; t < std::ssize(words); ++t) {
        std::vector<std::int64_t> other = words;
        for (std::size_t i = static_cast<std::size_t>(t); i < other.size(); ++i) other[i] = 11;
        const at::Tensor changed = hiddenOf(*model, at::tensor(other).unsqueeze(0));
        if (t > 0) {
            EXPECT_EQ(distance(changed.narrow(1, 0, t), plain.narrow(1, 0, t)), 0) << t;
        }
        EXPECT_GT(distance(changed.narrow(1, t, 1), plain.narrow(1, t, 1)), 0) << t;
        const at::Tensor shorter = hiddenOf(*model, at::tensor(words).narrow(0, 0, t + 1).unsqueeze(0));
        EXPECT_LT(distance(shorter, plain.narrow(1, 0, t + 1)), 1e-12) << "nor does the length, " << t;
    }
}

TEST_P(SeaGroups, PaddingChangesNothing) {
    const auto model = buildTiny(tinyWith("encoder", seaWith({{"group", GetParam()}})));
    const at::Tensor plain = hiddenOf(*model, ids({4, 5, 6, 7, 8, 3}));
    const at::Tensor padded = hiddenOf(*model, at::cat({ids({4, 5, 6, 7, 8, 3, 1, 1, 1}), ids({9, 9, 4, 6, 5, 4, 8, 9, 3})}));
    EXPECT_LT(distance(plain, padded.narrow(0, 0, 1).narrow(1, 0, 6)), 1e-12);
}

TEST_P(SeaGroups, AGroupChoosesAsManyKeysAsItMay) {
    // As many columns as keys: a key each. Two of six a query, 12 of a sentence's 36 a head.
    const auto model = buildTiny(tinyWith("encoder", seaWith({{"group", GetParam()}, {"columns", 6}})));
    RecordingTaps taps;
    const Forward f{.taps = &taps};
    hiddenOf(*model, ids({4, 5, 6, 7, 8, 3}), f);
    const std::string path = selectorPath(*model, 0);
    EXPECT_NEAR(taps.seen().at(path + ".density").item<double>(), 1.0 / 3, 1e-12);
    const std::string sublayer = path.substr(0, path.rfind('.'));
    const at::Tensor kept_BHQK = taps.seen().at(sublayer + ".weight").gt(0), estimate = taps.seen().at(path + ".estimate");
    EXPECT_EQ(kept_BHQK.sum().item<std::int64_t>(), 4 * 12);
    const std::string group = GetParam();
    if (group == "query") {
        EXPECT_TRUE(kept_BHQK.sum(-1).eq(2).all().item<bool>());
    }
    if (group == "causal_batch") {
        EXPECT_TRUE(kept_BHQK.sum(-1).sum(1).eq(8).all().item<bool>());
    }
    if (group == "head") {
        EXPECT_TRUE(kept_BHQK.sum(-1).sum(-1).eq(12).all().item<bool>());
    }
    // In every group no key that was left out has a larger estimate than one that was chosen.
    const auto leastChosen = [&](at::IntArrayRef over) { return estimate.masked_fill(kept_BHQK.logical_not(), 2).amin(over); };
    const auto mostLeftOut = [&](at::IntArrayRef over) { return estimate.masked_fill(kept_BHQK, -1).amax(over); };
    const std::vector<std::int64_t> over = group == "query"          ? std::vector<std::int64_t>{3}
                                           : group == "causal_batch" ? std::vector<std::int64_t>{1, 3}
                                           : group == "head"         ? std::vector<std::int64_t>{2, 3}
                                                                     : std::vector<std::int64_t>{0, 1, 2, 3};
    EXPECT_TRUE(leastChosen(over).ge(mostLeftOut(over)).all().item<bool>());
}

TEST(Sea, WithAllKeysAndOpenScalesItIsPlainAttention) {
    for (const char* topology : {"encoder", "decoder"}) {
        for (const std::int64_t columns : {4, 16}) {
            const auto plain = buildTiny({{"topology", topology}});
            const auto model = buildTiny(tinyWith(topology, seaWith({{"k", 50}, {"columns", columns}})));
            const at::NoGradGuard noGrad;
            for (int layer = 0; layer < 2; ++layer)
                model->parameters().find(selectorPath(*model, layer) + ".scales.bias").fill_(60);
            const at::Tensor words = ids({4, 5, 6, 7, 8, 9, 10, 3});
            EXPECT_LT(distance(hiddenOf(*plain, words), hiddenOf(*model, words)), 1e-12) << topology << " " << columns;
        }
    }
}

TEST(Sea, AQueryWithoutAnyVisibleKeyGivesNumbers) {
    const auto model = buildTiny(tinyWith("encoder", seaWith(Json::object())));
    const Forward f{.training = true};
    const at::Tensor hidden = hiddenOf(*model, at::cat({ids({4, 5, 3}), ids({1, 1, 1})}), f);
    EXPECT_TRUE(hidden.isfinite().all().item<bool>());
    hidden.square().sum().backward();
    for (const auto& [path, tensor] : model->parameters().entries())
        if (tensor.grad().defined()) {
            EXPECT_TRUE(tensor.grad().isfinite().all().item<bool>()) << path;
        }
}

TEST(Sea, TheObjectivesGradientIsThatOfDifferences) {
    for (const char* topology : {"encoder", "decoder"}) {
        const auto model = buildTiny(tinyWith(topology, seaWith({{"kl_weight", 0.7}, {"mse_weight", 1.3}})));
        const at::Tensor words = at::cat({ids({4, 5, 6, 7, 8, 9, 3}), ids({4, 9, 6, 7, 3, 1, 1})});
        const std::string path = selectorPath(*model, 1);
        constexpr double kPart = 0.25;
        const Forward f{.training = true, .partOfStep = at::scalar_tensor(kPart, at::kDouble)};
        (hiddenOf(*model, words, f).sum() * 0).backward();  // the objective alone
        const auto loss = [&] {
            const at::NoGradGuard noGrad;
            RecordingTaps taps;
            const Forward watched{.taps = &taps};
            hiddenOf(*model, words, watched);
            return taps.seen().at(path + ".estimate_loss").item<double>() * kPart;
        };
        constexpr double kStep = 1e-6;
        int compared = 0;
        for (const auto& [name, tensor] : model->parameters().entries()) {
            if (!name.starts_with(path + ".") || name.find(".scales.") != std::string::npos) continue;
            const at::Tensor values = tensor.detach().view(-1), slopes = tensor.grad().view(-1);
            for (std::int64_t i = 0; i < values.numel(); i += 1 + values.numel() / 3) {
                const double before = values[i].item<double>();
                values[i].fill_(before + kStep);
                const double up = loss();
                values[i].fill_(before - kStep);
                const double down = loss();
                values[i].fill_(before);
                EXPECT_NEAR(slopes[i].item<double>(), (up - down) / (2 * kStep), 2e-8) << name << " " << i;
                ++compared;
            }
        }
        EXPECT_GT(compared, 20);
        EXPECT_FALSE(model->parameters().find(path + ".scales.weight").grad().abs().max().item<double>() > 0);
    }
}

TEST(Sea, EvaluationIsWithoutTheObjective) {
    for (const double weight : {0.0, 5.0}) {
        const auto model = buildTiny(tinyWith("encoder", seaWith({{"kl_weight", weight}, {"mse_weight", 0}})));
        for (const bool trains : {false, true}) {
            const Forward f{.training = trains};
            (hiddenOf(*model, ids({4, 5, 6, 7, 8, 9, 3}), f).sum() * 0).backward();
            const at::Tensor slope = model->parameters().find(selectorPath(*model, 1) + ".rows.weight").grad();
            EXPECT_EQ(slope.abs().max().item<double>() > 0, trains && weight > 0);
        }
    }
}

TEST(Sea, DecodingRunsTheWholePrefix) {
    EXPECT_THAT(buildTiny(tinyWith("decoder", seaWith(Json::object())))->stepObstacle(),
                ::testing::HasSubstr("decoder.layers.0.self: its selector needs whole sequences"));
}

/// A model of translation whose self-attentions choose, and its training step.
struct SeaBench {
    explicit SeaBench(double weight, const TrainSpec& spec = {}) {
        const Json self{{"name", "self"}, {"selector", seaWith({{"kl_weight", weight}, {"mse_weight", weight}})}};
        const Json cross{{"name", "cross"}}, feedForward{{"name", "ffn"}};
        const Json over{{"dims", {{"vocab_src", test::kMadeUpWords}, {"vocab_tgt", test::kMadeUpWords}}},
                        {"encoder", {{"sublayers", {self, feedForward}}}},
                        {"decoder", {{"sublayers", {self, cross, feedForward}}}}};
        model = buildTiny(over, at::kFloat, 7);
        step = std::make_unique<TrainStep>(*model, *task, spec, TrainStep::Options{7, at::kCPU, 0});
    }
    RunData data;
    RunSpec run;
    std::unique_ptr<Task> task = makeTask(run, data);
    std::unique_ptr<Model> model;
    std::unique_ptr<TrainStep> step;
};

Batch sentences(std::int64_t first, std::int64_t rows) {
    return test::madeUpBatch(first, rows, [&](std::int64_t i) { return 2 + (first + i) % 5; });
}

class SeaStep : public testing::Test {
protected:
    void SetUp() override { configureComputeThread({1, true}); }
};

TEST_F(SeaStep, TheRecordedLossIsTheTasksAlone) {
    SeaBench without(0), with(5);
    without.step->run(sentences(0, 6));
    with.step->run(sentences(0, 6));
    const StepValues a = without.step->ring().drain().front(), b = with.step->ring().drain().front();
    EXPECT_EQ(a.objective, b.objective);
    EXPECT_NE(a.gradientNorm, b.gradientNorm);
}

TEST_F(SeaStep, AccumulatedMicroBatchesEqualOneBatch) {
    TrainSpec spec;
    spec.epsilon = 1e-3;
    SeaBench whole(5, spec), parts(5, spec);
    whole.step->run(sentences(0, 6));
    parts.step->run({sentences(0, 1), sentences(1, 5)});
    const StepValues a = whole.step->ring().drain().front(), b = parts.step->ring().drain().front();
    EXPECT_NEAR(a.objective, b.objective, 1e-5);
    EXPECT_NEAR(a.gradientNorm, b.gradientNorm, 1e-4);
    for (const auto& [path, tensor] : whole.model->parameters().entries())
        EXPECT_TRUE(at::allclose(tensor, parts.model->parameters().find(path), 1e-4, 1e-5)) << path;
}

/// A toy run whose self-attentions choose; 4 pairs a batch, two micro-batches a step.
RunSpec featuresRun(const TemporaryFolder& folder) {
    RunSpec spec = test::toySpec(folder.path(), test::toyPairs(40), test::toyPairs(8));
    const Json self{{"name", "self"}, {"selector", seaWith({{"k", 3}, {"columns", 8}, {"kl_weight", 1}})}};
    const Json cross{{"name", "cross"}}, feedForward{{"name", "ffn"}};
    Json variant = test::toyVariant();
    variant["encoder"]["sublayers"] = {self, feedForward};
    variant["decoder"]["sublayers"] = {self, cross, feedForward};
    spec.variant = VariantSpec::parse(variant, builtinCatalogue());
    spec.train.accumulate = 2;
    spec.train.lr = 1e-2;
    spec.train.epochs = 0;
    spec.train.steps = 60;
    spec.train.checkpointEvery = 20;
    spec.record.histogramsEvery = 20;
    spec.record.mapsEvery = 60;
    return spec;
}

TEST(SeaRun, LearnsShowsItsEstimateAndGoesOnBitForBit) {
    const TemporaryFolder folder;
    TrainRequest request = test::toyRequest(featuresRun(folder), folder.path(), "straight");
    test::RecordingSink sink;
    Mailbox mailbox;
    test::createEngine()->train(request, sink, mailbox);
    const std::vector<float> losses = sink.series("loss");
    EXPECT_LT(losses.back(), 0.6F * losses.front());

    std::map<std::string, std::vector<double>> shown;  // of the encoder, by what it shows
    for (const auto& histogram : sink.all<HistogramTaken>())
        if (histogram.path == "encoder.layers.0.self.selector") shown[histogram.name].push_back(histogram.mean);
    ASSERT_GE(shown["estimate_loss"].size(), 3U);
    EXPECT_LT(shown["estimate_loss"].back(), shown["estimate_loss"].front());
    for (const double density : shown["density"]) EXPECT_TRUE(density > 0 && density < 1) << density;
    std::set<std::string> maps;
    for (const auto& map : sink.all<MapTaken>())
        if (map.name == "estimate") maps.insert(map.path);
    EXPECT_THAT(maps, ::testing::ElementsAre("decoder.layers.0.self.selector", "encoder.layers.0.self.selector"));

    const CheckpointWritten straight = sink.all<CheckpointWritten>().back();
    request.resumeFrom = folder / "straight/" + checkpointName(40);
    test::RecordingSink after;
    test::createEngine()->train(request, after, mailbox);
    const CheckpointWritten resumed = after.all<CheckpointWritten>().back();
    EXPECT_EQ(resumed.weightsSha256, straight.weightsSha256);
    EXPECT_EQ(resumed.optimizerSha256, straight.optimizerSha256);
}

}  // namespace
}  // namespace heddle
