// SPDX-License-Identifier: Apache-2.0
// The kernels of the CUDA module on a device against what the CPU does in float32 or float64; skipped where there is no device.
// Their bodies are tested everywhere (cuda_twin_test.cpp).
#include "engine/device/cuda_module.h"
#include "engine/device/precision.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/carried_weights.h"
#include "engine/kernels/column_sums.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/fused.h"
#include "engine/kernels/packed_adam.h"
#include "engine/kernels/reduced.h"
#include "engine/kernels/score_kernels.h"
#include "engine/tasks/loss.h"
#include "engine/tasks/task.h"
#include "engine/train/report/histogram.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

class CudaKernelsTest : public testing::TestWithParam<at::ScalarType> {
protected:
    void SetUp() override {
        if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
        if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    }
    /// Of the type that this test is about; the same values everywhere.
    static at::Tensor drawn(const std::string& name, at::IntArrayRef sizes) {
        return normal(randomKey(3, name), sizes, 0, 1).to(GetParam());
    }
    static at::Tensor drawnFloat(const std::string& name, at::IntArrayRef sizes) {
        return normal(randomKey(3, name), sizes, 0, 1).to(at::kFloat);
    }
    static at::Tensor onDevice(const at::Tensor& x) {
        return x.detach().to(at::kCUDA).set_requires_grad(x.is_floating_point());
    }
    static at::Tensor onHost(const at::Tensor& x) { return x.detach().to(at::kDouble).clone().set_requires_grad(true); }
    static double tolerance() { return GetParam() == at::kFloat ? 1e-5 : 1e-2; }
    static void expectNear(const at::Tensor& made, const at::Tensor& expected, const char* what) {
        const at::Tensor a = made.detach().to(at::kCPU, at::kDouble), b = expected.detach().to(at::kDouble);
        EXPECT_LT((a - b).norm().item<double>(), tolerance() * b.norm().item<double>()) << what;
    }
    static at::Tensor rowSum(const at::Tensor& x) { return x.reshape({-1, x.size(-1)}).sum(0); }
    /// The gradients of leaves on the device and their like on the host.
    static void expectGradients(const std::vector<std::pair<at::Tensor, at::Tensor>>& leaves) {
        for (const auto& [device, host] : leaves) expectNear(device.grad(), host.grad(), "a gradient");
    }
};
INSTANTIATE_TEST_SUITE_P(Types, CudaKernelsTest, testing::Values(at::kFloat, at::kBFloat16));

TEST_P(CudaKernelsTest, DropoutIsThatOfTheCpu) {
    const RandomKey key = randomKey(1, "drop", 17, 2);
    for (const std::int64_t n : {1, 5, 4096, 100003}) {
        const at::Tensor x = drawn("x", {n});
        const at::Tensor made = dropout(key, 0.3, onDevice(x)).detach().cpu(), expected = dropout(key, 0.3, x);
        EXPECT_TRUE(at::equal(made.ne(0), expected.ne(0)));
        expectNear(made, expected, "values");
    }
}

TEST_P(CudaKernelsTest, DropoutReadsTheCountersWhereTheyLie) {
    const std::int64_t counters = 17 + (std::int64_t{2} << 32);
    const at::Tensor on = at::full({1}, counters, at::TensorOptions(at::kLong).device(at::kCUDA));
    RandomKey key = randomKey(1, "drop", 4, 1);
    key.countersAt = on.const_data_ptr<std::int64_t>();
    const at::Tensor x = drawn("x", {1001}), leaf = onDevice(x), y = dropout(key, 0.3, leaf);
    const at::Tensor expected = dropout(randomKey(1, "drop", 17, 2), 0.3, x);
    EXPECT_TRUE(at::equal(y.detach().cpu().ne(0), expected.ne(0)));
    y.sum().backward();
    EXPECT_TRUE(at::equal(leaf.grad().cpu().ne(0), expected.ne(0)));
    EXPECT_TRUE(
        at::equal(dropout(key, 0.3, onDevice(x.to(at::kDouble))).detach().cpu().ne(0), expected.ne(0)));  // by operators
}

TEST_P(CudaKernelsTest, ReluDropoutIsThatOfTheCpu) {
    const RandomKey key = randomKey(1, "inner", 17);
    const at::Tensor x = drawn("x", {6, 110, 256}), dy = drawn("dy", {6, 110, 256});
    const at::Tensor device = onDevice(x), host = onHost(x), bias = onDevice(drawnFloat("bias", {256}));
    const at::Tensor y = reluDropout(key, 0.2, {device, bias}), expected = dropout(key, 0.2, at::relu(host));
    y.backward(dy.to(at::kCUDA)), expected.backward(dy.to(at::kDouble));
    expectNear(y, expected, "y");
    expectGradients({{device, host}});
    expectNear(bias.grad(), rowSum(host.grad()), "gradient of the bias");
}

TEST_P(CudaKernelsTest, NormedResidualIsThatOfTheCpu) {
    for (const std::int64_t width : {16, 144, 512, 1040, 8192})
        for (const bool hasGate : {false, true}) {
            const std::vector<std::int64_t> sizes{3, 7, width};
            const at::Tensor r = drawnFloat("r", sizes), s = drawn("s", sizes), gate = drawn("gate", sizes);
            const at::Tensor weight = drawnFloat("weight", {width}), bias = drawnFloat("bias", {width}),
                             dy = drawnFloat("dy", sizes);
            const RandomKey key = randomKey(1, "sublayer", 17);
            const std::vector<at::Tensor> device{onDevice(r), onDevice(s), onDevice(gate), onDevice(weight), onDevice(bias)};
            const std::vector<at::Tensor> host{onHost(r), onHost(s), onHost(gate), onHost(weight), onHost(bias)};
            ASSERT_TRUE(normsInOnePass(device[0]) && normsInOnePass(device[1]));
            const at::Tensor ofBranch = onDevice(drawnFloat("branch", {width})), ofGate = onDevice(ofBranch);
            const BiasedProduct none, gated{device[2], ofGate};
            const at::Tensor y = normedResidual({device[0], {device[1], ofBranch}, hasGate ? gated : none, key, 0.3},
                                                {device[3], device[4], 1e-5});
            const at::Tensor dropped = dropout(key, 0.3, host[1]);
            const at::Tensor expected =
                at::layer_norm(host[0] + (hasGate ? at::sigmoid(host[2]) * dropped : dropped), {width}, host[3], host[4], 1e-5);
            y.backward(dy.to(at::kCUDA)), expected.backward(dy.to(at::kDouble));
            expectNear(y, expected, "y");
            for (const std::size_t i : {0, 1, 2, 3, 4})
                if (i != 2 || hasGate) expectGradients({{device[i], host[i]}});
            EXPECT_TRUE(at::equal(device[1].grad().cpu().eq(0), host[1].grad().eq(0)));
            expectNear(ofBranch.grad(), rowSum(host[1].grad()), "gradient of the branch's bias");
            if (hasGate) expectNear(ofGate.grad(), rowSum(host[2].grad()), "gradient of the gate's bias");
        }
}

TEST_P(CudaKernelsTest, CrossEntropyIsThatOfTheCpu) {
    for (const std::int64_t classes : {2, 37, 7853, 50257}) {
        const at::Tensor logits = drawn("logits", {67, classes}) * 5;
        at::Tensor targets = at::arange(67).remainder(classes);
        targets[3] = -1;
        const LossOptions options{0.1, 1.0 / 66};
        const LossSums expected = crossEntropyWithGradient(logits.to(at::kDouble), targets, options);
        LossOptions over;
        over.smoothing = 0.1;
        over.scaleAt = at::full({}, options.scale, at::TensorOptions(at::kDouble).device(at::kCUDA));
        over.gradient = LossOptions::Gradient::OverLogits;
        const at::Tensor given = logits.to(at::kCUDA), wanted = targets.to(at::kCUDA);
        const LossSums values = crossEntropy(given, wanted, over), sums = crossEntropyWithGradient(given, wanted, over);
        EXPECT_EQ(sums.gradient.data_ptr(), given.data_ptr());
        expectNear(sums.gradient, expected.gradient, "gradient");
        for (const LossSums& made : {values, sums}) {
            EXPECT_NEAR(made.objective.item<double>(), expected.objective.item<double>(),
                        1e-5 * expected.objective.item<double>());
            EXPECT_NEAR(made.nll.item<double>(), expected.nll.item<double>(), 1e-5 * expected.nll.item<double>());
            EXPECT_EQ(made.correct.item<double>(), expected.correct.item<double>());
        }
        expectNear(values.nll_N, crossEntropy(logits.to(at::kDouble), targets, options).nll_N, "nll of rows");
    }
}

TEST_P(CudaKernelsTest, CrossEntropyTakesPaddedRows) {
    const at::Tensor logits = drawn("logits", {67, 7853}) * 5, targets = at::arange(67);
    const at::Tensor memory = at::zeros({67, 7872}, logits.options().device(at::kCUDA));
    const at::Tensor padded = memory.narrow(1, 0, 7853).copy_(logits), whole = logits.to(at::kCUDA),
                     wanted = targets.to(at::kCUDA);
    LossOptions over{0.1, 0.5};
    over.gradient = LossOptions::Gradient::OverLogits;
    const LossSums scored = crossEntropy(padded, wanted, {}), expectedScores = crossEntropy(whole, wanted, {});
    EXPECT_TRUE(at::equal(scored.best_N, expectedScores.best_N));
    expectNear(scored.nll_N, expectedScores.nll_N.cpu(), "nll of rows");
    const LossSums made = crossEntropyWithGradient(padded, wanted, over),
                   expected = crossEntropyWithGradient(whole, wanted, over);
    EXPECT_EQ(made.gradient.data_ptr(), memory.data_ptr());
    expectNear(made.gradient, expected.gradient.cpu(), "gradient");
    EXPECT_EQ(memory.narrow(1, 7853, 19).abs().max().item<float>(), 0);
}

TEST_P(CudaKernelsTest, OfEqualLogitsTheFirstIsThePrediction) {
    for (const std::int64_t classes : {2, 37, 7853, 50257}) {  // rows in registers, and rows read again
        at::Tensor logits = at::zeros({3, classes}, at::TensorOptions(at::kCUDA).dtype(GetParam()));
        logits[2].narrow(0, 1, classes - 1).fill_(1);  // class 1 and all after it
        const at::Tensor targets = at::tensor({0, 1, 1}, at::TensorOptions(at::kCUDA).dtype(at::kLong));
        const LossSums made = crossEntropy(logits, targets, {});
        EXPECT_EQ(made.correct.item<double>(), 2) << classes;
        EXPECT_TRUE(at::equal(made.best_N.cpu(), at::tensor({0, 0, 1}, at::kLong))) << classes;
    }
}

TEST_P(CudaKernelsTest, PaddedProductIsThatOfTheCpu) {
    if (GetParam() == at::kBFloat16) GTEST_SKIP() << "weights are float32";
    const at::Tensor x = drawnFloat("x", {67, 64}), w = drawnFloat("w", {7853, 64}), b = drawnFloat("b", {7853});
    const std::vector<at::Tensor> device{onDevice(x), onDevice(w), onDevice(b)}, host{onHost(x), onHost(w), onHost(b)};
    at::Tensor logits;
    {
        const AutocastScope autocast(at::Device(at::kCUDA, 0), Precision::BFloat16);
        logits = paddedAffine(device[0], device[1], device[2]);
    }
    EXPECT_EQ(logits.stride(0), 7872);
    LossOptions over{0, 0.5};
    over.gradient = LossOptions::Gradient::OverLogits;
    const at::Tensor targets = at::arange(67);
    const LossSums made = crossEntropyWithGradient(logits, targets.to(at::kCUDA), over);
    logits.backward(made.gradient);
    const at::Tensor exact = at::linear(host[0], host[1], host[2]);
    exact.backward(crossEntropyWithGradient(exact, targets, {0, 0.5}).gradient);
    for (std::size_t i = 0; i < 3; ++i) {
        const at::Tensor a = device[i].grad().cpu().to(at::kDouble), e = host[i].grad();
        EXPECT_LT((a - e).norm().item<double>(), 2e-2 * e.norm().item<double>()) << i;
    }
}

TEST_P(CudaKernelsTest, AskedRowsGiveTheirGradientsBack) {
    DeviceBatch batch;
    batch.positions_N = at::tensor(std::vector<std::int64_t>{0, 2, 3, 8, 8}).to(at::kCUDA);
    const at::Tensor x = onDevice(drawn("x", {3, 3, 20})), dy = drawn("dy", {5, 20});
    dy[4].zero_();  // its target is one that no loss counts
    rowsAtPositions(x, batch).backward(dy.to(at::kCUDA));
    const at::Tensor expected = at::zeros({9, 20}, dy.options()).index_add_(0, batch.positions_N.cpu(), dy);
    EXPECT_TRUE(at::equal(x.grad().cpu().view({9, 20}), expected));
}

TEST_P(CudaKernelsTest, ColumnSumsAreThoseOfTheCpuAndAlwaysTheSame) {
    const at::NoGradGuard noGrad;
    for (const std::int64_t rows : {1, 200, 8192, 70000})
        for (const std::int64_t columns : {4, 256, 1044}) {
            const at::Tensor x = drawn("x", {rows, columns}), device = x.to(at::kCUDA), made = columnSums(device);
            expectNear(made, x.to(at::kDouble).sum(0), "sums");
            EXPECT_TRUE(at::equal(made, columnSums(device)));
        }
    const at::Tensor pair = drawn("pair", {2, 2048, 256});
    expectNear(columnSums(pair.to(at::kCUDA)), pair.to(at::kDouble).sum(1), "sums of two");
}

TEST_P(CudaKernelsTest, HistogramsAreThoseOfTheCpu) {
    for (const std::int64_t n : {1, 1000, 40000}) {
        const at::Tensor x = drawn("x", {n}), made = countHistogram(x.to(at::kCUDA), {-1, 1}).cpu();
        const at::Tensor expected = countHistogram(x, {-1, 1});
        EXPECT_TRUE(at::equal(made.narrow(0, 0, kHistogramBins + 3), expected.narrow(0, 0, kHistogramBins + 3)));
        EXPECT_LT((made - expected).abs().max().item<double>(), 1e-9 * static_cast<double>(n));
    }
}

TEST_P(CudaKernelsTest, WeightsAreDroppedAsOnTheCpu) {
    const RandomKey key = randomKey(3, "attention", 5, 1);
    for (const std::int64_t keys : {5, 64, 301}) {
        const at::Tensor raw = drawn("raw", {2, 3, 5, keys}), dy = drawn("dy", {2, 3, 5, keys}), none;
        const at::Tensor device = onDevice(raw), host = onHost(raw);
        const CarriedWeights made = carriedWeights({device, none, none, 1, false, key, 0.3});
        const at::Tensor expected = dropout(key, 0.3, at::softmax(host, -1));
        EXPECT_TRUE(at::equal(made.dropped.detach().cpu().ne(0), expected.ne(0)));
        made.dropped.backward(dy.to(at::kCUDA)), expected.backward(dy.to(at::kDouble));
        expectNear(made.dropped, expected, "weights");
        expectGradients({{device, host}});
    }
}

TEST_P(CudaKernelsTest, AdjustedIsThatOfTheCpu) {
    for (const bool hasFloatStream : {false, true}) {
        const std::vector<std::int64_t> sizes{5, 100, 36};
        const at::Tensor x = hasFloatStream ? drawnFloat("x", sizes) : drawn("x", sizes), a = drawn("a", sizes),
                         e = drawn("e", sizes), ofA = onDevice(drawnFloat("bias", {36})), ofE = onDevice(ofA);
        const std::vector<at::Tensor> device{onDevice(x), onDevice(a), onDevice(e)}, host{onHost(x), onHost(a), onHost(e)};
        const at::Tensor y = adjusted(device[0], {device[1], ofA}, {device[2], ofE}),
                         expected = adjusted(host[0], host[1], host[2]);
        EXPECT_EQ(y.scalar_type(), x.scalar_type());
        const at::Tensor dy = drawn("dy", sizes);
        y.backward(dy.to(at::kCUDA, x.scalar_type())), expected.backward(dy.to(at::kDouble));
        expectNear(y, expected, "y");
        expectGradients({{device[0], host[0]}, {device[1], host[1]}, {device[2], host[2]}});
        expectNear(ofA.grad(), rowSum(host[1].grad()), "gradient of a's bias");
        expectNear(ofE.grad(), rowSum(host[2].grad()), "gradient of e's bias");
    }
}

TEST_P(CudaKernelsTest, GeluOfAProductIsThatOfTheCpu) {
    for (const char* const form : {"none", "tanh"}) {
        const std::vector<std::int64_t> sizes{5, 100, 36};
        const at::Tensor x = drawn("x", sizes), dy = drawn("dy", sizes), bias = onDevice(drawnFloat("bias", {36}));
        const at::Tensor device = onDevice(x), host = onHost(x);
        const at::Tensor y = gelu({device, bias}, form), expected = at::gelu(host, form);
        y.backward(dy.to(at::kCUDA)), expected.backward(dy.to(at::kDouble));
        expectNear(y, expected, "y");
        expectGradients({{device, host}});
        expectNear(bias.grad(), rowSum(host.grad()), "gradient of the bias");
    }
}

TEST_P(CudaKernelsTest, GatedScoresAreThoseOfTheCpu) {
    for (const std::int64_t keys : {6, 64, 301})
        for (const std::vector<std::int64_t>& ofBias :
             std::vector<std::vector<std::int64_t>>{{3, 1, keys}, {3, 5, keys}, {3, 1, 1}}) {
            const std::vector<std::int64_t> sizes{2, 3, 5, keys};
            const at::Tensor p = drawn("p", sizes), x = drawn("x", {3, 2, 5, keys}), bias = drawnFloat("bias", ofBias),
                             dy = drawn("dy", sizes);
            const std::vector<at::Tensor> device{onDevice(p), onDevice(x), onDevice(bias)},
                host{onHost(p), onHost(x), onHost(bias)};
            const auto y = gatedScores(device[0], device[1].transpose(0, 1), device[2], cuda::GateActivation::Tanh);
            ASSERT_TRUE(y);
            const at::Tensor expected = host[0] * at::tanh(host[1].transpose(0, 1) + host[2]);
            y->backward(dy.to(at::kCUDA)), expected.backward(dy.to(at::kDouble));
            expectNear(*y, expected, "y");
            expectGradients({{device[0], host[0]}, {device[1], host[1]}, {device[2], host[2]}});
        }
}

TEST_P(CudaKernelsTest, ScoreWeightsAreThoseOfTheCpu) {
    for (const std::int64_t keys : {3, 60, 127, 301, 1500, 8000}) {
        const std::vector<std::int64_t> sizes{2, 3, 5, keys};
        const at::Tensor raw = drawn("raw", sizes), added = drawn("added", sizes), dweights = drawn("dweights", sizes),
                         dsum = drawn("dsum", sizes);
        const at::Tensor hidden = at::ones({5, keys}, at::kBool).triu(keys - 4);
        const at::Tensor raw_D = raw.to(at::kCUDA), added_D = added.to(at::kCUDA), hidden_D = hidden.to(at::kCUDA);
        const at::Tensor sum_D = at::empty_like(raw_D), weights_D = at::empty_like(raw_D), dweights_D = dweights.to(at::kCUDA),
                         dsum_D = dsum.to(at::kCUDA), draw_D = at::empty_like(raw_D);
        const cuda::ScoreShape shape{2, 3, 5, keys};
        const cuda::ElementType type = elementTypeOf(raw);
        const cuda::HiddenKeys hiding{hidden_D.const_data_ptr<bool>(), {0, 0, keys, 1}};
        const CudaKernels& kernels = *cudaTable()->kernels;
        kernels.scoreWeights({shape,
                              readFrom(raw_D),
                              readFrom(added_D),
                              writeTo(sum_D),
                              writeTo(weights_D),
                              nullptr,
                              type,
                              type,
                              hiding,
                              2,
                              -1e30F,
                              {}},
                             0);
        kernels.scoreWeightsBackward({shape,
                                      readFrom(weights_D),
                                      readFrom(dweights_D),
                                      nullptr,
                                      readFrom(dsum_D),
                                      writeTo(draw_D),
                                      nullptr,
                                      type,
                                      type,
                                      hiding,
                                      2,
                                      {}},
                                     0);
        const at::Tensor host = onHost(raw), sum = host + added;
        const at::Tensor weights = at::softmax((sum / 2).masked_fill(hidden, -1e30), -1);
        ((weights * dweights).sum() + (sum * dsum).sum()).backward();
        expectNear(sum_D, sum, "sum");
        expectNear(weights_D, weights, "weights");
        expectNear(draw_D, host.grad(), "gradient");
    }
}

TEST_P(CudaKernelsTest, NormedResidualMakesItsCopyAndTakesTheGradientsOfBoth) {
    const std::vector<std::int64_t> sizes{3, 7, 144};
    const at::Tensor r = drawnFloat("r", sizes), s = drawn("s", sizes), weight = drawnFloat("weight", {144}),
                     bias = drawnFloat("bias", {144}), dy = drawnFloat("dy", sizes);
    const at::Tensor dy16 = drawnFloat("dy16", sizes).to(at::kBFloat16), other = drawnFloat("other", sizes).to(at::kBFloat16),
                     none;
    const std::vector<at::Tensor> device{onDevice(r), onDevice(s), onDevice(weight), onDevice(bias)},
        host{onHost(r), onHost(s), onHost(weight), onHost(bias)};
    const RandomKey key = randomKey(1, "sublayer", 17);
    const ReducedParameters noParameters({});
    at::Tensor y, y16, again;
    {
        const ReducedScope scope(&noParameters);
        y = normedResidual({device[0], device[1], none, key, 0.3}, {device[2], device[3], 1e-5});
        y16 = reduced(y), again = reduced(y);
    }
    EXPECT_EQ(again.const_data_ptr(), y16.const_data_ptr());
    EXPECT_TRUE(at::equal(y16, y.to(at::kBFloat16)));
    const at::Tensor expected = at::layer_norm(host[0] + dropout(key, 0.3, host[1]), {144}, host[2], host[3], 1e-5);
    ((y * dy.to(at::kCUDA)).sum() + (y16 * dy16.to(at::kCUDA)).sum(at::kFloat) + (again * other.to(at::kCUDA)).sum(at::kFloat))
        .backward();
    expected.backward(dy.to(at::kDouble) + dy16 + other);
    for (const std::size_t i : {0, 1, 2, 3}) expectGradients({{device[i], host[i]}});
}

TEST_P(CudaKernelsTest, PackedAdamIsThatOfTorch) {
    std::vector<PackedOperand> packed;
    std::vector<at::Tensor> values, gradients, means, squares;
    for (const std::int64_t n : {1, 130, 4097, 100003}) {
        const at::Tensor value = drawnFloat(std::to_string(n), {n}), gradient = drawnFloat(std::to_string(-n), {n});
        const at::Tensor there = value.to(at::kCUDA);
        packed.push_back(
            {there, gradient.to(at::kCUDA), at::zeros_like(there), at::zeros_like(there), there.to(at::kBFloat16), 0});
        values.push_back(value), gradients.push_back(gradient);
        means.push_back(at::zeros_like(value)), squares.push_back(at::zeros_like(value));
    }
    ASSERT_TRUE(PackedAdam::takes(packed));
    PackedAdam adam({0.9, 0.98, 1e-9, 0.1, 1.0, true});
    const at::Tensor step = at::zeros({}), step_D = step.to(at::kCUDA), rate = at::full({1}, 0.01F),
                     rate_D = rate.to(at::kCUDA);
    const at::Tensor norm = at::stack(at::_foreach_norm(gradients)).norm(), zero = at::zeros({}), zero_D = zero.to(at::kCUDA);
    for (int i = 0; i < 5; ++i) {
        const PackedAdam::Result made = adam.update(packed, {rate_D, zero_D, step_D});
        EXPECT_NEAR(made.norm.item<double>(), norm.item<double>(), 1e-5 * norm.item<double>());
        step.add_(1);
        std::vector<at::Tensor> scaled;  // the operator writes the scaled gradients over those that it is given
        for (const at::Tensor& gradient : gradients) scaled.push_back(gradient.clone());
        at::_fused_adamw_(values, scaled, means, squares, {}, std::vector<at::Tensor>(values.size(), step), rate[0], 0.9, 0.98,
                          0.1, 1e-9, false, false, (norm + 1e-6).clamp_min(1.0), zero);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_LT((packed[i].value.cpu() - values[i]).abs().max().item<double>(), 1e-5);
        EXPECT_TRUE(at::equal(packed[i].reduced, packed[i].value.to(at::kBFloat16)));
    }
}

}  // namespace
}  // namespace heddle
