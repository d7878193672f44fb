// SPDX-License-Identifier: Apache-2.0
// The bodies of StarSaber's update, run on the host by teams of several sizes, against their definition in float64 (see
// cuda_twin_test.cpp). cuda_update_test.cpp compares the kernels themselves where there is a device.
#include "engine/kernels/cuda/update_bodies.h"
#include "engine/kernels/dropout.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/kernels/cuda_teams.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using cuda::BFloat16;
using namespace testing_support;

constexpr int kQuadsOfLoneLane = 80;  // so that one lane can keep a row of 300

enum class Alpha { Fixed, Number, Vector };

/// An update of rows and its gradients, by teams of `lanes` threads.
struct UpdateCase {
    std::int64_t rows, width;
    Alpha alpha = Alpha::Number;
    double p = 0;
    int lanes = 1;
    std::int64_t rowsPerPartial = 8;
    std::int64_t directStride = 0;  ///< 0: no direct path
    bool isReduced = false;         ///< also computes the bfloat16 copy, which then has a gradient
    int teams = 1;                  ///< of a block, in backward
};

/// The operands and results of one case.
template <class T>
struct UpdateRun {
    explicit UpdateRun(const UpdateCase& in)
        : h(drawn("h", {in.rows, in.width}, at::kFloat)),
          a(drawn("a", {in.rows, in.width}, kTypeOf<T>)),
          direct(drawn("direct", {in.rows, std::max(in.directStride, in.width)}, kTypeOf<T>)),
          alpha(drawn("alpha", {in.alpha == Alpha::Vector ? in.width : 1}, at::kFloat)),
          y(at::empty_like(h)),
          y16(at::empty_like(h, h.options().dtype(at::kBFloat16))) {}

    void launch(const UpdateCase& in, const RandomKey& key) {
        forward.rows = in.rows, forward.width = in.width;
        forward.h = h.data_ptr<float>(), forward.a = a.data_ptr();
        if (in.directStride > 0) forward.direct = direct.data_ptr(), forward.directStride = in.directStride;
        if (in.alpha != Alpha::Fixed) forward.alpha = alpha.data_ptr<float>();
        forward.alphaElements = in.alpha == Alpha::Vector ? in.width : 1;
        forward.weight = 0.5F;
        forward.type = kElementOf<T>;
        forward.drop = cudaDropOf(key, in.p);
        forward.y = y.data_ptr<float>();
        if (in.isReduced) forward.y16 = y16.data_ptr();
        runRows(cuda::TanhUpdatePass<T>{forward}, in.rows, in.lanes);
    }

    at::Tensor h, a, direct, alpha, y, y16;
    cuda::TanhUpdateArguments forward{};
};

template <class T>
void updatesLikeItsDefinition(const UpdateCase& in) {
    const RandomKey key = randomKey(5, "sublayer", 3, 1);
    const std::vector<std::int64_t> sizes{in.rows, in.width};
    UpdateRun<T> run(in);
    run.launch(in, key);
    const std::int64_t blocks = (in.rows + in.rowsPerPartial - 1) / in.rowsPerPartial;
    const at::Tensor dy = drawn("dy", sizes, at::kFloat), dy16 = drawn("dy16", sizes, at::kBFloat16),
                     other16 = drawn("other16", sizes, at::kBFloat16);
    const at::Tensor dh = at::zeros(sizes), daRows = at::zeros_like(run.direct), da = daRows.narrow(1, 0, in.width);
    const at::Tensor dalpha = at::empty({blocks, in.alpha == Alpha::Vector ? in.width : 4});
    runBlocks(cuda::TanhUpdateBackwardPass<T, kQuadsOfLoneLane>{{run.forward,
                                                                 dy.data_ptr<float>(),
                                                                 {in.isReduced ? dy16.data_ptr() : nullptr,
                                                                  in.isReduced ? other16.data_ptr() : nullptr},
                                                                 in.isReduced ? dh.data_ptr<float>() : nullptr,
                                                                 da.data_ptr(),
                                                                 daRows.size(1),
                                                                 in.alpha == Alpha::Fixed ? nullptr : dalpha.data_ptr<float>(),
                                                                 in.rowsPerPartial}},
              blocks, in.lanes, in.teams);

    const at::Tensor h64 = leaf(run.h), a64 = leaf(run.a), direct64 = leaf(run.direct.narrow(1, 0, in.width)),
                     alpha64 = leaf(in.alpha == Alpha::Fixed ? at::full({1}, 0.5) : run.alpha);
    const at::Tensor update = at::tanh(in.directStride > 0 ? a64 + direct64 : a64);
    const at::Tensor expected = h64 + alpha64 * update * dropoutMask(key, in.p, sizes, at::kDouble);
    expected.backward(in.isReduced ? dy.to(at::kDouble) + dy16.to(at::kDouble) + other16.to(at::kDouble) : dy.to(at::kDouble));
    EXPECT_LT(relative(run.y, expected), 1e-5);
    EXPECT_LT(relative(da, a64.grad()), kToleranceOf<T>);
    EXPECT_TRUE(daRows.narrow(1, in.width, daRows.size(1) - in.width).eq(0).all().item<bool>()) << "of another part";
    EXPECT_TRUE(at::equal(da.eq(0), a64.grad().to(da.scalar_type()).eq(0))) << "another element was dropped";
    if (in.directStride > 0) {
        EXPECT_TRUE(at::equal(direct64.grad(), a64.grad())) << "da is the gradient of direct, too";
    }
    if (in.isReduced) {
        EXPECT_TRUE(at::equal(run.y16, run.y.to(at::kBFloat16)));
        EXPECT_LT(relative(dh, h64.grad()), 1e-5);
    }
    if (in.alpha == Alpha::Vector) {
        EXPECT_LT(relative(dalpha.sum(0), alpha64.grad()), 1e-5);
    }
    if (in.alpha == Alpha::Number) {
        EXPECT_LT(relative(dalpha.sum(0).narrow(0, 0, 1), alpha64.grad()), 1e-4);
        EXPECT_EQ(dalpha.narrow(1, 1, 3).abs().max().item<float>(), 0) << "columns that fill the quad";
    }
}

template <class T>
class CudaTwinUpdate : public testing::Test {};
using UpdateTypes = testing::Types<float, BFloat16>;
TYPED_TEST_SUITE(CudaTwinUpdate, UpdateTypes);

TYPED_TEST(CudaTwinUpdate, IsTanhDropoutAndWeightedSum) {
    for (const int lanes : {1, 3, 4})
        for (const auto& [rows, width] : {std::pair(1, 20), std::pair(7, 36), std::pair(9, 140), std::pair(17, 300)})
            for (const Alpha alpha : {Alpha::Fixed, Alpha::Number, Alpha::Vector})
                for (const double p : {0.0, 0.4}) {
                    SCOPED_TRACE(testing::Message() << lanes << " lanes, " << rows << " x " << width << " p " << p << ", alpha "
                                                    << static_cast<int>(alpha));
                    updatesLikeItsDefinition<TypeParam>({rows, width, alpha, p, lanes, 8, width});
                }
}

TYPED_TEST(CudaTwinUpdate, TakesTheCopysGradientAndRowsOfAJointProduct) {
    for (const std::int64_t directStride : {0, 36, 72, 109})
        for (const bool isReduced : {false, true}) {
            SCOPED_TRACE(testing::Message() << "stride " << directStride << (isReduced ? ", with a copy" : ""));
            updatesLikeItsDefinition<TypeParam>({9, 36, Alpha::Vector, 0.4, 3, 8, directStride, isReduced});
        }
}

TYPED_TEST(CudaTwinUpdate, AddsAnyNumberOfRowsInOnePartialSum) {
    for (const std::int64_t rows : {1, 2, 5, 17, 40})
        for (const Alpha alpha : {Alpha::Number, Alpha::Vector}) {
            SCOPED_TRACE(testing::Message() << rows << " rows a partial sum");
            updatesLikeItsDefinition<TypeParam>({17, 36, alpha, 0.4, 3, rows, 36});
            updatesLikeItsDefinition<TypeParam>({17, 36, alpha, 0.4, 2, rows, 36, false, 3});
        }
}

}  // namespace
}  // namespace heddle
