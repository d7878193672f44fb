// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/spread.h"
#include "engine/base/error.h"
#include "engine/bench/train_bench.h"
#include "engine/bench/workload_batches.h"
#include "engine/run/train_bench.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace heddle {
namespace {

using testing::HasSubstr;

TEST(WorkloadBatches, EveryWorkloadGetsItsShapesFromTheSeedAlone) {
    for (const std::string& name : workloadNames()) {
        const Workload workload = findWorkload(name, WorkloadSize::Small);
        const auto batches = generateBatches(workload, 1), again = generateBatches(workload, 1);
        ASSERT_FALSE(batches.empty()) << name;
        const Dims& dims = workload.spec.variant.resolve().dims;
        for (std::size_t i = 0; i < batches.size(); ++i) {
            const Batch& b = batches[i];
            EXPECT_EQ(b.source, again[i].source) << name;
            EXPECT_EQ(b.labels, again[i].labels) << name;
            const std::int64_t width = std::max(b.sourceWidth, b.targetWidth);
            EXPECT_LE(width, workload.width) << name;
            if (workload.lengths == Workload::Lengths::Full) {
                EXPECT_EQ(std::tuple(b.rows, width, b.workTokens()),
                          std::tuple(workload.rows, workload.width, workload.rows * workload.width))
                    << name;
            }
            if (workload.lengths == Workload::Lengths::Buckets) {
                EXPECT_LE(b.rows * width, workload.tokens) << name;
            }
            EXPECT_LT(*std::max_element(b.labels.begin(), b.labels.end()), std::max(dims.vocabTgt, dims.classes)) << name;
            EXPECT_EQ(b.labelCount, static_cast<std::int64_t>(b.labels.size())) << name;
        }
    }
}

TEST(WorkloadBatches, MixedLengthsAreThoseOfRealSentences) {
    const auto batches = generateBatches(findWorkload("W1r-bkt", WorkloadSize::Full), 1);
    double tokens = 0, rows = 0, padded = 0;
    std::set<std::int64_t> widths;
    for (const Batch& b : batches) {
        tokens += static_cast<double>(b.labelCount), rows += static_cast<double>(b.rows);
        padded += static_cast<double>(b.rows * b.targetWidth);
        widths.insert(b.targetWidth);
        EXPECT_EQ(b.sourceWidth % 8, 0);
    }
    EXPECT_NEAR(tokens / rows, 14.4, 0.3);
    EXPECT_NEAR(tokens / static_cast<double>(batches.size()), 1534, 60);  // the peers' batches have 1,534 on average
    EXPECT_EQ(widths, (std::set<std::int64_t>{16, 24, 32}));              // the others do not fill a batch
}

TEST(TrainBench, ASmallWorkloadIsMeasured) {
    TrainBenchRequest request;
    request.workload = findWorkload("W1r-bkt", WorkloadSize::Small);
    request.workload.sentences = 64;
    request.workload.tokens = 128;
    request.device = "cpu";
    request.repeats = 2;
    std::vector<std::string> said;
    request.progress = [&](const std::string& text) { said.push_back(text); };
    const TrainBenchRow row = test::createEngine()->benchTraining(request);
    EXPECT_EQ(row.workload, "W1r-bkt");
    EXPECT_EQ(row.parameters, 11066797);
    EXPECT_EQ(row.device, "cpu");
    EXPECT_GT(row.threads, 0);
    EXPECT_GT(row.stepMsLeast, 0);
    EXPECT_LE(row.stepMsLeast, row.stepMs);
    EXPECT_LE(row.stepMs, row.stepMsMost);
    EXPECT_NEAR(row.tokensPerSecond, row.tokensPerStep / row.stepMs * 1e3, 1e-6 * row.tokensPerSecond);
    EXPECT_GT(row.gflopPerStep, 0);
    EXPECT_GT(row.gemmGflops, 0);
    EXPECT_GT(row.shareOfCeiling(), 0);
    EXPECT_GT(row.peakMib, 50);
    EXPECT_GT(row.hostMs, 0);
    ASSERT_TRUE(row.startSeconds && row.firstStepSeconds);
    EXPECT_GT(*row.startSeconds, 0);
    EXPECT_GE(*row.firstStepSeconds, *row.startSeconds);
    EXPECT_GT(row.fill, 0.4);
    EXPECT_LT(row.lastLoss, row.firstLoss);  // it learns
    EXPECT_THAT(said.back(), HasSubstr("repeat 2 of 2"));
}

TEST(TrainBench, TrainsOnGivenBatches) {
    Batch batch;
    batch.rows = 2, batch.sourceWidth = 3, batch.sourceTokens = 6, batch.labelCount = 2;
    batch.source = {5, 6, 7, 8, 9, 10}, batch.labels = {0, 14};
    TrainBenchRequest request;
    request.workload = findWorkload("W7", WorkloadSize::Full);
    request.device = "cpu";
    request.repeats = request.steps = request.warmup = 1;
    const TrainBenchRow row = runTrainBench(request, {batch});
    EXPECT_EQ(row.tokensPerStep, 6);
    EXPECT_EQ(row.steps, 1);
    EXPECT_THROW(runTrainBench(request, {}), Error);
}

TEST(StepClock, MedianAndAge) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
    const auto age = processAge();
    ASSERT_TRUE(age);
    EXPECT_GE(*age, 0);
    EXPECT_LT(*age, 24 * 3600);
}

}  // namespace
}  // namespace heddle
