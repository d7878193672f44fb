// SPDX-License-Identifier: Apache-2.0
// The bodies of the CUDA kernels, run on the host by teams of several sizes, against their definitions in float64: values,
// gradients, and which elements dropout keeps. cuda_test.cpp compares the kernels themselves where there is a device.
#include "engine/kernels/cuda/loss_bodies.h"
#include "engine/kernels/cuda/norm_bodies.h"
#include "engine/kernels/dropout.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/kernels/cuda_teams.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using cuda::BFloat16;
using namespace testing_support;

constexpr int kTwinQuads = 80;  // so that one lane can keep a row of 300

template <class T>
class CudaTwin : public testing::Test {};
using Types = testing::Types<float, BFloat16>;
TYPED_TEST_SUITE(CudaTwin, Types);

TEST(CudaTwinNumbers, BFloat16IsTorchs) {
    const at::Tensor x = at::cat({drawn("x", {2000}, at::kFloat) * 100,
                                  at::tensor({0.0F, -0.0F, 1e-40F, 3.4e38F, INFINITY, -INFINITY, 1.00390625F, 1.01171875F})});
    const at::Tensor expected = x.to(at::kBFloat16);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
        BFloat16 made{};
        cuda::fromFloat(x[i].item<float>(), made);
        EXPECT_EQ(made.bits, expected[i].item<at::BFloat16>().x) << x[i];
        EXPECT_EQ(cuda::toFloat(made), expected[i].item<float>());
    }
    BFloat16 none{};
    cuda::fromFloat(NAN, none);
    EXPECT_TRUE(std::isnan(cuda::toFloat(none)));
}

TEST(CudaTwinNumbers, QuadsOfRowsCoverEveryElementOnce) {
    for (const std::int64_t width : {1, 2, 3, 4, 5, 8, 13}) {
        std::vector<int> visits(static_cast<std::size_t>(7 * width));
        for (std::int64_t row = 0; row < 7; ++row) {
            const cuda::Span span{row * width, width};
            EXPECT_LE(span.quads(), cuda::quadsOf(width));
            for (std::int64_t i = 0; i < span.quads(); ++i)
                for (int j = 0; j < 4; ++j)
                    if (span.quad(i).holds(j)) ++visits.at(static_cast<std::size_t>(span.quad(i).first + j));
        }
        EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 7 * width);
    }
}

TYPED_TEST(CudaTwin, DropoutKeepsTheElementsOfTheMask) {
    const std::int64_t counters = 17 + (std::int64_t{2} << 32);
    const RandomKey key = randomKey(1, "drop", 17, 2);
    RandomKey byDevice = randomKey(1, "drop", 4, 1);
    byDevice.countersAt = &counters;
    for (const std::int64_t n : {1, 3, 4, 5, 130, 1001})
        for (const bool rectifies : {false, true}) {
            const at::Tensor x = drawn("x", {n}, kTypeOf<TypeParam>), y = at::empty_like(x);
            const auto type = kElementOf<TypeParam>;
            runElements(
                cuda::DropoutPass<TypeParam>{{x.data_ptr(), y.data_ptr(), n, type, cudaDropOf(byDevice, 0.3), rectifies}}, n);
            const at::Tensor kept = rectifies ? at::relu(x) : x;
            EXPECT_TRUE(at::equal(y.ne(0), (kept * dropoutMask(key, 0.3, {n}, at::kFloat)).ne(0)));
            EXPECT_TRUE(at::equal(y, (kept.to(at::kFloat) * dropoutMask(key, 0.3, {n}, at::kFloat)).to(x.scalar_type())));
        }
}

TEST(CudaTwinDropout, AddsGradientsOfCopiesAndMakesACopy) {
    const RandomKey key = randomKey(1, "drop", 17, 2);
    for (const std::int64_t n : {1, 5, 130}) {
        const at::Tensor x = drawn("x", {n}, at::kFloat), a = drawn("a", {n}, at::kBFloat16),
                         b = drawn("b", {n}, at::kBFloat16);
        const at::Tensor y = at::empty_like(x), y16 = at::empty_like(a);
        runElements(cuda::DropoutPass<float>{{x.data_ptr(),
                                              y.data_ptr(),
                                              n,
                                              cuda::ElementType::Float32,
                                              cudaDropOf(key, 0.3),
                                              false,
                                              {a.data_ptr(), nullptr, b.data_ptr()},
                                              y16.data_ptr()}},
                    n);
        EXPECT_TRUE(at::equal(y, (x + a + b) * dropoutMask(key, 0.3, {n}, at::kFloat)));
        EXPECT_TRUE(at::equal(y16, y.to(at::kBFloat16)));
    }
}

template <class Stream, class T>
void adjustsLikeItsDefinition() {
    for (const std::int64_t n : {1, 4, 7, 222}) {
        const at::Tensor x = drawn("x", {n}, kTypeOf<Stream>), a = drawn("a", {n}, kTypeOf<T>), e = drawn("e", {n}, kTypeOf<T>);
        const at::Tensor y = at::empty_like(x);
        runElements(cuda::AdjustPass<Stream, T>{{x.data_ptr(), a.data_ptr(), e.data_ptr(), y.data_ptr(), n, kElementOf<Stream>,
                                                 kElementOf<T>}},
                    n);
        const at::Tensor correction = at::tanh(a.to(at::kDouble)) * at::sigmoid(e.to(at::kDouble));
        EXPECT_LT(relative(y, x.to(at::kDouble) + correction), kToleranceOf<Stream>);
    }
}
TEST(CudaTwinAdjust, IsItsDefinition) {
    adjustsLikeItsDefinition<float, float>();
    adjustsLikeItsDefinition<BFloat16, BFloat16>();
    adjustsLikeItsDefinition<float, BFloat16>();
}

/// A normalised residual sum and its gradients, by teams of `lanes` threads.
struct NormCase {
    std::int64_t rows, width;
    bool hasGate;
    double p;
    int lanes;
    std::int64_t rowsPerPartial = 8;
    bool isReduced = false;  ///< also computes the bfloat16 copy, which then has two gradients
    bool keepsSum = false;   ///< also stores the sum, which then has a gradient, and which backward reads
    bool sumsBranch = true;  ///< also adds up ds and dgate
    int teams = 1;           ///< of a block, in backward
};
template <class T, int kQuads = kTwinQuads>
// NOLINTNEXTLINE(readability-function-size): a case has all operands of both passes
void normsLikeItsDefinition(const NormCase& in) {
    const std::vector<std::int64_t> sizes{in.rows, in.width};
    const at::Tensor r = drawn("r", sizes, at::kFloat), s = drawn("s", sizes, kTypeOf<T>),
                     gate = drawn("gate", sizes, kTypeOf<T>);
    const at::Tensor weight = drawn("weight", {in.width}, at::kFloat), bias = drawn("bias", {in.width}, at::kFloat);
    const at::Tensor dy = drawn("dy", sizes, at::kFloat), dy16 = drawn("dy16", sizes, at::kBFloat16),
                     otherDy16 = drawn("other", sizes, at::kBFloat16);
    const RandomKey key = randomKey(5, "sublayer", 3, 1);
    const at::Tensor mean = at::empty({in.rows}), inverse = at::empty({in.rows}), y = at::empty_like(r);
    const at::Tensor y16 = at::empty(sizes, at::kBFloat16);
    const at::Tensor z = at::empty_like(r), dz = drawn("dz", sizes, at::kFloat);
    cuda::AddNormArguments forward{};
    forward.rows = in.rows, forward.width = in.width;
    forward.r = r.data_ptr<float>(), forward.s = s.data_ptr();
    forward.gate = in.hasGate ? gate.data_ptr() : nullptr;
    forward.weight = weight.data_ptr<float>(), forward.bias = bias.data_ptr<float>();
    forward.type = kElementOf<T>, forward.eps = 1e-5, forward.drop = cudaDropOf(key, in.p);
    forward.mean = mean.data_ptr<float>(), forward.inverse = inverse.data_ptr<float>();
    forward.y = y.data_ptr<float>(), forward.y16 = in.isReduced ? y16.data_ptr() : nullptr;
    forward.z = in.keepsSum ? z.data_ptr<float>() : nullptr;
    runRows(cuda::AddNormPass<T, kQuads>{forward}, in.rows, in.lanes);

    if (in.keepsSum) forward.r = nullptr;
    if (in.keepsSum && !in.hasGate) forward.s = nullptr;
    const std::int64_t blocks = (in.rows + in.rowsPerPartial - 1) / in.rowsPerPartial;
    const at::Tensor dr = at::empty_like(r), ds = at::empty_like(s), dgate = at::zeros_like(gate);
    const at::Tensor dweight = at::empty({blocks, in.width}), dbias = at::empty({blocks, in.width}),
                     dsSums = at::empty({blocks, in.width}), dgateSums = at::empty({blocks, in.width});
    runBlocks(
        cuda::AddNormBackwardPass<T, kQuads>{
            {forward, dy.data_ptr<float>(), dr.data_ptr<float>(), ds.data_ptr(), in.hasGate ? dgate.data_ptr() : nullptr,
             dweight.data_ptr<float>(), dbias.data_ptr<float>(), in.rowsPerPartial, in.isReduced ? dy16.data_ptr() : nullptr,
             in.isReduced ? otherDy16.data_ptr() : nullptr, in.keepsSum ? dz.data_ptr<float>() : nullptr,
             in.sumsBranch ? dsSums.data_ptr<float>() : nullptr,
             in.sumsBranch && in.hasGate ? dgateSums.data_ptr<float>() : nullptr}},
        blocks, in.lanes, in.teams);

    const at::Tensor r64 = leaf(r), s64 = leaf(s), gate64 = leaf(gate), weight64 = leaf(weight), bias64 = leaf(bias);
    const at::Tensor branch = s64 * dropoutMask(key, in.p, sizes, at::kDouble);
    const at::Tensor sum = r64 + (in.hasGate ? at::sigmoid(gate64) * branch : branch),
                     expected = at::layer_norm(sum, {in.width}, weight64, bias64, 1e-5);
    const at::Tensor above = in.isReduced ? dy.to(at::kDouble) + dy16 + otherDy16 : dy.to(at::kDouble);
    const at::Tensor objective = (expected * above).sum();
    (in.keepsSum ? objective + (sum * dz.to(at::kDouble)).sum() : objective).backward();
    EXPECT_LT(relative(y, expected), 1e-5);
    if (in.keepsSum) {
        EXPECT_LT(relative(z, sum), 1e-6);
    }
    if (in.isReduced) {
        EXPECT_TRUE(at::equal(y16, y.to(at::kBFloat16)));
    }
    EXPECT_LT(relative(dr, r64.grad()), 1e-5);
    EXPECT_LT(relative(ds, s64.grad()), kToleranceOf<T>);
    EXPECT_LT(relative(dweight.sum(0), weight64.grad()), 1e-5);
    EXPECT_LT(relative(dbias.sum(0), bias64.grad()), 1e-5);
    if (in.sumsBranch) {
        EXPECT_LT(relative(dsSums.sum(0), s64.grad().sum(0)), 1e-5);
    }
    if (in.hasGate) {
        EXPECT_LT(relative(dgate, gate64.grad()), kToleranceOf<T>);
    }
    if (in.hasGate && in.sumsBranch) {
        EXPECT_LT(relative(dgateSums.sum(0), gate64.grad().sum(0)), 1e-5);
    }
    EXPECT_TRUE(at::equal(ds.eq(0), s64.grad().eq(0))) << "another element was dropped";
}

TYPED_TEST(CudaTwin, AddNormIsDropoutSumAndNorm) {
    for (const int lanes : {1, 3, 4})
        for (const auto& [rows, width] : {std::pair(1, 20), std::pair(7, 36), std::pair(9, 140), std::pair(17, 300)})
            for (const bool hasGate : {false, true})
                for (const double p : {0.0, 0.4}) {
                    SCOPED_TRACE(testing::Message()
                                 << lanes << " lanes, " << rows << " x " << width << " p " << p << (hasGate ? ", gated" : ""));
                    normsLikeItsDefinition<TypeParam>({rows, width, hasGate, p, lanes});
                }
}

TYPED_TEST(CudaTwin, AddNormAddsAnyNumberOfRowsInOnePartialSum) {
    for (const std::int64_t rows : {1, 2, 5, 17, 40}) {
        SCOPED_TRACE(testing::Message() << rows << " rows a partial sum");
        for (const bool sumsBranch : {false, true})
            normsLikeItsDefinition<TypeParam>({17, 36, true, 0.4, 3, rows, false, false, sumsBranch});
    }
}

TYPED_TEST(CudaTwin, TheTeamsOfABlockMakeOnePartialSum) {
    constexpr int kFewQuads = 5;  // 2 lanes keep a row of 36
    for (const int teams : {2, 5})
        for (const std::int64_t rows : {1, 3, 5, 8, 40})
            for (const std::int64_t width : {20, 36})
                for (const bool sumsBranch : {false, true}) {
                    SCOPED_TRACE(testing::Message() << teams << " teams, " << rows << " rows a block, width " << width);
                    normsLikeItsDefinition<TypeParam, kFewQuads>(
                        {17, width, true, 0.4, 2, rows, true, true, sumsBranch, teams});
                }
}

TEST(CudaTwinNorm, PartialSumsAreManyOfFewRowsAndFewOfMany) {
    for (const std::int64_t width : {64, 128, 512, 1024, 4096}) {
        std::int64_t before = 1;
        for (const std::int64_t rows : {1, 100, 2048, 8192, 65536, 1 << 20}) {
            const std::int64_t each = cuda::rowsPerPartial(rows, width), partials = cuda::partialsOf(rows, each);
            const int lanes = cuda::lanesFor(width / 4), teams = cuda::teamsOfBlock(lanes, cuda::kMostLanes);
            EXPECT_GE(each, before);
            EXPECT_LE(partials * lanes * teams, std::int64_t{132} * 512) << "more threads than run at once";
            EXPECT_TRUE(each == teams || partials * lanes * teams >= std::int64_t{132} * 256) << "multiprocessors wait";
            before = each;
        }
    }
    EXPECT_EQ(cuda::rowsPerPartial(2048, 512), 16) << "a row for each team";
    EXPECT_EQ(cuda::rowsPerPartial(65536, 512), 497) << "for each of 132 blocks";
    EXPECT_EQ(cuda::rowsPerPartial(8192, 512, 384), 63);
    EXPECT_EQ(cuda::rowsPerPartial(8192, 1024, 384), 21) << "three blocks a multiprocessor";
    EXPECT_EQ(cuda::rowsPerPartial(65536, 4096, 384), cuda::rowsPerPartial(65536, 4096)) << "one team each";
}

TYPED_TEST(CudaTwin, AddNormKeepsItsSumAndTakesTheGradientsOfAll) {
    for (const int lanes : {1, 3})
        for (const bool hasGate : {false, true})
            for (const bool isReduced : {false, true})
                for (const double p : {0.0, 0.4}) {
                    SCOPED_TRACE(testing::Message() << lanes << " lanes, p " << p << (hasGate ? ", gated" : "")
                                                    << (isReduced ? ", with its copy" : ""));
                    normsLikeItsDefinition<TypeParam>({9, 140, hasGate, p, lanes, 4, isReduced, true});
                }
}

TYPED_TEST(CudaTwin, AddNormMakesItsCopyAndTakesTheGradientsOfBoth) {
    for (const int lanes : {1, 3})
        for (const bool hasGate : {false, true}) normsLikeItsDefinition<TypeParam>({9, 140, hasGate, 0.4, lanes, 8, true});
}

/// The results of CrossEntropyPass and LossSumsPass.
struct LossMade {
    at::Tensor gradient_NV, losses_3N, sums_3;
};
template <class T>
LossMade lossOf(at::Tensor logits_NV, at::Tensor gradient_NV, const at::Tensor& targets_N, const double* scale, int lanes,
                double zLoss = 0) {
    const std::int64_t rows = logits_NV.size(0), classes = logits_NV.size(1);
    LossMade made{gradient_NV, at::empty({3, rows}), at::empty({3})};
    const cuda::CrossEntropyArguments of{rows,
                                         classes,
                                         logits_NV.data_ptr(),
                                         made.gradient_NV.data_ptr(),
                                         logits_NV.stride(0),
                                         made.gradient_NV.stride(0),
                                         kElementOf<T>,
                                         targets_N.data_ptr<std::int64_t>(),
                                         -1,
                                         0.1,
                                         -7,
                                         scale,
                                         made.losses_3N.data_ptr<float>(),
                                         made.sums_3.data_ptr<float>(),
                                         zLoss};
    runRows(cuda::CrossEntropyPass<T, kTwinQuads>{of}, rows, lanes);  // of 1003 classes one lane cannot keep a row
    runRows(cuda::LossSumsPass{of}, 3, lanes);
    return made;
}
/// With the gradient over the logits.
template <class T>
LossMade lossOf(const at::Tensor& logits_NV, const at::Tensor& targets_N, const double* scale, int lanes) {
    return lossOf<T>(logits_NV, logits_NV, targets_N, scale, lanes);
}

TYPED_TEST(CudaTwin, CrossEntropyIsItsDefinition) {
    const double scale = 0.25;
    for (const int lanes : {1, 3, 4})
        for (const std::int64_t classes : {2, 5, 16, 37, 1003}) {
            SCOPED_TRACE(testing::Message() << lanes << " lanes, " << classes << " classes");
            const at::Tensor logits = drawn("logits", {11, classes}, kTypeOf<TypeParam>) * 5;
            at::Tensor targets = at::arange(11).remainder(classes);
            targets[3] = -1;
            const LossMade made = lossOf<TypeParam>(logits.clone(), targets, &scale, lanes);

            const at::Tensor z = leaf(logits), logs = z.log_softmax(1), counted = targets.ne(-1).to(at::kDouble);
            const at::Tensor nll = -logs.gather(1, targets.clamp_min(0).unsqueeze(1)).squeeze(1) * counted;
            const at::Tensor objective = ((nll * 0.9 - logs.mean(1) * counted * 0.1).sum() * scale);
            objective.backward();
            EXPECT_LT(relative(made.gradient_NV, z.grad()), kToleranceOf<TypeParam>);
            EXPECT_EQ(made.gradient_NV[3].abs().max().template item<float>(), 0);
            EXPECT_LT(relative(made.losses_3N[1], nll), 1e-5);
            EXPECT_LT(relative(made.sums_3[0], objective), 1e-5);
            EXPECT_LT(relative(made.sums_3[1], nll.sum()), 1e-5);
            const at::Tensor right = z.argmax(1).eq(targets);
            EXPECT_EQ(made.sums_3[2].template item<float>(), static_cast<float>(right.sum().template item<std::int64_t>()));
        }
}

TYPED_TEST(CudaTwin, ZLossIsItsDefinition) {
    const double scale = 0.25, z = 0.03;
    for (const int lanes : {1, 3})
        for (const std::int64_t classes : {5, 1003}) {
            SCOPED_TRACE(testing::Message() << lanes << " lanes, " << classes << " classes");
            const at::Tensor logits = drawn("logits", {7, classes}, kTypeOf<TypeParam>) * 5 + 1;
            at::Tensor targets = at::arange(7).remainder(classes);
            targets[3] = -1;
            const at::Tensor own = logits.clone();
            const LossMade made = lossOf<TypeParam>(own, own, targets, &scale, lanes, z);

            const at::Tensor x = leaf(logits), logs = x.log_softmax(1), counted = targets.ne(-1).to(at::kDouble);
            const at::Tensor nll = -logs.gather(1, targets.clamp_min(0).unsqueeze(1)).squeeze(1) * counted;
            const at::Tensor square = x.logsumexp(1, false).square() * counted;
            const at::Tensor objective = ((nll * 0.9 - logs.mean(1) * counted * 0.1 + square * z).sum() * scale);
            objective.backward();
            EXPECT_LT(relative(made.gradient_NV, x.grad()), kToleranceOf<TypeParam>);
            EXPECT_LT(relative(made.sums_3[0], objective), 1e-5);
            EXPECT_LT(relative(made.sums_3[1], nll.sum()), 1e-5);
        }
}

TYPED_TEST(CudaTwin, OfEqualLogitsTheFirstIsThePrediction) {
    const double scale = 1;
    for (const int lanes : {1, 3, 4})
        for (const std::int64_t classes : {2, 5, 37, 1003}) {
            const at::Tensor equal = at::zeros({12, classes}, kTypeOf<TypeParam>);
            const at::Tensor targets = at::arange(12).remainder(classes), first = targets.eq(0);
            const LossMade made = lossOf<TypeParam>(equal.clone(), targets, &scale, lanes);
            EXPECT_TRUE(at::equal(made.losses_3N[2], first.to(at::kFloat))) << lanes << " lanes, " << classes << " classes";
        }
}

TYPED_TEST(CudaTwin, CrossEntropyTakesRowsThatLieApart) {
    const double scale = 0.25;
    const at::Tensor targets = at::tensor(std::vector<std::int64_t>{0, 36, -1, 5});
    for (const int lanes : {1, 3})
        for (const std::int64_t stride : {37, 38, 64}) {
            const at::Tensor logits = drawn("logits", {4, 37}, kTypeOf<TypeParam>) * 5;
            const LossMade expected = lossOf<TypeParam>(logits.clone(), targets, &scale, lanes);
            const at::Tensor memory = at::full({4, stride}, 7, logits.options()),
                             other = at::full({4, 41}, 7, logits.options());
            const at::Tensor apart = memory.narrow(1, 0, 37).copy_(logits), own = other.narrow(1, 0, 37);
            const LossMade besides = lossOf<TypeParam>(apart, own, targets, &scale, lanes);
            EXPECT_TRUE(at::equal(apart, logits));
            const LossMade over = lossOf<TypeParam>(apart, targets, &scale, lanes);
            for (const LossMade& made : {besides, over}) {
                EXPECT_LT(relative(made.gradient_NV, expected.gradient_NV), kToleranceOf<TypeParam>);  // other lanes add
                EXPECT_EQ(made.gradient_NV[2].abs().max().template item<float>(), 0);
                EXPECT_LT(relative(made.sums_3, expected.sums_3), 1e-5);
            }
            EXPECT_TRUE(memory.narrow(1, 37, stride - 37).eq(7).all().template item<bool>());
            EXPECT_TRUE(other.narrow(1, 37, 4).eq(7).all().template item<bool>());
        }
}

TEST(CudaTwinLoss, ShowsWhatIsNotFiniteAndStrangeTargets) {
    const double scale = 1;
    const at::Tensor logits = drawn("logits", {2, 40}, at::kFloat), targets = at::zeros({2}, at::kLong);
    const auto objectiveOf = [&](const at::Tensor& some, const at::Tensor& wanted) {
        return lossOf<float>(some.clone(), wanted, &scale, 3).sums_3[0].item<float>();
    };
    EXPECT_TRUE(std::isnan(objectiveOf(logits, targets + 40)));
    EXPECT_TRUE(std::isnan(objectiveOf(logits, targets - 2)));
    for (const float value : {NAN, INFINITY}) {
        const at::Tensor broken = logits.clone();
        broken[1][17] = value;
        EXPECT_FALSE(std::isfinite(objectiveOf(broken, targets))) << value;
    }
    for (const float value : {-1e30F, -INFINITY}) {
        const at::Tensor hidden = logits.clone();
        hidden[0][5] = value;
        EXPECT_EQ(std::isfinite(objectiveOf(hidden, targets)), value == -1e30F);  // smoothing sees every class
    }
}

}  // namespace
}  // namespace heddle
