// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/step.h"

#include "engine/decode/decoding.h"
#include "engine/device/device.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/train/report/gate_watch.h"
#include "engine/train/report/histogram.h"
#include "tests/unit/engine/train/train_support.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace heddle {
namespace {

ResolvedVariant tinyVariant(double dropout) {
    const Json document{
        {"preset", "eau-full"},
        {"dims", {{"d", 16}, {"f", 32}, {"heads", 2}, {"layers_enc", 1}, {"layers_dec", 1}, {"max_len", 16}}},
        {"embed", {{"dropout", dropout}}},
        {"defaults",
         {{"dropout", {{"kind", "standard"}, {"sublayer", dropout}}}, {"ffn", {{"kind", "mlp"}, {"inner_dropout", dropout}}}}}};
    return VariantSpec::parse(document, builtinCatalogue()).resolve(test::kMadeUpWords, test::kMadeUpWords);
}

/// Sentences `first` … of a made-up language, with different lengths.
Batch makeRows(std::int64_t first, std::int64_t rows) {
    return test::madeUpBatch(first, rows, [&](std::int64_t i) { return 2 + (first + i) % 3; });
}

/// A model and its step, built the same way every time.
struct Bench {
    explicit Bench(double dropout, const TrainSpec& spec = {})
        : model(buildModel(tinyVariant(dropout), 7)), step(*model, *task, spec, {7, at::kCPU, 0}) {}
    RunData data;
    RunSpec run;
    std::unique_ptr<Task> task = makeTask(run, data);
    std::unique_ptr<Model> model;
    TrainStep step;
};

class TrainStepTest : public testing::Test {
protected:
    void SetUp() override { configureComputeThread({1, true}); }
};

TEST_F(TrainStepTest, SameSeedGivesTheSameBits) {
    Bench a(0.1), b(0.1);
    for (int i = 0; i < 5; ++i) {
        a.step.run(makeRows(i, 4));
        b.step.run(makeRows(i, 4));
    }
    test::expectSameParameters(*a.model, *b.model);
    const auto valuesA = a.step.ring().drain(), valuesB = b.step.ring().drain();
    ASSERT_EQ(valuesA.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(valuesA[i].objective, valuesB[i].objective);
        EXPECT_EQ(valuesA[i].gradientNorm, valuesB[i].gradientNorm);
        EXPECT_GT(valuesA[i].gradientNorm, 0);
    }
}

TEST_F(TrainStepTest, AccumulatedMicroBatchesEqualOneBatch) {
    TrainSpec spec;
    spec.epsilon = 1e-3;  // Adam's first step would blow rounding up where gradients are near zero
    Bench whole(0, spec), parts(0, spec);
    for (const std::int64_t first : {0, 6}) {
        whole.step.run(makeRows(first, 6));
        parts.step.run({makeRows(first, 1), makeRows(first + 1, 5)});  // unequal numbers of tokens
    }
    const auto a = whole.step.ring().drain(), b = parts.step.ring().drain();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t step = 0; step < a.size(); ++step) {
        EXPECT_NEAR(a[step].objective, b[step].objective, 1e-5);
        EXPECT_NEAR(a[step].gradientNorm, b[step].gradientNorm, 1e-4);
        EXPECT_EQ(a[step].correct, b[step].correct);
    }
    for (const auto& [path, tensor] : whole.model->parameters().entries())
        EXPECT_TRUE(at::allclose(tensor, parts.model->parameters().find(path), 1e-4, 1e-5)) << path;
}

TEST_F(TrainStepTest, LearnsAndCountsWhatItGetsRight) {
    TrainSpec spec;
    spec.lr = 1e-2;
    spec.labelSmoothing = 0;
    Bench bench(0, spec);
    const Batch batch = makeRows(0, 6);
    for (int i = 0; i < 60; ++i) bench.step.run(batch);
    const auto values = bench.step.ring().drain();
    EXPECT_GT(values.front().objective, 2.0);
    EXPECT_LT(values.back().objective, 0.1);
    EXPECT_EQ(values.back().correct, static_cast<float>(batch.labelCount));
    EXPECT_NEAR(values.back().nll / static_cast<float>(batch.labelCount), values.back().objective, 1e-5);
}

TEST_F(TrainStepTest, TheRingTakesAsManyStepsAsItSays) {
    Bench bench(0);
    const Batch batch = makeRows(0, 2);
    for (std::int64_t i = 0; i < StepRing::kCapacity; ++i) bench.step.run(batch);
    EXPECT_ANY_THROW(bench.step.run(batch));
    EXPECT_EQ(static_cast<std::int64_t>(bench.step.ring().drain().size()), StepRing::kCapacity);
    bench.step.run(batch);
    EXPECT_EQ(bench.step.ring().drain().size(), 1U);
}

TEST_F(TrainStepTest, WatchingGatesChangesNoBit) {
    Bench plain(0.1), watched(0.1);
    GateWatch watch(watched.model->variant(), at::kCPU);
    ASSERT_TRUE(watch.watchesAnything());
    for (int i = 0; i < 3; ++i) {
        const Batch batch = makeRows(i, 4);
        plain.step.run(batch);
        watched.step.watchNext(watch);
        watched.step.run(batch);
    }
    test::expectSameParameters(*plain.model, *watched.model);

    test::RecordingSink sink;
    Emitter emitter(sink, "run", 1);
    watch.emit(emitter);
    std::set<std::string> gates;
    for (const auto& histogram : sink.all<HistogramTaken>()) {
        gates.insert(histogram.path + "." + histogram.name);
        std::uint64_t count = histogram.below + histogram.above + histogram.notFinite;
        for (const auto bin : histogram.bins) count += bin;
        EXPECT_GT(count, 0U);
        EXPECT_EQ(count % 16, 0U) << "whole positions of width 16";
        EXPECT_EQ(histogram.below + histogram.above + histogram.notFinite, 0U) << "gates stay in their range";
        EXPECT_GE(histogram.mean, histogram.minimum);
        EXPECT_LE(histogram.mean, histogram.maximum);
    }
    EXPECT_EQ(sink.events.front().step, 1);
    EXPECT_EQ(sink.events.back().step, 3);
    EXPECT_TRUE(gates.contains("encoder.layers.0.self.residual.gate"));
    EXPECT_TRUE(gates.contains("decoder.layers.0.ffn.residual.gate"));
    EXPECT_EQ(gates.size(), 5U + 2 * 3);  // GRC: 2 + 3; EAU: 1 + 2 with two gates each
}

TEST_F(TrainStepTest, BFloat16StaysNearFloat32) {
    TrainSpec half;
    half.precision = Precision::BFloat16;
    Bench full(0), mixed(0, half);
    for (int i = 0; i < 3; ++i) {
        full.step.run(makeRows(i, 4));
        mixed.step.run(makeRows(i, 4));
    }
    const auto a = full.step.ring().drain().back(), b = mixed.step.ring().drain().back();
    EXPECT_NEAR(a.objective, b.objective, 0.05);
    EXPECT_NE(a.objective, b.objective) << "autocast did nothing";
    for (const auto& entry : mixed.model->parameters().entries()) EXPECT_EQ(entry.tensor.scalar_type(), at::kFloat);
}

TEST_F(TrainStepTest, GreedyDecodingDoesNotDependOnTheBatch) {
    TrainSpec spec;
    spec.lr = 1e-2;
    Bench bench(0, spec);
    for (int i = 0; i < 60; ++i) bench.step.run(makeRows(0, 6));
    const std::vector<Sentence> sources{{4, 7}, {5, 8, 11}, {6, 9, 12, 15}, {7, 10}, {}};
    DecodeOptions options{at::kCPU};
    const auto together = bestTranslations(*bench.model, sources, options);
    ASSERT_TRUE(together);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        EXPECT_EQ((*bestTranslations(*bench.model, {sources[i]}, options))[0], (*together)[i]) << i;
        EXPECT_LE(static_cast<std::int64_t>((*together)[i].size()),
                  outputLimit(static_cast<std::int64_t>(sources[i].size()), 16));
        for (const auto id : (*together)[i]) EXPECT_TRUE(id != kPad && id != kSos && id != kEos);
    }
    int asked = 0;
    options.interrupted = [&] { return ++asked > 2; };
    EXPECT_FALSE(bestTranslations(*bench.model, sources, options));
}

TEST(Histogram, CountsEveryValueOnce) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    const auto values = at::tensor({0.0F, 1.0F, 0.5F, 0.999F, -0.1F, 1.1F, nan, infinity, -infinity});
    const HistogramRange range{0, 1};
    const auto row = countHistogram(values, range);
    const auto histogram = readHistogram(row.const_data_ptr<double>(), range);
    EXPECT_EQ(histogram.bins.size(), 64U);
    EXPECT_EQ(histogram.bins[0], 1U);
    EXPECT_EQ(histogram.bins[32], 1U);
    EXPECT_EQ(histogram.bins[63], 2U);  // 0.999 and 1 itself
    EXPECT_EQ(histogram.below, 1U);
    EXPECT_EQ(histogram.above, 1U);
    EXPECT_EQ(histogram.notFinite, 3U);
    EXPECT_NEAR(histogram.mean, (1 + 0.5 + 0.999 - 0.1 + 1.1) / 6, 1e-6);
    EXPECT_FLOAT_EQ(static_cast<float>(histogram.minimum), -0.1F);
    EXPECT_FLOAT_EQ(static_cast<float>(histogram.maximum), 1.1F);
}

TEST(Histogram, InOnePassIsThatOfTheOperators) {
    const HistogramRange range{-1.5, 2};
    const at::Tensor values = normal(randomKey(3, "histogram"), {3, 70001}, 0, 1.5).to(at::kFloat);  // more than one run
    const at::Tensor row = countHistogram(values, range), byOperators = countHistogramByOperators(values, range);
    const std::int64_t counts = kHistogramBins + 3;
    EXPECT_TRUE(at::equal(row.narrow(0, 0, counts), byOperators.narrow(0, 0, counts)));
    EXPECT_TRUE(at::allclose(row, byOperators, 1e-10, 1e-10));
}

TEST(OutputLimit, GrowsWithTheSourceUpToMaxLen) {
    EXPECT_EQ(outputLimit(3, 128), 16);
    EXPECT_EQ(outputLimit(100, 128), 128);
}

}  // namespace
}  // namespace heddle
