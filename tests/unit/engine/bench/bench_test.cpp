// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/spread.h"
#include "engine/base/error.h"
#include "engine/bench/batch_dump.h"
#include "engine/bench/process_age.h"
#include "engine/bench/workload_batches.h"
#include "engine/run/train_bench.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A file as peers.py --dump-batches writes it.
class DumpFile {
public:
    DumpFile& add(const std::string& workload, int batch, const std::string& name, const std::vector<std::int64_t>& shape,
                  const std::vector<std::int32_t>& values) {
        arrays_.push_back(
            {{"workload", workload}, {"batch", batch}, {"name", name}, {"shape", shape}, {"offset", data_.size()}});
        const std::size_t at = data_.size();
        data_.resize(at + values.size() * sizeof(std::int32_t));
        std::memcpy(data_.data() + at, values.data(), values.size() * sizeof(std::int32_t));
        data_.resize((data_.size() + 63) / 64 * 64);
        return *this;
    }
    std::string write(const TemporaryFolder& folder) const {
        std::string head = Json{{"format", "peer-batches-1"}, {"arrays", arrays_}}.dump();
        head.resize((head.size() + 64) / 64 * 64 - 1, ' ');
        std::string path = folder / "batches.bin";
        test::writeFile(path, head + "\n" + data_);
        return path;
    }

private:
    Json arrays_ = Json::array();
    std::string data_;
};

TEST(BatchDump, PairsAreReadWithTheirPadding) {
    const TemporaryFolder folder;
    DumpFile file;
    file.add("W1", 0, "src", {2, 3}, {7, 8, 9, 5, 6, 1}).add("W1", 0, "tin", {2, 2}, {2, 11, 2, 1});
    file.add("W1", 0, "tout", {2, 2}, {11, 3, 3, 1}).add("W1", 0, "src_len", {2}, {3, 2});
    const auto batches = BatchDump(file.write(folder)).batches("W1");
    ASSERT_EQ(batches.size(), 1U);
    const Batch& b = batches.front();
    EXPECT_EQ(std::tuple(b.rows, b.sourceWidth, b.targetWidth), std::tuple(2, 3, 2));
    EXPECT_THAT(b.source, ElementsAre(7, 8, 9, 5, 6, kPad));
    EXPECT_THAT(b.targetIn, ElementsAre(kSos, 11, kSos, kPad));
    EXPECT_THAT(b.positions, ElementsAre(0, 1, 2));
    EXPECT_THAT(b.labels, ElementsAre(11, kEos, kEos));
    EXPECT_EQ(std::tuple(b.sourceTokens, b.labelCount), std::tuple(5, 3));
    EXPECT_THAT(rowLengths(b).source, ElementsAre(3, 2));
    EXPECT_THAT(rowLengths(b).target, ElementsAre(2, 1));
}

TEST(BatchDump, RowsOfMaskedWordsNextWordsAndClassesAreRead) {
    const TemporaryFolder folder;
    DumpFile file;
    file.add("W3-128", 0, "ids", {1, 4}, {4, 5, 6, 7}).add("W3-128", 0, "pos", {1}, {0}).add("W3-128", 0, "lab", {1}, {9});
    file.add("W3-128", 0, "labels", {1, 4}, {9, -100, -100, -100});
    file.add("W4", 0, "ids", {1, 3}, {5, 6, 7}).add("W4", 0, "labels", {1, 3}, {6, 7, 8});
    file.add("W7", 1, "ids", {2, 2}, {5, 6, 7, 8}).add("W7", 1, "labels", {2}, {0, 14});
    const BatchDump dump(file.write(folder));
    const Batch masked = dump.batches("W3-128").front(), next = dump.batches("W4").front(),
                classes = dump.batches("W7").front();
    EXPECT_THAT(masked.positions, ElementsAre(0));
    EXPECT_THAT(masked.labels, ElementsAre(9));
    EXPECT_EQ(masked.workTokens(), 4);
    EXPECT_THAT(next.targetIn, ElementsAre(5, 6, 7));
    EXPECT_THAT(next.positions, ElementsAre(0, 1, 2));
    EXPECT_EQ(next.workTokens(), 3);
    EXPECT_THAT(rowLengths(next).source, ElementsAre(3));
    EXPECT_THAT(classes.labels, ElementsAre(0, 14));
    EXPECT_TRUE(classes.positions.empty());
    EXPECT_EQ(classes.workTokens(), 4);
}

TEST(BatchDump, WhatDoesNotFitIsToldWithTheFile) {
    const TemporaryFolder folder;
    const auto told = [](const auto& action) -> std::string {
        try {
            action();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::InvalidInput);
            return error.problem() + " | " + error.where() + " | " + error.next();
        }
        return "nothing";
    };
    DumpFile file;
    file.add("W1", 0, "src", {1, 2}, {5, 6});
    const std::string path = file.write(folder);
    EXPECT_THAT(told([&] { BatchDump(path).batches("W6"); }), HasSubstr("no batches of workload \"W6\" | " + path));
    EXPECT_THAT(told([&] { BatchDump(path).batches("W1"); }), HasSubstr("array \"tin\" is missing"));
    test::writeFile(path, test::readFile(path).substr(0, test::readFile(path).size() - 60));
    EXPECT_THAT(told([&] { BatchDump(path).batches("W1"); }), HasSubstr("truncated"));
    test::writeFile(path, "{\"format\":\"other\"}\n");
    EXPECT_THAT(told([&] { BatchDump dump(path); }), HasSubstr("not of format peer-batches-1"));
    EXPECT_THAT(told([&] { BatchDump dump(folder / "none"); }), HasSubstr("cannot read"));
}

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
    EXPECT_TRUE(row.generated);
    EXPECT_THAT(said.back(), HasSubstr("repeat 2 of 2"));
}

TEST(TrainBench, TrainsOnTheBatchesOfAFile) {
    const TemporaryFolder folder;
    DumpFile file;
    file.add("W7", 0, "ids", {2, 3}, {5, 6, 7, 8, 9, 10}).add("W7", 0, "labels", {2}, {0, 14});
    TrainBenchRequest request;
    request.workload = findWorkload("W7", WorkloadSize::Full);
    request.batches = file.write(folder);
    request.device = "cpu";
    request.repeats = request.steps = request.warmup = 1;
    const TrainBenchRow row = test::createEngine()->benchTraining(request);
    EXPECT_FALSE(row.generated);
    EXPECT_EQ(row.tokensPerStep, 6);
    EXPECT_EQ(row.steps, 1);
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
