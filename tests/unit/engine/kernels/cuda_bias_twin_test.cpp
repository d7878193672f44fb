// SPDX-License-Identifier: Apache-2.0
// The bodies of the elementwise backward kernels that add up their gradients for biases, run on the host (see
// cuda_twin_test.cpp).
#include "engine/kernels/cuda/bias_bodies.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/kernels/cuda_teams.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using cuda::BFloat16;
using namespace testing_support;

/// A backward pass over [rows, columns], by a team of `lanes` threads in `warps` warps.
struct BiasCase {
    std::int64_t rows, columns, rowsOfPart;
    int lanes = 1, warps = 1;
    bool isOwed = true;  ///< whether the pass adds up its gradients
};

/// Calls `check` with every case.
template <class Check>
void forBiasCases(const Check& check) {
    for (const std::int64_t columns : {4, 12, 40})
        for (const std::int64_t rows : {1, 7, 50})
            for (const std::int64_t rowsOfPart : {3, 50})
                for (const auto& [lanes, warps] : {std::pair{1, 1}, {4, 2}, {6, 3}})
                    for (const bool isOwed : {false, true}) {
                        SCOPED_TRACE(testing::Message() << rows << " x " << columns << " by " << rowsOfPart << ", " << lanes
                                                        << " lanes" << (isOwed ? ", summed" : ""));
                        check(BiasCase{rows, columns, rowsOfPart, lanes, warps, isOwed});
                    }
}

/// Memory of sevens for the sums of parts.
at::Tensor sumsOf(const BiasCase& in) {
    return at::full({(in.rows + in.rowsOfPart - 1) / in.rowsOfPart, in.columns}, 7, at::kFloat);
}

template <class Pass>
void runItems(const Pass& pass, const BiasCase& in) {
    const std::int64_t parts = (in.rows + in.rowsOfPart - 1) / in.rowsOfPart, places = in.lanes / in.warps;
    runRows(pass, parts * ((in.columns / 4 + places - 1) / places), in.lanes, in.warps);
}

void expectSums(const at::Tensor& sums_PC, const at::Tensor& gradient_NC, const BiasCase& in) {
    if (!in.isOwed) {
        EXPECT_TRUE(sums_PC.eq(7).all().item<bool>()) << "nobody asked for sums";
        return;
    }
    EXPECT_LT(relative(sums_PC.sum(0), gradient_NC.sum(0)), 1e-5);
    EXPECT_LT(relative(sums_PC[0], gradient_NC.narrow(0, 0, std::min(in.rows, in.rowsOfPart)).sum(0)), 1e-5);
}

template <class T>
class CudaTwinBias : public testing::Test {};
using BiasTypes = testing::Types<float, BFloat16>;
TYPED_TEST_SUITE(CudaTwinBias, BiasTypes);

TYPED_TEST(CudaTwinBias, ReluDropoutBackwardIsItsDefinition) {
    forBiasCases([](const BiasCase& in) {
        const std::vector<std::int64_t> sizes{in.rows, in.columns};
        const at::Tensor y = at::relu(drawn("y", sizes, kTypeOf<TypeParam>)), dy = drawn("dy", sizes, kTypeOf<TypeParam>),
                         dx = at::empty_like(y), sums = sumsOf(in);
        runItems(cuda::ReluDropoutBackwardPass<TypeParam>{{in.rows, in.columns, in.rowsOfPart, y.data_ptr(), dy.data_ptr(),
                                                           dx.data_ptr(), kElementOf<TypeParam>, 1.0F / 0.7F,
                                                           in.isOwed ? sums.data_ptr<float>() : nullptr}},
                 in);
        const at::Tensor expected = at::where(y.eq(0), 0.0, dy.to(at::kDouble) / 0.7);
        EXPECT_LT(relative(dx, expected), kToleranceOf<TypeParam>);
        EXPECT_TRUE(at::equal(dx.eq(0), expected.eq(0)));
        expectSums(sums, expected, in);
    });
}

TYPED_TEST(CudaTwinBias, GeluBackwardIsItsDefinition) {
    for (const cuda::Gelu form : {cuda::Gelu::Exact, cuda::Gelu::Tanh})
        forBiasCases([&](const BiasCase& in) {
            SCOPED_TRACE(form == cuda::Gelu::Tanh ? "tanh" : "exact");
            const std::vector<std::int64_t> sizes{in.rows, in.columns};
            const at::Tensor x = drawn("x", sizes, kTypeOf<TypeParam>), dy = drawn("dy", sizes, kTypeOf<TypeParam>),
                             dx = at::empty_like(x), sums = sumsOf(in);
            runItems(cuda::GeluBackwardPass<TypeParam>{{in.rows, in.columns, in.rowsOfPart, x.data_ptr(), dy.data_ptr(),
                                                        dx.data_ptr(), kElementOf<TypeParam>, form,
                                                        in.isOwed ? sums.data_ptr<float>() : nullptr}},
                     in);
            const at::Tensor ofX = leaf(x);
            at::gelu(ofX, form == cuda::Gelu::Tanh ? "tanh" : "none").backward(dy.to(at::kDouble));
            EXPECT_LT(relative(dx, ofX.grad()), kToleranceOf<TypeParam>);
            expectSums(sums, ofX.grad(), in);
        });
}

template <class Stream, class T>
void adjustsBackwardLikeItsDefinition(const BiasCase& in) {
    const std::vector<std::int64_t> sizes{in.rows, in.columns};
    const at::Tensor dy = drawn("dy", sizes, kTypeOf<Stream>), a = drawn("a", sizes, kTypeOf<T>),
                     e = drawn("e", sizes, kTypeOf<T>), da = at::empty_like(a), de = at::empty_like(e), daSums = sumsOf(in),
                     deSums = sumsOf(in);
    runItems(cuda::AdjustBackwardPass<Stream, T>{{in.rows, in.columns, in.rowsOfPart, dy.data_ptr(), a.data_ptr(), e.data_ptr(),
                                                  da.data_ptr(), de.data_ptr(), kElementOf<Stream>, kElementOf<T>,
                                                  in.isOwed ? daSums.data_ptr<float>() : nullptr,
                                                  in.isOwed ? deSums.data_ptr<float>() : nullptr}},
             in);
    const at::Tensor ofA = leaf(a), ofE = leaf(e);
    (at::tanh(ofA) * at::sigmoid(ofE)).backward(dy.to(at::kDouble));
    EXPECT_LT(relative(da, ofA.grad()), kToleranceOf<T>);
    EXPECT_LT(relative(de, ofE.grad()), kToleranceOf<T>);
    expectSums(daSums, ofA.grad(), in);
    expectSums(deSums, ofE.grad(), in);
}

TEST(CudaTwinAdjustBackward, IsItsDefinition) {
    forBiasCases([](const BiasCase& in) {
        adjustsBackwardLikeItsDefinition<float, float>(in);
        adjustsBackwardLikeItsDefinition<BFloat16, BFloat16>(in);
        adjustsBackwardLikeItsDefinition<float, BFloat16>(in);
    });
}

}  // namespace
}  // namespace heddle
