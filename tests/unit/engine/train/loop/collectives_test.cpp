// SPDX-License-Identifier: Apache-2.0
// What a run of several processes sends, counted; resources/help/parallel.md has the same numbers. The processes are threads.
#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"
#include "engine/train/loop/processes.h"
#include "engine/train/loop/trainer.h"
#include "tests/unit/engine/parallel/counting_group.h"
#include "tests/unit/engine/parallel/ranks.h"
#include "tests/unit/engine/train/train_support.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace heddle {
namespace {

/// A model in training.
struct TrainedModel {
    const char* name;
    const char* variant;
    const char* task;
};

/// What the processes of a run sent, by rank, and the sizes of what they train.
struct Sent {
    std::vector<std::vector<test::Collectives>> atSteps;
    std::vector<std::int64_t> parameters;  ///< numbers in each trained tensor, in the model's order
    std::int64_t tensors = 0, bytes = 0;   ///< of weights and optimizer together
};

RunSpec specOf(const TrainedModel& model, const TemporaryFolder& folder, int size) {
    RunSpec spec = test::toySpec(folder.path(), test::toyPairs(40), test::toyPairs(4));
    spec.variant = VariantSpec::parse(Json::parse(model.variant), builtinCatalogue());
    spec.data.task = model.task;
    if (spec.data.task == "classify") spec.data.format = "generated/agreement";
    spec.data.generated = {.train = 40, .valid = 4, .test = 4};
    spec.train.accumulate = size;
    spec.train.epochs = 0;
    spec.train.steps = 3;
    spec.record.probes = 0;
    return spec;
}

/// Trains with so many processes.
Sent train(const TrainedModel& model, int size) {
    const TemporaryFolder folder;
    const TrainRequest request = test::toyRequest(specOf(model, folder, size), folder.path(), "run");
    Sent sent;
    sent.atSteps.resize(static_cast<std::size_t>(size));
    std::mutex mutex;
    test::onRanks(size, [&](Group& real) {
        const auto group = std::make_shared<test::CountingGroup>(real);
        TrainRequest own = request;
        own.processes = group->place();
        test::RecordingSink sink;
        Emitter emitter(sink, own.runId, own.attempt);
        Mailbox mailbox;
        Control control(mailbox, emitter);
        control.setState(RunState::Preparing, "test");
        Setup setup = prepareTogether(group, own, [&] { return prepareTraining(own, emitter, [] { return false; }); });
        Trainer trainer(own, setup, emitter, control);
        trainer.run();
        const std::lock_guard lock(mutex);
        sent.atSteps[static_cast<std::size_t>(group->place().rank)] = group->atSteps;
        if (!group->isLeader()) return;
        for (const auto& [path, tensor] : setup.model->parameters().entries())
            if (tensor.requires_grad()) sent.parameters.push_back(tensor.numel());
        TrainStep fresh(*setup.model, *setup.task, own.spec.train, {});
        NamedTensors all = fresh.state();
        for (const auto& [path, tensor] : setup.model->parameters().entries()) all["weight " + path] = tensor;
        for (const auto& [path, tensor] : all) {
            ++sent.tensors;
            sent.bytes += static_cast<std::int64_t>(tensor.nbytes());
        }
    });
    return sent;
}

/// The bytes that a step sums: float32 numbers, each tensor and the three sums of the step rounded up to 16.
std::int64_t summedBytes(const std::vector<std::int64_t>& parameters) {
    const auto rounded = [](std::int64_t count) { return (count + 15) / 16 * 16; };
    std::int64_t count = rounded(3);
    for (const std::int64_t parameter : parameters) count += rounded(parameter);
    return count * std::int64_t{sizeof(float)};
}

class CollectivesOfAStep : public testing::TestWithParam<TrainedModel> {};

TEST_P(CollectivesOfAStep, AreThoseOfTheFormula) {
    constexpr std::int64_t kWord = 40;  // bytes of a word of rank 0, and of an offer to it
    for (const int size : {2, 4}) {
        const Sent sent = train(GetParam(), size);
        const std::int64_t bytes = summedBytes(sent.parameters), tensors = std::ssize(sent.parameters);
        for (int rank = 0; rank < size; ++rank) {
            const auto& at = sent.atSteps[static_cast<std::size_t>(rank)];
            ASSERT_EQ(at.size(), 3U);
            const bool isLeader = rank == 0;
            const std::int64_t offers = isLeader ? 0 : 1;
            const test::Collectives step{1, bytes, 1, kWord, offers, offers * kWord};
            EXPECT_EQ(at[2] - at[1], step) << rank << " of " << size;
            const test::Collectives first{2, bytes + tensors * 8, 1, kWord, offers, offers * kWord};
            EXPECT_EQ(at[1] - at[0], first) << "they agree on what is trained";
            EXPECT_EQ(at[0].allReduces, 0);
            EXPECT_EQ(at[0].broadcasts, sent.tensors + 2 + 1) << "weights and optimizer, the place in training, the first word";
            EXPECT_GT(at[0].broadcast, sent.bytes);
            EXPECT_LT(at[0].broadcast, sent.bytes + 4000) << "the place in training is a short text";
        }
        RecordProperty("bytes", std::to_string(bytes));
        RecordProperty("tensors", std::to_string(tensors));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Train, CollectivesOfAStep,
    testing::Values(
        TrainedModel{"Translation",
                     R"({"preset":"eau-full","dims":{"d":16,"f":32,"heads":2,"layers_enc":1,"layers_dec":1,"max_len":24}})",
                     "translation"},
        TrainedModel{
            "Bert",
            R"({"preset":"bert-base","dims":{"d":16,"f":32,"heads":2,"layers_enc":1,"max_len":24,"vocab_src":"from_data"}})",
            "mlm"},
        TrainedModel{"StarSaber",
                     R"({"preset":"star-1","dims":{"d":16,"heads":1,"layers_enc":1,"max_len":24},"head":"classify"})",
                     "classify"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace heddle
