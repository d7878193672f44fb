// SPDX-License-Identifier: Apache-2.0
// The bodies of the CUDA kernels that add up rows or values, run on the host (see cuda_twin_test.cpp).
#include "engine/kernels/cuda/sum_bodies.h"
#include "engine/train/report/histogram.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/kernels/cuda_teams.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using cuda::BFloat16;
using namespace testing_support;

template <class T>
class CudaTwinSums : public testing::Test {};
using SumTypes = testing::Types<float, BFloat16>;
TYPED_TEST_SUITE(CudaTwinSums, SumTypes);

TYPED_TEST(CudaTwinSums, ScatteredRowsAreThoseOfTheFirstOfEquals) {
    for (const std::int64_t width : {1, 4, 7, 32})
        for (const int lanes : {1, 3}) {
            const at::Tensor from = drawn("from", {5, width}, kTypeOf<TypeParam>), to = at::zeros({9, width}, from.options());
            const at::Tensor places = at::tensor(std::vector<std::int64_t>{0, 2, 3, 8, 8});
            runRows(cuda::ScatterRowsPass<TypeParam>{{5, width, from.data_ptr(), to.data_ptr(), kElementOf<TypeParam>,
                                                      places.data_ptr<std::int64_t>()}},
                    5, lanes);
            at::Tensor expected = at::zeros_like(to);
            expected.index_copy_(0, places.narrow(0, 0, 4), from.narrow(0, 0, 4));
            EXPECT_TRUE(at::equal(to, expected)) << width;
        }
}

/// Adds the gradients to a table of sevens; with an order by SortedEmbeddingGradientPass, else by EmbeddingGradientPass.
template <class T>
at::Tensor embeddingGradientOf(const at::Tensor& dy_NW, const at::Tensor& ids_N, std::int64_t ignored, std::pair<int, int> team,
                               const at::Tensor& order_N) {
    const at::Tensor table = at::full({9, dy_NW.size(1)}, 7, dy_NW.options());
    const cuda::EmbeddingGradientArguments a{dy_NW.size(0),
                                             dy_NW.size(1),
                                             9,
                                             ids_N.const_data_ptr<std::int64_t>(),
                                             ignored,
                                             dy_NW.const_data_ptr(),
                                             table.mutable_data_ptr(),
                                             kElementOf<T>};
    if (order_N.defined())
        runRows(cuda::SortedEmbeddingGradientPass<T, false>{{a, order_N.const_data_ptr<std::int64_t>()}},
                a.rows * cuda::blocksOfColumns(a, team.first / team.second), team.first, team.second);
    else
        runRows(cuda::EmbeddingGradientPass<T>{a}, a.rows, team.first, team.second);
    return table;
}

TYPED_TEST(CudaTwinSums, EmbeddingGradientsAreSumsOfTheRowsOfAnId) {
    const at::Tensor ids = at::tensor(std::vector<std::int64_t>{3, 0, 3, 8, 3, 1, 0, 3, 3, 5, 3, 3, 8, 3, 3, 1, -1, 9, 3,
                                                                3, 3, 3, 3, 3, 3, 3, 3, 5, 3, 3, 3, 3, 3, 3, 3, 3,  3, 3});
    const at::Tensor sorted = ids.argsort(/*stable=*/true);  // two rounds of three warps for the id 3
    for (const std::int64_t width : {1, 4, 7, 12, 37})
        for (const std::int64_t ignored : {-1, 3, 1})
            for (const auto& [lanes, warps] : {std::pair{1, 1}, {3, 1}, {4, 2}, {6, 3}}) {
                SCOPED_TRACE(testing::Message() << width << " columns without " << ignored << ", " << lanes << " lanes");
                const at::Tensor dy = drawn("dy", {ids.size(0), width}, kTypeOf<TypeParam>);
                at::Tensor expected = at::full({9, width}, 7, at::kDouble);
                for (std::int64_t id = 0; id < 9; ++id) {
                    const at::Tensor own = ids.eq(id).nonzero().flatten();
                    if (id != ignored && own.numel() > 0) expected[id] += dy.index_select(0, own).to(at::kDouble).sum(0);
                }
                for (const at::Tensor& order : {at::Tensor(), sorted}) {
                    const auto made = [&] { return embeddingGradientOf<TypeParam>(dy, ids, ignored, {lanes, warps}, order); };
                    const at::Tensor table = made();
                    EXPECT_LT(relative(table, expected), kToleranceOf<TypeParam>) << order.defined();
                    EXPECT_TRUE(table[2].eq(7).all().template item<bool>()) << "no position has this id";
                    EXPECT_TRUE(at::equal(table, made()));
                }
            }
}

TYPED_TEST(CudaTwinSums, ColumnSumsAreSumsOfRows) {
    for (const std::int64_t columns : {4, 12, 40})
        for (const std::int64_t rows : {1, 7, 50})
            for (const std::int64_t rowsOfPart : {3, 50})
                for (const auto& [lanes, warps] : {std::pair{1, 1}, {4, 2}, {6, 3}}) {
                    SCOPED_TRACE(testing::Message() << rows << " x " << columns << " by " << rowsOfPart << ", " << lanes);
                    const at::Tensor x = drawn("x", {2, rows, columns}, kTypeOf<TypeParam>);
                    cuda::ColumnSumsArguments a{
                        2, rows, columns, rowsOfPart, x.const_data_ptr(), nullptr, kElementOf<TypeParam>};
                    const at::Tensor sums = at::full({2, partsOfRows(a), columns}, 7, at::kFloat);
                    a.sums = sums.data_ptr<float>();
                    runRows(cuda::ColumnSumsPass<TypeParam>{a}, 2 * partsOfRows(a) * blocksOfColumns(a, lanes / warps), lanes,
                            warps);
                    EXPECT_LT(relative(sums.sum(1), x.to(at::kDouble).sum(1)), 1e-6);
                    EXPECT_LT(relative(sums.select(1, 0), x.narrow(1, 0, std::min(rows, rowsOfPart)).to(at::kDouble).sum(1)),
                              1e-6);
                }
}

TEST(CudaTwinPackedSums, AreThoseOfEveryEntry) {
    const std::vector<std::pair<std::int64_t, std::int64_t>> shapes{{1, 4}, {7, 132}, {50, 128}, {130, 260}, {3, 12}};
    for (const auto& [lanes, warps] : {std::pair{1, 1}, {4, 2}, {6, 3}}) {
        SCOPED_TRACE(lanes);
        cuda::PackedSumsArguments a{};
        std::vector<at::Tensor> partials, sums;
        for (const auto& [parts, columns] : shapes) {
            partials.push_back(drawn("partial" + std::to_string(columns), {parts, columns}, at::kFloat));
            sums.push_back(at::full({columns}, 7, at::kFloat));
            cuda::PackedSum& one = a.of[a.count++];
            one = {partials.back().const_data_ptr<float>(), sums.back().data_ptr<float>(), static_cast<std::int32_t>(parts),
                   static_cast<std::int32_t>(columns), a.items};
            a.items += itemsOf(one);
        }
        EXPECT_EQ(a.items, 1 + 2 + 1 + 3 + 1);
        runRows(cuda::PackedSumsPass{a}, a.items, lanes, warps);
        for (std::size_t i = 0; i < shapes.size(); ++i)
            EXPECT_LT(relative(sums[i], partials[i].to(at::kDouble).sum(0)), 1e-6) << shapes[i].second;
    }
}

TYPED_TEST(CudaTwinSums, HistogramsAreThoseOfTheCpu) {
    const HistogramRange range{-1, 1};
    for (const std::int64_t n : {1, 17, 1000})
        for (const int lanes : {1, 3}) {
            at::Tensor x = drawn("x", {n}, kTypeOf<TypeParam>);
            if (n > 10) x.narrow(0, 0, 6).copy_(at::tensor({1.0F, -1.0F, NAN, INFINITY, -INFINITY, 0.0F}));
            const at::Tensor row = at::empty({kHistogramBins + 7}, at::kDouble);
            const cuda::HistogramPass<TypeParam> pass{{n, kHistogramBins, x.const_data_ptr(), kElementOf<TypeParam>, -1, 1,
                                                       kHistogramBins / 2.0F, row.mutable_data_ptr<double>()}};
            runRows(pass, kHistogramBins + 4, lanes);
            const at::Tensor expected = countHistogram(x, range);
            EXPECT_TRUE(at::equal(row.narrow(0, 0, kHistogramBins + 3), expected.narrow(0, 0, kHistogramBins + 3)));
            EXPECT_LT(relative(row.narrow(0, kHistogramBins + 3, 4), expected.narrow(0, kHistogramBins + 3, 4)), 1e-12);
        }
}

}  // namespace
}  // namespace heddle
