// SPDX-License-Identifier: Apache-2.0
// In how few shapes the batches of real corpora come: which steps a device could replay. The steps themselves do nothing.
#include "engine/data/batching/batch.h"
#include "engine/data/batching/prefetcher.h"
#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/train/loop/setup.h"
#include "engine/train/step/captured_steps.h"
#include "tests/unit/engine/data/temp_folder.h"
#include "tests/unit/engine/replaying_graph.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::realData;

constexpr std::int64_t kEpochs = 3, kMultiple = 8, kMaxLen = 128;

RunSpec specOf(const std::string& task, std::int64_t tokens) {
    RunSpec spec;
    spec.variant = VariantSpec::parse({{"preset", task == "mlm" ? "bert-base" : "eau-base"}, {"dims", {{"max_len", kMaxLen}}}},
                                      builtinCatalogue());
    spec.data.task = task;
    spec.data.tokenizer.kind = TokenizerKind::Words;
    spec.data.tokenizer.minCount = 2;
    spec.train.batchTokens = tokens;
    return spec;
}

struct Shares {
    std::vector<double> replayed;  ///< of the steps of each epoch
    double padding = 0;            ///< share of the positions that are read or written
    StepsCaptured counts;
};

/// Plans and makes the batches of some epochs, as a run on a GPU does.
Shares sharesOf(const RunSpec& spec) {
    const testing_support::TempFolder cache;
    const RunData data = loadRunData(spec, {cache.path(), ""}, {});
    const std::unique_ptr<Task> task = makeTask(spec, data);
    CapturedSteps steps(test::replayingGraphs(), at::kCPU, [](const StepInput&) { return StepResult{}; });
    BatchOptions options;
    options.tokens = spec.train.batchTokens;
    options.maxTokens = spec.data.task == "translation" ? kMaxLen : 0;
    Shares shares;
    std::int64_t real = 0, all = 0;
    for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
        const StepsCaptured before = steps.counts();
        for (const auto& indices : planEpoch(data.train, options, epoch)) {
            const Batch batch = roundedUp(task->makeBatch(data.train, indices, epoch), kMultiple, kMaxLen);
            const std::int64_t number = steps.counts().steps + 1;
            StepNumbers numbers{number, 1, {0.001F}};
            if (number % 20 == 0) numbers.sampled = GateWatch::sampled(batch);
            steps.run(batch, numbers);
            real += batch.sourceTokens + (batch.targetIn.empty() ? 0 : batch.labelCount);
            all += std::ssize(batch.source) + std::ssize(batch.targetIn);
        }
        const StepsCaptured after = steps.counts();
        shares.replayed.push_back(static_cast<double>(after.replays - before.replays) /
                                  static_cast<double>(after.steps - before.steps));
    }
    shares.padding = 1 - static_cast<double>(real) / static_cast<double>(all);
    shares.counts = steps.counts();
    return shares;
}

void expectMostAreReplayed(const RunSpec& spec, const std::string& name) {
    const Shares shares = sharesOf(spec);
    std::cout << name << ", batches of " << spec.train.batchTokens << " tokens: replayed";
    for (const double share : shares.replayed) std::cout << " " << 100 * share << " %";
    std::cout << " of the steps of epochs 1 to " << kEpochs << "; " << shares.counts.captures << " captures, "
              << shares.counts.evictions << " evictions, padding " << 100 * shares.padding << " %\n";
    for (std::size_t epoch = 1; epoch < shares.replayed.size(); ++epoch)
        EXPECT_GE(shares.replayed[epoch], 0.95) << "epoch " << epoch + 1;
}

// Before: the number of answers was a part of the shape, rounded to a multiple of 8; 60 of 1,136 steps were replayed.
TEST(StepShapes, OfMulti30kAreReplayed) {
    const std::string folder = realData("multi30k");
    if (folder.empty()) GTEST_SKIP() << "Multi30K is not here (HEDDLE_DATA)";
    for (const std::int64_t tokens : {1024, 2048, 4096}) {
        RunSpec spec = specOf("translation", tokens);
        spec.data.train = {folder + "/train.lc.norm.tok.en.gz", folder + "/train.lc.norm.tok.de.gz"};
        spec.data.valid = {folder + "/val.lc.norm.tok.en.gz", folder + "/val.lc.norm.tok.de.gz"};
        expectMostAreReplayed(spec, "Multi30K");
    }
}

TEST(StepShapes, OfMaskedPtbAreReplayed) {
    const std::string folder = realData("ptb");
    if (folder.empty()) GTEST_SKIP() << "the Penn Treebank is not here (HEDDLE_DATA)";
    for (const std::int64_t tokens : {2048, 4096}) {
        RunSpec spec = specOf("mlm", tokens);
        spec.data.format = "lines";
        spec.data.train = {folder + "/ptb.train.txt", ""};
        spec.data.valid = {folder + "/ptb.valid.txt", ""};
        for (const char* packing : {"lines", "blocks", "documents"}) {
            spec.data.packing = choiceNamed<Packing>(packing).value();
            expectMostAreReplayed(spec, std::string("PTB in ") + packing);
        }
    }
}

}  // namespace
}  // namespace heddle
