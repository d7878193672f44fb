// SPDX-License-Identifier: Apache-2.0
// Where no product has an epilogue, as on the CPU, all is computed by the kernels and operators that stood there before.
#include "engine/kernels/product_epilogues.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/fused.h"
#include "engine/kernels/reduced.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnFloats;

TEST(ProductEpilogues, AreNotForTheCpu) {
    const at::Tensor dy = drawnFloats(7, "dy", {16, 8}).to(at::kBFloat16), x = drawnFloats(7, "x", {16, 24}).to(at::kBFloat16);
    EXPECT_FALSE(gradientsByOneProduct(dy, x).weight_OI.defined());
}

TEST(ProductEpilogues, MapsWithReluBetweenThemAreThoseMapsWithoutOne) {
    const RandomKey key = randomKey(1, "inner", 17);
    const auto drawnLeaf = [](const char* name, at::IntArrayRef sizes) {
        return drawnFloats(7, name, sizes).set_requires_grad(true);
    };
    const at::Tensor x = drawnLeaf("x", {3, 5, 16}), w1 = drawnLeaf("w1", {128, 16}), b1 = drawnLeaf("b1", {128}),
                     w2 = drawnLeaf("w2", {8, 128}), b2 = drawnLeaf("b2", {8}), dy = drawnFloats(7, "dy", {3, 5, 8}), none;
    for (const bool isReduced : {false, true})
        for (const bool hasBias : {false, true}) {
            const at::Tensor &first = hasBias ? b1 : none, &second = hasBias ? b2 : none;
            const auto run = [&](bool jointly) {
                const ReducedParameters copies({w1, b1, w2, b2});
                const ReducedScope scope(isReduced ? &copies : nullptr);
                for (const at::Tensor& leaf : {x, w1, b1, w2, b2}) at::Tensor(leaf).mutable_grad().reset();
                const at::Tensor y = jointly ? at::Tensor(throughReluDropout(x, {{w1, first}, {w2, second}, key, 0.3}))
                                             : affine(reluDropout(key, 0.3, affine(x, w1, first)), w2, second);
                y.backward(dy.to(y.scalar_type()));
                return std::vector<at::Tensor>{y.detach(), x.grad(), w1.grad(), b1.grad(), w2.grad(), b2.grad()};
            };
            const std::vector<at::Tensor> made = run(true), expected = run(false);
            for (std::size_t i = 0; i < made.size(); ++i) {
                ASSERT_EQ(made[i].defined(), expected[i].defined());
                EXPECT_TRUE(!made[i].defined() || at::equal(made[i], expected[i])) << i;
            }
        }
}

}  // namespace
}  // namespace heddle
