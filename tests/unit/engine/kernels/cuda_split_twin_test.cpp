// SPDX-License-Identifier: Apache-2.0
// The bodies of the kernels that split the weights of attention at the query, run on the host (see cuda_twin_test.cpp). B 2,
// H 3.
#include "engine/kernels/cuda/split_bodies.h"
#include "engine/kernels/cuda_kernels.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/kernels/cuda_teams.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using cuda::BFloat16;
using namespace testing_support;

constexpr int kSplitQuads = 12;
constexpr double kScoreOfHidden = -1e30, kScale = 0.25;

/// Queries are the last positions of the keys. `left` and `right` are the parts of the sides.
struct SplitCase {
    std::int64_t queries, keys, lastLeft, firstRight;
    int left, right;
    at::Tensor hidden;  ///< broadcasts to [B,H,Q,K]
    int lanes;
};

template <class T, int kParts>
void splitsLikeItsDefinition(const SplitCase& in) {
    const std::vector<std::int64_t> sizes{2, 3, in.queries, in.keys}, ofSides{2, 3, in.queries, in.keys, kParts};
    const at::Tensor raw = drawn("raw", sizes, kTypeOf<T>), dsides = drawn("dsides", ofSides, kTypeOf<T>);
    const at::Tensor sides = at::full_like(dsides, 7), draw = at::full_like(raw, 7);
    cuda::SplitWeightsArguments of{};
    of.shape = scoreShapeOf(raw), of.type = kElementOf<T>;
    if (in.hidden.defined()) of.hidden = hiddenKeysOf(in.hidden.expand(sizes));
    of.scale = kScale, of.hiddenScore = kScoreOfHidden;
    const std::int64_t first = in.keys - in.queries;  // position of the first query
    of.lastLeft = first + in.lastLeft, of.firstRight = first + in.firstRight;
    of.parts = kParts, of.left = in.left, of.right = in.right;
    of.raw = raw.data_ptr(), of.sides = sides.data_ptr();
    const std::int64_t rows = raw.numel() / in.keys;
    runRows(cuda::SplitWeightsPass<T, kSplitQuads, kParts>{of}, rows, in.lanes);
    runRows(cuda::SplitWeightsBackwardPass<T, kSplitQuads, kParts>{{of, dsides.data_ptr(), draw.data_ptr()}}, rows, in.lanes);

    const at::Tensor raw64 = leaf(raw), scaled = raw64 * kScale;
    const at::Tensor weights = at::softmax(in.hidden.defined() ? scaled.masked_fill(in.hidden, kScoreOfHidden) : scaled, -1);
    std::vector<at::Tensor> expected(kParts, at::zeros_like(weights));
    expected[static_cast<std::size_t>(in.left)] = weights.tril(of.lastLeft);
    expected[static_cast<std::size_t>(in.right)] = weights.triu(of.firstRight);
    const at::Tensor all = at::stack(expected, -1);
    all.backward(dsides.to(at::kDouble));
    EXPECT_LT(relative(sides, all), kToleranceOf<T>);
    EXPECT_TRUE(at::equal(sides.eq(0), all.to(sides.scalar_type()).eq(0))) << "a weight on the wrong side";
    EXPECT_LT(relative(draw, raw64.grad()), kToleranceOf<T>);
}

template <class T>
class CudaTwinSplit : public testing::Test {};
using SplitTypes = testing::Types<float, BFloat16>;
TYPED_TEST_SUITE(CudaTwinSplit, SplitTypes);

TYPED_TEST(CudaTwinSplit, IsTheSoftmaxInTwoTriangles) {
    for (const auto& [queries, keys] : {std::pair(1, 1), std::pair(5, 5), std::pair(1, 7), std::pair(8, 8), std::pair(3, 33)}) {
        at::Tensor ends = at::zeros({2, 1, 1, keys}, at::kBool);
        ends[1].slice(2, keys - 1).fill_(true);  // K = 1: a row that sees nothing
        for (const auto& [lastLeft, firstRight] : {std::pair(-1, 0), std::pair(0, 1), std::pair(0, 0)})
            for (const at::Tensor& hidden : {at::Tensor(), ends})
                for (const int lanes : {1, 3}) {
                    SCOPED_TRACE(testing::Message()
                                 << queries << " x " << keys << " up to " << lastLeft << ", from " << firstRight << ", "
                                 << lanes << " lanes" << (hidden.defined() ? ", hidden" : ""));
                    splitsLikeItsDefinition<TypeParam, 2>({queries, keys, lastLeft, firstRight, 1, 0, hidden, lanes});
                    splitsLikeItsDefinition<TypeParam, 3>({queries, keys, lastLeft, firstRight, 0, 1, hidden, lanes});
                    splitsLikeItsDefinition<TypeParam, 3>({queries, keys, lastLeft, firstRight, 2, 1, hidden, lanes});
                }
    }
}

}  // namespace
}  // namespace heddle
