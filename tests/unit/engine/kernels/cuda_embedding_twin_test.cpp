// SPDX-License-Identifier: Apache-2.0
// The kernels of a stack's input, run on the host by teams of several sizes, give the same numbers as the operators that they
// replace (see cuda_twin_test.cpp). cuda_embedding_test.cpp compares the kernels themselves where there is a device.
#include "engine/kernels/cuda/sum_bodies.h"
#include "engine/kernels/dropout.h"
#include "tests/unit/engine/kernels/cuda_teams.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using namespace testing_support;

constexpr std::int64_t kWords = 9;

/// Ids [3,4], some of them several times.
at::Tensor someIds() { return at::tensor(std::vector<std::int64_t>{3, 0, 3, 8, 3, 1, 0, 3, 3, 5, 3, 8}).view({3, 4}); }

TEST(CudaTwinEmbedding, IsTheRowsWithPositionsAndDropout) {
    const at::Tensor ids = someIds();
    const RandomKey key = randomKey(1, "embed", 17, 2);
    for (const int lanes : {1, 3})
        for (const std::int64_t width : {4, 36})
            for (const bool hasPositions : {false, true})
                for (const double scale : {1.0, 5.7})
                    for (const double p : {0.0, 0.3}) {
                        SCOPED_TRACE(testing::Message() << lanes << " lanes, width " << width << ", scale " << scale << ", p "
                                                        << p << (hasPositions ? ", positions" : ""));
                        const at::Tensor table = drawn("table", {kWords, width}, at::kFloat),
                                         positions = drawn("positions", {4, width}, at::kFloat);
                        const at::Tensor y = at::empty({3, 4, width}), y16 = at::empty({3, 4, width}, at::kBFloat16);
                        const float* const at = hasPositions ? positions.const_data_ptr<float>() : nullptr;
                        runRows(cuda::EmbedPass{{12, width, kWords, 4, ids.const_data_ptr<std::int64_t>(),
                                                 table.const_data_ptr<float>(), at, static_cast<float>(scale),
                                                 cudaDropOf(key, p), y.data_ptr<float>(), y16.data_ptr()}},
                                12, lanes);
                        at::Tensor expected = at::embedding(table, ids) * scale;
                        if (hasPositions) expected = expected + positions;
                        expected = expected * dropoutMask(key, p, expected.sizes(), at::kFloat);
                        EXPECT_TRUE(at::equal(y, expected));
                        EXPECT_TRUE(at::equal(y16, expected.to(at::kBFloat16)));
                    }
}

TEST(CudaTwinEmbedding, AnUnknownIdMakesItsRowNaN) {
    const at::Tensor ids = at::tensor(std::vector<std::int64_t>{2, -1, 9, 0}), table = at::ones({kWords, 8}),
                     y = at::empty({4, 8});
    runRows(cuda::EmbedPass{{4,
                             8,
                             kWords,
                             4,
                             ids.const_data_ptr<std::int64_t>(),
                             table.const_data_ptr<float>(),
                             nullptr,
                             1,
                             {},
                             y.data_ptr<float>(),
                             nullptr}},
            4, 3);
    EXPECT_TRUE(at::equal(y.isnan().all(1), ids.eq(-1).logical_or(ids.eq(9))));
    EXPECT_TRUE(y[0].eq(1).all().item<bool>());
}

/// Gradients [12,W] of rows and of copies of them.
struct RowGradients {
    explicit RowGradients(std::int64_t width) : dy(drawn("dy", {12, width}, at::kFloat)) {
        for (const char* name : {"a", "b", "c"}) copies.push_back(drawn(name, {12, width}, at::kBFloat16));
    }
    at::Tensor dy;
    std::vector<at::Tensor> copies;
};

/// A table of sevens with the gradients that the pass adds up in three warps.
template <bool kDrops>
at::Tensor tableAfter(cuda::SortedEmbeddingGradientArguments in, const at::Tensor& dy) {
    const at::Tensor ids = someIds().flatten(), order = ids.argsort(/*stable=*/true),
                     table = at::full({kWords, dy.size(1)}, 7, dy.options());
    in.of = {12,
             dy.size(1),
             kWords,
             ids.const_data_ptr<std::int64_t>(),
             -1,
             dy.const_data_ptr(),
             table.mutable_data_ptr(),
             cuda::ElementType::Float32};
    in.order = order.const_data_ptr<std::int64_t>();
    runRows(cuda::SortedEmbeddingGradientPass<float, kDrops>{in}, 12 * cuda::blocksOfColumns(in.of, 2), 6, 3);
    return table;
}

TEST(CudaTwinEmbedding, GradientsAreThoseOfDroppedSumsOfCopies) {
    const RandomKey key = randomKey(1, "embed", 17, 2);
    for (const std::int64_t width : {4, 36})
        for (const double p : {0.0, 0.3})
            for (const double scale : {1.0, 5.7})
                for (const std::size_t copies : {0U, 1U, 3U}) {
                    SCOPED_TRACE(testing::Message()
                                 << width << " columns, p " << p << ", scale " << scale << ", " << copies << " copies");
                    const RowGradients of(width);
                    cuda::SortedEmbeddingGradientArguments in{};
                    in.scale = static_cast<float>(scale);
                    in.drop = cudaDropOf(key, p);
                    at::Tensor sum = of.dy;
                    for (std::size_t i = 0; i < copies; ++i) {
                        in.added[i] = of.copies[i].const_data_ptr();
                        sum = sum + of.copies[i];
                    }
                    const at::Tensor made = tableAfter<true>(in, of.dy);
                    const at::Tensor dropped = sum * dropoutMask(key, p, sum.sizes(), at::kFloat) * scale;
                    EXPECT_TRUE(at::equal(made, tableAfter<false>({}, dropped)));
                }
}

}  // namespace
}  // namespace heddle
