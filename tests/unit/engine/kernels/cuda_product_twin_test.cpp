// SPDX-License-Identifier: Apache-2.0
// ReLU with dropout and its mask, run on the host (see cuda_twin_test.cpp), and products with an epilogue as cuBLASLt is asked
// for them: here a plain loop computes what the description of product_layout.h says.
#include "engine/kernels/cuda/mask_bodies.h"
#include "engine/kernels/cuda/product_layout.h"
#include "engine/kernels/dropout.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/kernels/cuda_teams.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using cuda::BFloat16;
using namespace testing_support;

constexpr double kDropped = 0.3;

/// y and mask of ReluDropoutPass.
template <class T>
void reluWithMask(const at::Tensor& x, const at::Tensor& y, const at::Tensor& mask, int lanes) {
    const std::int64_t counters = 17 + (std::int64_t{2} << 32);
    RandomKey key = randomKey(1, "inner", 4, 1);
    key.countersAt = &counters;
    runRows(cuda::ReluDropoutPass<T>{{x.data_ptr(), y.data_ptr(), static_cast<std::uint32_t*>(mask.data_ptr()), x.numel(),
                                      kElementOf<T>, cudaDropOf(key, kDropped)}},
            x.numel() / 32, lanes);
}

/// Bit e of a mask, for all elements.
at::Tensor bitsOf(const at::Tensor& mask) {
    const at::Tensor shifts = at::arange(32, at::kInt);
    return at::bitwise_and(at::bitwise_right_shift(mask.unsqueeze(1), shifts), 1).ne(0).flatten();
}

template <class T>
class CudaTwinMask : public testing::Test {};
using MaskedTypes = testing::Types<float, BFloat16>;
TYPED_TEST_SUITE(CudaTwinMask, MaskedTypes);

TYPED_TEST(CudaTwinMask, HasABitForEachElementThatReluAndDropoutLeave) {
    for (const std::int64_t n : {32, 96, 1024})
        for (const int lanes : {1, 4, 8}) {
            SCOPED_TRACE(testing::Message() << n << " elements, " << lanes << " lanes");
            const at::Tensor x = drawn("x", {n}, kTypeOf<TypeParam>), y = at::empty_like(x),
                             mask = at::full({n / 32}, 7, at::kInt);
            reluWithMask<TypeParam>(x, y, mask, lanes);
            const at::Tensor kept = dropoutMask(randomKey(1, "inner", 17, 2), kDropped, {n}, at::kFloat);
            EXPECT_TRUE(at::equal(y, (at::relu(x).to(at::kFloat) * kept).to(x.scalar_type())));
            EXPECT_TRUE(at::equal(bitsOf(mask), y.ne(0)));
        }
}

/// What cuBLASLt computes for this description.
void multiplyByColumns(const cuda::ProductArguments& a) {
    const cuda::ColumnProduct p = cuda::columnProductOf(a.shape);
    const bool sumsUp = a.shape.epilogue == cuda::ProductEpilogue::BiasGradient;
    ASSERT_EQ(p.a.rows, p.m);
    ASSERT_EQ(p.a.columns, p.k);
    ASSERT_EQ(p.transposesB ? p.b.columns : p.b.rows, p.k);
    ASSERT_EQ(p.transposesB ? p.b.rows : p.b.columns, p.n);
    ASSERT_TRUE(!sumsUp || p.transposesB);
    ASSERT_TRUE(sumsUp || p.d.stride % cuda::kMaskedColumns == 0);
    const auto in = [](const void* x, const cuda::ColumnProduct::Matrix& of, std::int64_t row, std::int64_t column) {
        return cuda::toFloat(static_cast<const BFloat16*>(x)[column * of.stride + row]);
    };
    for (std::int64_t j = 0; j < p.n; ++j) {
        const auto ofB = [&](std::int64_t l) { return p.transposesB ? in(a.dy, p.b, j, l) : in(a.dy, p.b, l, j); };
        for (std::int64_t i = 0; i < p.m; ++i) {
            float sum = 0;
            for (std::int64_t l = 0; l < p.k; ++l) sum += in(a.factor, p.a, i, l) * ofB(l);
            const std::int64_t at = j * p.d.stride + i;
            if (sumsUp)
                static_cast<float*>(a.made)[at] = a.scale * sum;
            else
                cuda::fromFloat(((a.mask[at / 32] >> (at % 32)) & 1U) != 0 ? a.scale * sum : 0.0F,
                                static_cast<BFloat16*>(a.made)[at]);
        }
        if (!sumsUp) continue;
        a.dbias[j] = 0;
        for (std::int64_t l = 0; l < p.k; ++l) a.dbias[j] += ofB(l);
    }
}

TEST(CudaTwinProduct, MakesTheGradientsOfWeightAndBias) {
    for (const std::int64_t rows : {1, 7, 33})
        for (const std::int64_t inputs : {8, 24})
            for (const std::int64_t outputs : {8, 40})
                for (const std::int64_t behind : {0, 16}) {
                    SCOPED_TRACE(testing::Message()
                                 << rows << ", " << inputs << " -> " << outputs << ", " << behind << " behind");
                    const at::Tensor dy = drawn("dy", {rows, outputs + behind}, at::kBFloat16),
                                     x = drawn("x", {rows, inputs + behind}, at::kBFloat16),
                                     dweight = at::full({outputs, inputs}, 7, at::kFloat),
                                     dbias = at::full({outputs}, 7, at::kFloat);
                    cuda::ProductArguments of{};
                    of.shape = {cuda::ProductEpilogue::BiasGradient, rows, inputs, outputs, dy.stride(0), x.stride(0)};
                    of.dy = dy.data_ptr(), of.factor = x.data_ptr(), of.made = dweight.data_ptr(), of.scale = 1;
                    of.dbias = dbias.data_ptr<float>();
                    multiplyByColumns(of);
                    const at::Tensor dy_NO = dy.narrow(1, 0, outputs).to(at::kDouble),
                                     x_NI = x.narrow(1, 0, inputs).to(at::kDouble);
                    EXPECT_LT(relative(dweight, at::mm(dy_NO.t(), x_NI)), 1e-5);
                    EXPECT_LT(relative(dbias, dy_NO.sum(0)), 1e-5);
                }
}

TEST(CudaTwinProduct, MasksTheGradientOfRelu) {
    for (const std::int64_t rows : {1, 5, 33})
        for (const std::int64_t inputs : {128, 384})
            for (const std::int64_t outputs : {8, 24}) {
                SCOPED_TRACE(testing::Message() << rows << ", " << inputs << " -> " << outputs);
                const at::Tensor h = drawn("h", {rows, inputs}, at::kBFloat16), y = at::empty_like(h), dh = at::empty_like(h),
                                 mask = at::empty({h.numel() / 32}, at::kInt), dy = drawn("dy", {rows, outputs}, at::kBFloat16),
                                 weight = drawn("weight", {outputs, inputs}, at::kBFloat16);
                reluWithMask<BFloat16>(h, y, mask, 1);
                cuda::ProductArguments of{};
                of.shape = {cuda::ProductEpilogue::ReluGradient, rows, inputs, outputs, outputs, inputs};
                of.dy = dy.data_ptr(), of.factor = weight.data_ptr(), of.made = dh.data_ptr();
                of.mask = static_cast<const std::uint32_t*>(mask.data_ptr());
                of.scale = static_cast<float>(1 / (1 - kDropped));
                multiplyByColumns(of);
                const at::Tensor ofH = leaf(h);
                (at::relu(ofH) * dropoutMask(randomKey(1, "inner", 17, 2), kDropped, {rows, inputs}, at::kDouble))
                    .backward(at::mm(dy.to(at::kDouble), weight.to(at::kDouble)));
                EXPECT_LT(relative(dh, ofH.grad()), kToleranceOf<BFloat16>);
                EXPECT_TRUE(at::equal(dh.eq(0), ofH.grad().eq(0)));
            }
}

}  // namespace
}  // namespace heddle
