// SPDX-License-Identifier: Apache-2.0
// What a training step of the bench's workloads launches on a GPU.
#include "tests/dev/engine/launch_count.h"

#include "engine/base/json.h"
#include "engine/bench/workload_batches.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/late_sums.h"
#include "engine/train/report/gate_watch.h"
#include "engine/train/step/step.h"
#include "tests/dev/engine/fake_cuda.h"
#include "tests/dev/engine/launch_log.h"
#include "tests/unit/engine/tiny_workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace heddle {
namespace {

LaunchCounts countsOf(const std::string& workload, Precision precision = Precision::Auto) {
    LaunchCountRequest request;
    request.workload = testing_support::tinyWorkload(workload);
    request.precision = precision;
    return runLaunchCount(request);
}

std::int64_t sumOf(const std::vector<LaunchCount>& counts) {
    std::int64_t sum = 0;
    for (const StepPhase phase : kStepPhases) sum += launchesOf(counts, phase);
    return sum;
}

std::int64_t countOf(const std::vector<LaunchCount>& counts, const std::string& name) {
    std::int64_t sum = 0;
    for (const LaunchCount& one : counts)
        if (one.name == name) sum += one.launches;
    return sum;
}

/// Of four layers, the third reads the accumulated scores of the second, whose own rule keeps none.
TEST(LaunchesOfScores, ALayerReadsTheSumOfANeighbourWithAnotherRule) {
    LaunchCountRequest request;
    request.workload = testing_support::tinyWorkload("W5-raw");
    Json variant = request.workload.spec.variant.compact();
    variant["encoder"]["layers"]["2"]["self"]["score"]["source"] = "accumulated";
    request.workload.spec.variant = VariantSpec::parse(variant, builtinCatalogue());
    std::vector<double> bytes;
    for (const Launch& one : runLaunchCount(request).inOrder)
        if (one.name == "scoreWeights") bytes.push_back(one.cost.bytes);
    ASSERT_EQ(bytes.size(), 8U) << "the self-attentions of encoder and decoder";
    // Scores and weights have 2 bytes, sums 4; the decoder's first layer has no other operands, for its layers have one rule.
    EXPECT_EQ(bytes[2], bytes[4] / 4 * (2 + 2 + 4 + 4)) << "it reads a sum, and keeps its own";
}

class LaunchesOfAStep : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Workloads, LaunchesOfAStep, testing::Values("W1", "W3-128", "W5-g", "W6", "W7"));

TEST_P(LaunchesOfAStep, ClippingUpdateAndRecordAreFourKernels) {
    const LaunchCounts counts = countsOf(GetParam());
    EXPECT_EQ(counts.precision, "bf16");
    EXPECT_EQ(launchesOf(counts.withKernels, StepPhase::Input), 1) << "one copy";
    EXPECT_EQ(launchesOf(counts.withKernels, StepPhase::Clip), 2);
    EXPECT_EQ(launchesOf(counts.withKernels, StepPhase::Update), 1);
    EXPECT_EQ(launchesOf(counts.withKernels, StepPhase::Record), 1);
    EXPECT_EQ(countOf(counts.withKernels, "embedding_dense_backward"), 0) << "it sorts";
    EXPECT_GT(countOf(counts.withKernels, "sortedEmbeddingGradient"), 0);
    EXPECT_EQ(countOf(counts.withKernels, "embeddingGradient"), 0) << "it compares every position with every other";
    EXPECT_LT(sumOf(counts.withKernels), sumOf(counts.withoutKernels));
    const auto isOwn = [](const LaunchCount& one) { return one.isOwn; };
    EXPECT_TRUE(std::none_of(counts.withoutKernels.begin(), counts.withoutKernels.end(), isOwn));
    EXPECT_EQ(sumOf(counted(counts.inOrder)), sumOf(counts.withKernels));
    for (const LaunchCount& one : counts.withKernels) {
        SCOPED_TRACE(one.name);
        EXPECT_EQ(one.bytes > 0, one.phase != StepPhase::Input);
        EXPECT_EQ(one.seconds > 0, one.phase != StepPhase::Input);
    }
}

/// The parts of all sums of a step are added up together, those of normalisations without a launch of their own before.
TEST(LaunchesOfSums, AreOneForAllPartsOfAStep) {
    const LaunchCounts counts = countsOf("W1");
    EXPECT_EQ(countOf(counts.withKernels, "packedSums"), 1);
    EXPECT_EQ(countOf(counts.withKernels, "addNormBackward"), 15);
    EXPECT_EQ(countOf(counts.withoutKernels, "packedSums"), 0);
}

/// Who writes the gradient of a product adds it up for the bias: the kernels of ReLU (6 in W1), residual connections (15),
/// gates of these (15 in W6) and adjusters (18, and 9 before ReLU). Other products add it up by themselves: those of queries,
/// keys and values (6 of streams, 3 of queries alone, and one of the memory), the head's, and in W6 those before adjusters (9).
TEST(LaunchesOfSums, OfBiasesAreMostlyMadeByTheReadersOfTheirProducts) {
    EXPECT_EQ(countOf(countsOf("W1").withKernels, "columnSums"), 11);
    EXPECT_EQ(countOf(countsOf("W6").withKernels, "columnSums"), 20);
    EXPECT_EQ(countOf(countsOf("W6").withKernels, "threshold_backward"), 0);
}

/// The gradients of a stream's two products meet in the kernel that made the stream. In an adjuster, one of two products adds
/// to the gradient that the other one made.
TEST(LaunchesOfGradients, ThatMeetAreFewOfTheirOwn) {
    std::map<std::string, std::int64_t> backward;
    for (const LaunchCount& one : countsOf("W6").withKernels)
        if (one.phase == StepPhase::Backward) backward[one.name] += one.launches;
    EXPECT_EQ(backward["add"], 9) << "one in each adjuster";
    EXPECT_EQ(backward["copy_"], 0);
    EXPECT_EQ(backward["addmm"], 9);
}

/// The keys and values of all layers of the decoder are one product of the memory.
TEST(LaunchesOfMemories, AreOneProductForAllLayers) {
    for (const Precision precision : {Precision::BFloat16, Precision::Float32}) {
        const std::vector<LaunchCount> counts = countsOf("W1", precision).withKernels;
        const std::int64_t products = 6 * (2 + 2) + 3 * 2 + 1 + 1;  // of layers; of queries and results; of memory, head
        EXPECT_EQ(countOf(counts, "addmm"), products);
        EXPECT_EQ(countOf(counts, "mm"), 2 * products);
    }
}

/// The update writes the bfloat16 copies of the head's weight and bias in front of rows of zeros, where the product reads them;
/// the last norm writes that of the head's input, and reads the gradient of it.
TEST(LaunchesOfHeads, CopyNothing) {
    const std::vector<LaunchCount> counts = countsOf("W1").withKernels;
    EXPECT_EQ(countOf(counts, "copy_"), 1) << "of the batch";
    std::map<std::string, std::int64_t> forward;
    for (const LaunchCount& one : counts)
        if (one.phase == StepPhase::Forward) forward[one.name] += one.launches;
    EXPECT_EQ(forward["zero_"], 0);
}

TEST(LaunchesOfSums, AreOneForEachMicroBatch) {
    useFakeCuda();
    setFakeKernels(FakeKernels::Heddle);
    const at::Device device = chooseDevice("cuda");
    const Workload workload = testing_support::tinyWorkload("W1");
    const auto model = buildModel(workload.spec.variant.resolve(), 1);
    model->to(device);
    const auto task = makeTask(workload.spec, workloadData(workload.spec));
    TrainStep step(*model, *task, workload.spec.train, TrainStep::Options{1, device});
    const Batch batch = generateBatches(workload, 1).front();
    for (const int count : {1, 2, 3}) {
        launchLog().take();
        step.run(std::vector<Batch>(static_cast<std::size_t>(count), batch));
        EXPECT_EQ(countOf(counted(launchLog().take()), "packedSums"), count);
    }
}

TEST(LaunchesOfEveryWorkload, NeverWaitForTheDevice) {
    for (const std::string& workload : workloadNames()) {
        SCOPED_TRACE(workload);
        EXPECT_GT(sumOf(countsOf(workload).withKernels), 0);
    }
}

/// Tanh, dropout, weighted residual and the copy for the next products are one kernel each way, in each of six layers.
TEST(LaunchesOfStarSaber, AnUpdateIsOneKernelEachWay) {
    for (const Precision precision : {Precision::BFloat16, Precision::Float32}) {
        const std::vector<LaunchCount> counts = countsOf("W7", precision).withKernels;
        EXPECT_EQ(countOf(counts, "tanhUpdate"), 6);
        EXPECT_EQ(countOf(counts, "tanhUpdateBackward"), 6);
        for (const char* replaced : {"tanh", "tanh_backward", "addcmul"}) EXPECT_EQ(countOf(counts, replaced), 0) << replaced;
        EXPECT_EQ(countOf(counts, "dropout"), 0) << "the embedding drops by itself";
    }
}

/// Looking up, adding positions and dropping are one kernel each way; where positions are trained, too, one more drops
/// backward. The head of W4 reads some of the rows, which are gathered.
TEST(LaunchesOfEmbeddings, AreOneKernelEachWay) {
    for (const Precision precision : {Precision::BFloat16, Precision::Float32})
        for (const auto& [workload, sides, trained] :
             {std::tuple("W1", 2, 0), std::tuple("W7", 1, 0), std::tuple("W4", 1, 1)}) {
            SCOPED_TRACE(workload);
            const std::vector<LaunchCount> counts = countsOf(workload, precision).withKernels;
            std::map<std::string, std::int64_t> backward;
            for (const LaunchCount& one : counts)
                if (one.phase == StepPhase::Backward) backward[one.name] += one.launches;
            EXPECT_EQ(countOf(counts, "embed"), sides);
            EXPECT_EQ(countOf(counts, "index_select"), workload == std::string("W4") ? 1 : 0);
            EXPECT_EQ(backward["sortedEmbeddingGradient"], sides);
            EXPECT_EQ(backward["dropout"], trained);
        }
}

/// Wants or replaces an exposure of one module.
class OneTap final : public Taps {
public:
    enum class Does { Wants, Replaces };
    OneTap(Does does, std::string module, std::string exposure)
        : does_(does), module_(std::move(module)), exposure_(std::move(exposure)) {}
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        passed_ += isIt(module, exposure) ? 1 : 0;
        return value;
    }
    bool wants(const std::string& module, const char* exposure) const override { return isIt(module, exposure); }
    bool replaces(const std::string& module, const char* exposure) const override {
        return does_ == Does::Replaces && isIt(module, exposure);
    }
    int passed() const { return passed_; }

private:
    bool isIt(const std::string& module, const char* exposure) const { return module == module_ && exposure == exposure_; }
    Does does_;
    std::string module_, exposure_;
    int passed_ = 0;
};

TEST(LaunchesOfStarSaber, AnUpdateThatATapChangesIsMadeByOperators) {
    useFakeCuda();
    setFakeKernels(FakeKernels::Heddle);
    const at::Device device = chooseDevice("cuda");
    const Workload workload = testing_support::tinyWorkload("W7");
    const auto model = buildModel(workload.spec.variant.resolve(), 1);
    model->to(device);
    const auto task = makeTask(workload.spec, workloadData(workload.spec));
    const DeviceBatch batch = toDevice(generateBatches(workload, 1).front(), device);
    const auto updates = [&](Taps* taps) {
        launchLog().take();
        Forward f;
        f.training = true;
        f.taps = taps;
        task->logits(*model, batch, f);
        return countOf(counted(launchLog().take()), "tanhUpdate");
    };
    EXPECT_EQ(updates(nullptr), 6);
    const std::string sublayer = "encoder.layers.2.star";
    struct Case {
        OneTap::Does does;
        std::string module, exposure;
        int updates;
    };
    for (const auto& [does, module, exposure, expected] :
         std::initializer_list<Case>{{OneTap::Does::Wants, sublayer + ".combine", "update", 6},
                                     {OneTap::Does::Wants, sublayer + ".residual", "alpha", 6},
                                     {OneTap::Does::Replaces, sublayer + ".combine", "update", 5},
                                     {OneTap::Does::Replaces, sublayer + ".residual", "alpha", 5},
                                     {OneTap::Does::Wants, sublayer, "sublayer_output", 5},
                                     {OneTap::Does::Replaces, sublayer, "sublayer_output", 5}}) {
        SCOPED_TRACE(module + "." + exposure);
        OneTap tap(does, module, exposure);
        EXPECT_EQ(updates(&tap), expected);
        EXPECT_EQ(tap.passed(), 1) << "the tap is passed its value either way";
    }
}

/// Launches of a forward and a backward pass of W1. Expects that every parameter gets a gradient.
std::vector<LaunchCount> passOfW1(Taps* taps, bool sumsLate) {
    useFakeCuda();
    setFakeKernels(FakeKernels::Heddle);
    const at::Device device = chooseDevice("cuda");
    const Workload workload = testing_support::tinyWorkload("W1");
    const auto model = buildModel(workload.spec.variant.resolve(), 1);
    model->to(device);
    const auto task = makeTask(workload.spec, workloadData(workload.spec));
    const DeviceBatch batch = toDevice(generateBatches(workload, 1).front(), device);
    launchLog().take();
    Forward f;
    f.training = true;
    f.taps = taps;
    const std::unique_ptr<LateSums> late = sumsLate ? std::make_unique<LateSums>() : nullptr;
    task->logits(*model, batch, f).sum().backward();
    if (late) late->finish();
    for (const ParameterStore::Entry& entry : model->parameters().entries())
        EXPECT_EQ(entry.tensor.grad().defined() ? entry.tensor.grad().sizes() : at::IntArrayRef(), entry.tensor.sizes())
            << entry.path;
    return counted(launchLog().take());
}

TEST(LaunchesOfSums, EveryParameterGetsItsGradientWhateverATapReplaces) {
    for (const bool sumsLate : {false, true}) {
        EXPECT_EQ(countOf(passOfW1(nullptr, sumsLate), "addNormBackward"), 15);
        for (const auto does : {OneTap::Does::Wants, OneTap::Does::Replaces})
            for (const char* sublayer : {"encoder.layers.1.ffn", "decoder.layers.0.cross"}) {
                OneTap tap(does, sublayer, "sublayer_output");
                EXPECT_EQ(countOf(passOfW1(&tap, sumsLate), "addNormBackward"), does == OneTap::Does::Replaces ? 14 : 15)
                    << sublayer;
            }
    }
}

/// Before the first sublayer, no residual connection computes the norm.
TEST(LaunchesOfPreNorm, TheResidualConnectionAlsoComputesTheNormOfTheNextSublayer) {
    const std::int64_t joins = 2 * testing_support::tinyWorkload("W4").spec.variant.resolve().dims.layersDec;
    for (const Precision precision : {Precision::BFloat16, Precision::Float32}) {
        const LaunchCounts counts = countsOf("W4", precision);
        EXPECT_EQ(countOf(counts.withKernels, "addNorm"), joins);
        EXPECT_EQ(countOf(counts.withKernels, "addNormBackward"), joins);
        EXPECT_EQ(countOf(counts.withKernels, "native_layer_norm"), 1);
        EXPECT_EQ(countOf(counts.withKernels, "native_layer_norm_backward"), 1);
        EXPECT_EQ(countOf(counts.withKernels, "dropout"), 1) << "of the embedding's gradient";
        EXPECT_EQ(countOf(counts.withoutKernels, "native_layer_norm"), joins + 1);
    }
}

/// A step that may leave a sublayer out chooses between two streams, of which the norm reads the chosen one.
TEST(LaunchesOfPreNorm, AStreamThatIsChosenAfterTheResidualConnectionIsNormedByItself) {
    LaunchCountRequest request;
    request.workload = testing_support::tinyWorkload("W4");
    Json variant = request.workload.spec.variant.compact();
    variant["defaults"]["dropout"]["layer"] = 0.1;
    request.workload.spec.variant = VariantSpec::parse(variant, builtinCatalogue());
    const std::int64_t joins = 2 * request.workload.spec.variant.resolve().dims.layersDec;
    const LaunchCounts counts = runLaunchCount(request);
    EXPECT_EQ(countOf(counts.withKernels, "addNorm"), 0);
    EXPECT_EQ(countOf(counts.withKernels, "native_layer_norm"), joins + 1);
}

/// Scorer and values read one input, and make one product of it. All layers read the stack's input, and make one product of it
/// (25 products once).
TEST(LaunchesOfStarSaber, TheMatricesOfAnInputAreOneProduct) {
    for (const Precision precision : {Precision::BFloat16, Precision::Float32}) {
        const std::vector<LaunchCount> counts = countsOf("W7", precision).withKernels;
        EXPECT_EQ(countOf(counts, "addmm"), 6 + 1 + 1) << "of the layers, of all of them, of the head";
        EXPECT_EQ(countOf(counts, "mm"), 2 * (6 + 1 + 1)) << "for x and for the weights";
        EXPECT_EQ(countOf(counts, "cat"), 0) << "parts of a gradient are written side by side";
    }
}

/// Scores, their softmax on both sides of the query, and the mix of values; backward through all of it.
TEST(LaunchesOfStarSaber, AttentionIsThreeProductsAndAKernel) {
    for (const Precision precision : {Precision::BFloat16, Precision::Float32}) {
        const std::vector<LaunchCount> counts = countsOf("W7", precision).withKernels;
        EXPECT_EQ(countOf(counts, "bmm"), 6 * (2 + 4));
        EXPECT_EQ(countOf(counts, "splitWeights"), 6);
        EXPECT_EQ(countOf(counts, "splitWeightsBackward"), 6);
        EXPECT_EQ(countOf(counts, "mul"), 0) << "the kernel scales";
    }
}

TEST(LaunchesOfStarSaber, GradientsOfAStreamAndItsCopiesAreOneSum) {
    const std::vector<LaunchCount> counts = countsOf("W7", Precision::BFloat16).withKernels;
    EXPECT_EQ(countOf(counts, "add"), 0);
    EXPECT_EQ(countOf(counts, "copy_"), 1 + 2) << "of the batch; of what the head reads and of its gradient";
    EXPECT_LE(sumOf(counts), 110);
}

/// A watched step is captured too (engine/train/report/gate_watch.h).
TEST(LaunchesOfAWatchedStep, DoNotWaitForTheDevice) {
    useFakeCuda();
    setFakeKernels(FakeKernels::Heddle);
    const at::Device device = chooseDevice("cuda");
    const Workload workload = testing_support::tinyWorkload("W6");
    const auto model = buildModel(workload.spec.variant.resolve(), 1);
    model->to(device);
    const auto task = makeTask(workload.spec, workloadData(workload.spec));
    TrainStep step(*model, *task, workload.spec.train, TrainStep::Options{1, device});
    GateWatch gates(model->variant(), device);
    ASSERT_TRUE(gates.watchesAnything());
    const Batch batch = generateBatches(workload, 1).front();
    step.run(batch);
    launchLog().take();
    step.run(batch);
    const std::int64_t plain = sumOf(counted(launchLog().take()));
    step.watchNext(gates);
    EXPECT_NO_THROW(step.run(batch));
    EXPECT_GT(sumOf(counted(launchLog().take())), plain);
}

/// Matrices of one shape are one batch of products: the number of layers does not count.
TEST(LaunchesOfMuon, DoNotWaitForTheDevice) {
    useFakeCuda();
    setFakeKernels(FakeKernels::Heddle);
    Workload workload = testing_support::tinyWorkload("W1");
    workload.spec.train.optimizer = OptimizerKind::Muon;
    workload.spec.train.groups = {{"vectors", 1, 0}};
    for (const Precision precision : {Precision::BFloat16, Precision::Float32}) {
        LaunchCountRequest request;
        request.workload = workload;
        request.precision = precision;
        const std::int64_t products =
            countOf(runLaunchCount(request).withKernels, "baddbmm") - countOf(countsOf("W1", precision).withKernels, "baddbmm");
        EXPECT_GT(products, 0);
        EXPECT_EQ(products % (2 * 5), 0) << "two of each shape in each of five iterations";
        EXPECT_LE(products, 4 * 2 * 5) << "the matrices have few shapes";
    }
}

TEST_P(LaunchesOfAStep, AreTheSameEachTime) {
    const auto all = [](const LaunchCounts& counts) {
        std::vector<std::tuple<std::string, StepPhase, std::int64_t>> listed;
        for (const auto* of : {&counts.withKernels, &counts.withoutKernels})
            for (const LaunchCount& one : *of) listed.emplace_back(one.name, one.phase, one.launches);
        return listed;
    };
    EXPECT_EQ(all(countsOf(GetParam(), Precision::Float32)), all(countsOf(GetParam(), Precision::Float32)));
}

}  // namespace
}  // namespace heddle
