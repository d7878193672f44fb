// SPDX-License-Identifier: Apache-2.0
// bfloat16 copies that products read in place of casts: an outdated copy is never read, and the products equal those of
// autocast.
#include "engine/kernels/reduced.h"

#include "engine/blocks/linear_input.h"
#include "engine/device/precision.h"
#include "engine/device/random.h"
#include "engine/kernels/affine.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

#include <functional>

namespace heddle {
namespace {

using testing_support::drawnDoubles;
using testing_support::leaf;
using testing_support::relative;

at::Tensor leafOf(const std::string& name, at::IntArrayRef sizes) { return leaf(drawnDoubles(7, name, sizes), at::kFloat); }

void write(const at::Tensor& parameter, double value) {
    const at::NoGradGuard noGrad;
    at::Tensor(parameter).fill_(value);
}

TEST(ReducedParameters, NeverGiveACopyThatWasLeftBehind) {
    const at::Tensor a = leafOf("a", {3, 4}), b = leafOf("b", {5}), other = leafOf("o", {2});
    ReducedParameters copies({a, b, a});  // a tied one is named twice
    EXPECT_TRUE(at::equal(copies.of(a), a.detach().to(at::kBFloat16)));
    EXPECT_FALSE(copies.of(a).requires_grad());
    EXPECT_FALSE(copies.of(other).defined());
    const void* const at = copies.of(a).const_data_ptr();

    write(a, 2);
    EXPECT_FALSE(copies.of(a).defined());
    EXPECT_TRUE(copies.of(b).defined());
    copies.refresh();
    EXPECT_EQ(copies.of(a).const_data_ptr(), at) << "captured steps read it there";
    EXPECT_EQ(copies.of(a).sum().item<float>(), 24);

    {  // what a checkpoint's tensors are copied into
        const at::NoGradGuard noGrad;
        a.detach().copy_(at::full({3, 4}, 3));
    }
    EXPECT_FALSE(copies.of(a).defined());
    at::Tensor(a).set_data(at::ones({3, 4}));  // as Model::to does
    EXPECT_FALSE(copies.of(a).defined());
    copies.refresh();
    EXPECT_EQ(copies.of(a).sum().item<float>(), 12);
    EXPECT_TRUE(copies.of(b).defined());
}

TEST(ReducedParameters, OfPartsOfOnePieceOfMemoryLieAlike) {
    const at::Tensor memory = drawnDoubles(7, "m", {7, 4}).to(at::kFloat);
    const at::Tensor a = memory.narrow(0, 0, 3), b = memory.narrow(0, 3, 4), c = drawnDoubles(7, "c", {2, 4}).to(at::kFloat);
    const ReducedParameters copies({b, c, a});
    EXPECT_TRUE(at::equal(joined({copies.of(a), copies.of(b)}), memory.to(at::kBFloat16)));
    EXPECT_FALSE(joined({copies.of(b), copies.of(a)}).defined());
    EXPECT_FALSE(joined({copies.of(b), copies.of(c)}).defined());
}

TEST(ReducedParameters, HaveZeroRowsBehindThemWhereTheyLieAlone) {
    const at::Tensor weight = leafOf("w", {70, 8}), bias = leafOf("b", {70}),
                     memory = drawnDoubles(7, "m", {140, 8}).to(at::kFloat), part = memory.narrow(0, 0, 70);
    const ReducedParameters copies({weight, bias, part});
    const ReducedScope scope(&copies);
    for (const at::Tensor& x : {weight, bias}) {
        const at::Tensor padded = paddedFactor(x, 128);
        ASSERT_EQ(padded.size(0), 128);
        EXPECT_EQ(padded.const_data_ptr(), copies.of(x).const_data_ptr());
        EXPECT_TRUE(at::equal(padded.narrow(0, 0, 70), x.detach().to(at::kBFloat16)));
        EXPECT_TRUE(padded.narrow(0, 70, 58).eq(0).all().item<bool>());
    }
    EXPECT_FALSE(paddedFactor(weight, 192).defined());
    EXPECT_FALSE(paddedFactor(part, 128).defined()) << "other numbers lie behind it";
    write(weight, 2);
    EXPECT_FALSE(paddedFactor(weight, 128).defined());
}

TEST(ReducedScope, CastsOnceAndAgainWhatHasChanged) {
    const ReducedParameters none({});
    const ReducedScope scope(&none);
    const at::Tensor x = drawnDoubles(7, "x", {3, 4}).to(at::kFloat), x16 = drawnDoubles(7, "y", {3, 4}).to(at::kBFloat16);
    EXPECT_TRUE(reduced(x16).is_same(x16));
    const at::Tensor first = reduced(x);
    EXPECT_TRUE(reduced(x).is_same(first));
    x.add_(1);
    EXPECT_TRUE(at::equal(reduced(x), x.to(at::kBFloat16)));
    offerReduced(x, {x16});
    EXPECT_TRUE(reduced(x).is_same(x16));
    x.add_(1);
    EXPECT_FALSE(reduced(x).is_same(x16));

    const at::Tensor w = leafOf("w", {2, 2});
    {
        const at::NoGradGuard noGrad;
        EXPECT_FALSE(reduced(w).requires_grad());
    }
    EXPECT_TRUE(reduced(w).requires_grad()) << "a copy made without gradients must not be reused where gradients are needed";
}

TEST(ReducedScope, IsOfOneThreadAndEnds) {
    EXPECT_FALSE(reducedScopeIsOpen());
    const ReducedParameters none({});
    {
        const ReducedScope outer(&none);
        const at::Tensor x = drawnDoubles(7, "x", {2}).to(at::kFloat), first = reduced(x);
        {
            const ReducedScope inner(&none);
            EXPECT_FALSE(reduced(x).is_same(first));
            const ReducedScope nothing(nullptr);
        }
        EXPECT_TRUE(reduced(x).is_same(first));
    }
    EXPECT_FALSE(reducedScopeIsOpen());
    EXPECT_ANY_THROW(reduced(at::ones({1})));
}

/// Three maps of one input, as attention has them.
struct Projections {
    std::vector<Linear> maps;
    at::Tensor x = leafOf("x", {3, 5, 24});
    Projections() {
        for (const char* name : {"q", "k", "v"})
            maps.push_back({leafOf(std::string(name) + "w", {16, 24}), leafOf(std::string(name) + "b", {16})});
    }
    std::vector<at::Tensor> factors() const {
        std::vector<at::Tensor> all;
        for (const Linear& map : maps) all.insert(all.end(), {map.weight, map.bias});
        return all;
    }
    std::vector<at::Tensor> run(bool jointly) const {
        const LinearInput input = jointly ? LinearInput(x, {&maps[0], &maps[1], &maps[2]}) : LinearInput(x);
        std::vector<at::Tensor> made;
        for (const Linear& map : maps) made.push_back(input.by(map));
        return made;
    }
};

TEST(ReducedScope, MapsAreThoseOfAutocast) {
    for (const bool jointly : {false, true})
        for (const bool hasCopies : {false, true}) {
            const Projections reducedOnes, cast;
            const ReducedParameters copies(hasCopies ? reducedOnes.factors() : std::vector<at::Tensor>());
            std::vector<at::Tensor> made, expected;
            {
                const AutocastScope autocast(at::kCPU, Precision::BFloat16);
                expected = cast.run(jointly);
                const ReducedScope scope(&copies);
                made = reducedOnes.run(jointly);
            }
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_EQ(made[i].scalar_type(), at::kBFloat16);
                EXPECT_TRUE(at::equal(made[i], expected[i]));
                const at::Tensor dy = drawnDoubles(7, "dy" + std::to_string(i), {3, 5, 16}).to(at::kBFloat16);
                made[i].backward(dy, /*retain_graph=*/true), expected[i].backward(dy, true);
            }
            EXPECT_EQ(reducedOnes.x.grad().scalar_type(), at::kFloat);
            EXPECT_LT(relative(reducedOnes.x.grad(), cast.x.grad()), 1e-2);
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_EQ(reducedOnes.maps[i].weight.grad().scalar_type(), at::kFloat);
                EXPECT_LT(relative(reducedOnes.maps[i].weight.grad(), cast.maps[i].weight.grad()), 1e-2);
                EXPECT_LT(relative(reducedOnes.maps[i].bias.grad(), cast.maps[i].bias.grad()), 1e-2);
            }
        }
}

/// What each use alone adds to the gradient of the tensor that `useAll` differentiates, added in float64.
using Uses = std::vector<std::function<at::Tensor()>>;
void expectFloatSum(const at::Tensor& x, const Uses& uses) {
    at::Tensor expected = at::zeros(x.sizes(), at::kDouble), inBFloat16 = at::zeros(x.sizes(), at::kBFloat16);
    const auto gradientOf = [&](const at::Tensor& y) {
        at::Tensor(x).mutable_grad() = at::Tensor();
        y.backward(drawnDoubles(7, "dy", y.sizes()).to(y.scalar_type()), /*retain_graph=*/true);
        return x.grad().clone();
    };
    std::vector<at::Tensor> made;
    for (const auto& use : uses) {
        made.push_back(use().flatten());
        const at::Tensor gradient = gradientOf(made.back());
        EXPECT_EQ(gradient.scalar_type(), at::kFloat);
        expected += gradient;
        inBFloat16 += gradient.to(at::kBFloat16);
    }
    // The same dy for every use, as above.
    std::vector<at::Tensor> dy;
    for (const at::Tensor& y : made) dy.push_back(drawnDoubles(7, "dy", y.sizes()).to(y.scalar_type()));
    at::Tensor(x).mutable_grad() = at::Tensor();
    at::cat(made).backward(at::cat(dy));
    EXPECT_LT(relative(x.grad(), expected), 1e-6);
    EXPECT_GT(relative(inBFloat16, expected), 1e-4) << "sums in bfloat16 would pass";
}

TEST(ReducedScope, GradientsOfOneTensorsUsesAreAddedInFloat32) {
    const at::Tensor w = leafOf("w", {16, 24}), x = leafOf("x", {7, 24});
    std::vector<at::Tensor> inputs, weights;
    for (const char* name : {"a", "b", "c"}) {
        inputs.push_back(leafOf(name, {7, 24}));
        weights.push_back(leafOf(std::string(name) + "w", {16, 24}));
    }
    const auto each = [](const std::vector<at::Tensor>& of, const std::function<at::Tensor(const at::Tensor&)>& use) {
        Uses uses;
        for (const at::Tensor& one : of) uses.emplace_back([one, use] { return use(one); });
        return uses;
    };
    const ReducedParameters copies({w});
    const ReducedScope scope(&copies);
    expectFloatSum(w, each(inputs, [&](const at::Tensor& input) { return affine(input, w, {}); }));
    expectFloatSum(x, each(weights, [&](const at::Tensor& weight) { return affine(x, weight, {}); }));
    const at::Tensor offered = leafOf("x", {7, 24});
    offerReduced(offered, {offered.to(at::kBFloat16)});
    expectFloatSum(offered, each(weights, [&](const at::Tensor& weight) { return affine(offered, weight, {}); }));
}

TEST(ReducedScope, EveryOfferedCopyIsForOneProduct) {
    const ReducedParameters none({});
    const ReducedScope scope(&none);
    const at::Tensor x = leafOf("x", {7, 24}), w = leafOf("w", {16, 24});
    const std::vector<at::Tensor> copies{leafOf("a", {7, 24}).detach().to(at::kBFloat16).requires_grad_(),
                                         leafOf("a", {7, 24}).detach().to(at::kBFloat16).requires_grad_()};
    EXPECT_FALSE(hasOfferedCopy(x));
    offerReduced(x, copies);
    EXPECT_TRUE(hasOfferedCopy(x));
    for (int use = 0; use < 3; ++use) affine(x, w, {}).sum().backward();
    const at::Tensor gradient = copies[0].grad();
    ASSERT_TRUE(gradient.defined() && copies[1].grad().defined() && x.grad().defined());
    EXPECT_TRUE(at::equal(copies[1].grad(), gradient));
    EXPECT_TRUE(at::equal(x.grad(), gradient.to(at::kFloat))) << "the third product";
    EXPECT_FALSE(hasOfferedCopy(x)) << "two products have taken them";
    const at::NoGradGuard noGrad;
    EXPECT_TRUE(reduced(x).is_same(copies[0]));
}

TEST(ReducedScope, FurtherUsesReadTheSameCopy) {
    const ReducedParameters none({});
    const ReducedScope scope(&none);
    const at::Tensor x = leafOf("x", {3, 4}), first = reduced(x), second = reduced(x);
    EXPECT_EQ(first.const_data_ptr(), second.const_data_ptr());
    EXPECT_TRUE(second.requires_grad());
    const at::NoGradGuard noGrad;
    EXPECT_TRUE(reduced(x).is_same(first));
}

TEST(ReducedScope, FrozenWeightsGetNoGradientAndStillReadTheirCopies) {
    Projections ones;
    ones.maps[1].weight.set_requires_grad(false);
    const ReducedParameters copies(ones.factors());
    const ReducedScope scope(&copies);
    const std::vector<at::Tensor> made = ones.run(true);
    (made[0].sum() + made[1].sum() + made[2].sum()).backward();
    EXPECT_FALSE(ones.maps[1].weight.grad().defined());
    EXPECT_TRUE(ones.maps[0].weight.grad().defined());
    EXPECT_TRUE(ones.maps[1].bias.grad().defined());
}

}  // namespace
}  // namespace heddle
