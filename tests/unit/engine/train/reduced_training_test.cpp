// SPDX-License-Identifier: Apache-2.0
// Training in bfloat16 by copies that the optimizer writes: it follows autocast, and whoever writes weights is heard.
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/named_tensors.h"
#include "engine/train/step/step.h"
#include "tests/unit/engine/replaying_graph.h"
#include "tests/unit/engine/train/train_support.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

Batch pairs(std::int64_t first) {
    return test::madeUpBatch(first, 6, [](std::int64_t i) { return 5 - i % 2; });
}

TrainSpec inBFloat16() {
    TrainSpec spec;
    spec.precision = Precision::BFloat16;
    spec.schedule = ScheduleKind::Noam;
    spec.warmup = 100;  // at large rates rounding differences double from step to step
    return spec;
}

struct Reducing {
    explicit Reducing(const MakeDeviceGraph& makeGraph = {}, double dropout = 0.1) : model(buildModel(variant(dropout), 7)) {
        model->to(at::kCPU);
        begin(makeGraph);
    }
    void begin(const MakeDeviceGraph& makeGraph = {}) {
        step = std::make_unique<TrainStep>(*model, *task, inBFloat16(), TrainStep::Options{7, at::kCPU, 0, makeGraph});
    }

    static ResolvedVariant variant(double dropout) {
        const Json document{
            {"preset", "eau-full"},
            {"embed", {{"source", "tied_all"}, {"dropout", 0}}},
            {"dims", {{"d", 32}, {"f", 32}, {"heads", 2}, {"layers_enc", 2}, {"layers_dec", 2}, {"max_len", 64}}},
            {"defaults",
             {{"ffn", {{"kind", "mlp"}, {"inner_dropout", 0}}},
              {"dropout", {{"kind", "standard"}, {"sublayer", dropout}, {"attention", dropout}}}}}};
        return VariantSpec::parse(document, builtinCatalogue()).resolve(test::kMadeUpWords, test::kMadeUpWords);
    }
    /// The objective of the next step, which is made.
    double next(std::int64_t first) {
        step->run(pairs(first));
        return step->ring().drain().front().objective;
    }
    /// The same as somebody finds it who has just come: every copy is new.
    double nextOfFresh(std::int64_t first) {
        const std::int64_t done = step->step();
        begin();
        step->setStep(done);
        return next(first);
    }
    /// As evaluation does it.
    double evaluated(std::int64_t first) const {
        const at::NoGradGuard noGrad;
        const Batch batch = pairs(first);
        const DeviceBatch input = toDevice(batch, at::kCPU);
        const AutocastScope autocast(at::kCPU, Precision::BFloat16);
        return task->loss(task->logits(*model, input, Forward{}), input).nll.item<double>();
    }

    RunData data;
    RunSpec run;
    std::unique_ptr<Task> task = makeTask(run, data);
    std::unique_ptr<Model> model;
    std::unique_ptr<TrainStep> step;
};

/// A step by autocast, which casts every operand of every product.
double stepByAutocast(const Reducing& in, Optimizer& optimizer, std::int64_t number) {
    const Batch batch = pairs(number);
    const StepNumbers numbers{number, 1.0 / static_cast<double>(batch.labelCount),
                              optimizer.learningRates(in.step->learningRateAt(number))};
    StepInput input(shapeOf(batch, numbers), at::kCPU);
    input.set(batch, numbers);
    const Forward forward{.training = true, .seed = 7, .countersAt = input.counters().const_data_ptr<std::int64_t>()};
    LossOptions options;
    options.smoothing = inBFloat16().labelSmoothing;
    options.scaleAt = input.scale();
    at::Tensor answers;
    {
        const AutocastScope autocast(at::kCPU, Precision::BFloat16);
        answers = in.task->logits(*in.model, input.batch(), forward);
    }
    const LossSums loss = in.task->lossWithGradient(answers, input.batch(), options);
    answers.backward(loss.gradient);
    optimizer.update(input.learningRates_G(), loss.objective);
    return loss.objective.item<double>();
}

class ReducedTraining : public testing::Test {
protected:
    void SetUp() override { configureComputeThread({1, true}); }
};

TEST_F(ReducedTraining, FollowsAutocastToTheRoundingOfBFloat16) {
    Reducing copied;
    const Reducing cast;
    Optimizer optimizer(cast.model->parameters(), inBFloat16());
    double first = 0, last = 0;
    for (std::int64_t i = 1; i <= 25; ++i) {
        const double expected = stepByAutocast(cast, optimizer, i);
        last = copied.next(i);
        EXPECT_NEAR(last, expected, 1e-2 * expected) << "step " << i;
        if (i == 1) first = last;
    }
    EXPECT_LT(last, 0.95 * first) << "it learns";
}

TEST_F(ReducedTraining, EveryStepReadsWhatTheLastOneWrote) {
    for (const auto& graph : {MakeDeviceGraph(), test::replayingGraphs()}) {
        Reducing training(graph);
        for (std::int64_t i = 0; i < 4; ++i) training.next(i);
        Reducing same(graph);
        for (std::int64_t i = 0; i < 4; ++i) same.next(i);
        EXPECT_EQ(training.next(9), same.nextOfFresh(9));
    }
}

TEST_F(ReducedTraining, HearsOfWeightsThatSomebodyElseWrote) {
    const Reducing other(MakeDeviceGraph(), 0);
    {
        const at::NoGradGuard noGrad;
        for (const auto& [path, tensor] : other.model->parameters().entries()) at::Tensor(tensor).mul_(0.25);
    }
    for (const auto& graph : {MakeDeviceGraph(), test::replayingGraphs()}) {
        Reducing training(graph, 0);
        for (std::int64_t i = 0; i < 4; ++i) training.next(i);
        // As a checkpoint is restored, as the best weights are taken for a test, and as a run starts from another.
        copyInto(namedParameters(training.model->parameters()), namedParameters(other.model->parameters()), "other");
        const double heard = training.next(9);
        Reducing fresh(MakeDeviceGraph(), 0);
        copyInto(namedParameters(fresh.model->parameters()), namedParameters(other.model->parameters()), "other");
        EXPECT_EQ(heard, fresh.next(9));
    }
}

TEST_F(ReducedTraining, TrainsAndEvaluatesTheSameWeights) {
    Reducing training(MakeDeviceGraph(), 0);
    const auto compare = [&](std::int64_t first) {
        const double expected = training.evaluated(first);
        training.step->run(pairs(first));
        EXPECT_NEAR(training.step->ring().drain().front().nll, expected, 1e-2 * expected);
    };
    for (std::int64_t i = 0; i < 10; ++i) compare(i);
    const Reducing other(MakeDeviceGraph(), 0);
    {
        const at::NoGradGuard noGrad;
        for (const auto& [path, tensor] : training.model->parameters().entries()) at::Tensor(tensor).mul_(3);
    }
    compare(20);
    copyInto(namedParameters(training.model->parameters()), namedParameters(other.model->parameters()), "other");
    compare(21);
}

TEST_F(ReducedTraining, FrozenWeightsStayAndAreRead) {
    Reducing training, whole;
    for (const auto& [path, tensor] : training.model->parameters().entries())
        if (path.starts_with("encoder.layers.0")) at::Tensor(tensor).set_requires_grad(false);
    training.begin();
    EXPECT_EQ(training.next(1), whole.next(1));
    for (std::int64_t i = 2; i < 5; ++i) training.next(i);
    const Reducing untouched;
    for (const auto& [path, tensor] : training.model->parameters().entries())
        EXPECT_EQ(at::equal(tensor, untouched.model->parameters().find(path)), !tensor.requires_grad()) << path;
}

}  // namespace
}  // namespace heddle
