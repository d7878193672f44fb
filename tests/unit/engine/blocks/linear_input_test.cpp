// SPDX-License-Identifier: Apache-2.0
// Linear maps of one input: made together they are what each makes by itself, values and gradients.
#include "engine/blocks/linear_input.h"

#include "engine/blocks/block.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/model/builder.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace heddle {
namespace {

using testing_support::drawnDoubles;
using testing_support::leaf;
using testing_support::relative;

constexpr std::int64_t kInputWidth = 24;

Linear linearOf(const std::string& name, std::int64_t out, WithBias bias, at::ScalarType type) {
    return {leaf(drawnDoubles(7, name + ".weight", {out, kInputWidth}), type),
            bias == WithBias::Yes ? leaf(drawnDoubles(7, name + ".bias", {out}), type) : at::Tensor()};
}

/// Maps of unlike widths.
struct Maps {
    Maps(WithBias bias, at::ScalarType type)
        : q(linearOf("q", 16, bias, type)), k(linearOf("k", 16, bias, type)), v(linearOf("v", 40, bias, type)) {}
    std::vector<const Linear*> all() const { return {&q, &k, &v}; }
    Linear q, k, v;
};

bool isJoint(const LinearInput& input, const Linear& a, const Linear& b) {
    return input.by(a).storage().is_alias_of(input.by(b).storage());
}

TEST(LinearInput, JointMapsAreTheSingleOnesWithTheirGradients) {
    for (const WithBias bias : {WithBias::Yes, WithBias::No})
        for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
            const double tolerance = type == at::kDouble ? 1e-14 : 1e-6;
            const Maps joint(bias, type), single(bias, at::kDouble);
            const at::Tensor value = drawnDoubles(7, "x", {8, 16, kInputWidth});
            const at::Tensor x1 = leaf(value, type), x2 = leaf(value, at::kDouble);
            const LinearInput input(x1, joint.all());
            ASSERT_TRUE(isJoint(input, joint.q, joint.v));
            for (std::size_t i = 0; i < 3; ++i) {
                const at::Tensor made = input.by(*joint.all()[i]), expected = (*single.all()[i])(x2);
                EXPECT_EQ(made.sizes(), expected.sizes());
                EXPECT_LT(relative(made, expected), tolerance);
                const at::Tensor dy = drawnDoubles(7, "dy" + std::to_string(i), made.sizes());
                (made * dy.to(type)).sum().backward({}, /*keep_graph=*/true);
                (expected * dy).sum().backward();
            }
            EXPECT_LT(relative(x1.grad(), x2.grad()), tolerance);
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_LT(relative(joint.all()[i]->weight.grad(), single.all()[i]->weight.grad()), tolerance);
                if (bias == WithBias::Yes) {
                    EXPECT_LT(relative(joint.all()[i]->bias.grad(), single.all()[i]->bias.grad()), tolerance);
                }
            }
        }
}

TEST(LinearInput, MapsWithAndWithoutBiasGoTogether) {
    const Linear with = linearOf("w", 16, WithBias::Yes, at::kDouble), without = linearOf("o", 8, WithBias::No, at::kDouble);
    const LinearInput input(drawnDoubles(7, "x", {2, 5, kInputWidth}), {&without, &with});
    EXPECT_TRUE(isJoint(input, with, without));
    for (const Linear* map : {&with, &without}) EXPECT_LT(relative(input.by(*map), (*map)(input.x())), 1e-14);
}

TEST(LinearInput, WhatHasNoPartnerIsMadeByItself) {
    const Maps maps(WithBias::Yes, at::kFloat);
    const Linear other = linearOf("o", 16, WithBias::Yes, at::kFloat);
    const at::Tensor x = drawnDoubles(7, "x", {2, 5, kInputWidth}).to(at::kFloat);
    for (const LinearInput& input : {LinearInput(x), LinearInput(x, {&maps.q})}) {
        EXPECT_FALSE(isJoint(input, maps.q, maps.k));
        EXPECT_TRUE(at::equal(input.by(maps.q), maps.q(x)));
    }
    EXPECT_TRUE(at::equal(LinearInput(x, maps.all()).by(other), other(x))) << "nobody told of it beforehand";
}

/// Training on the CPU gives the same bits whether or not there are such maps beside the joined ones.
TEST(LinearInput, WhatStaysApartOnTheCpuIsMadeByItself) {
    const Maps maps(WithBias::Yes, at::kFloat);
    Linear apart = linearOf("o", 16, WithBias::Yes, at::kFloat);
    apart.isApartOnCpu = true;
    const at::Tensor x = drawnDoubles(7, "x", {2, 5, kInputWidth}).to(at::kFloat);
    const LinearInput input(x, {&apart, &maps.q, &maps.k});
    EXPECT_TRUE(isJoint(input, maps.q, maps.k));
    EXPECT_FALSE(isJoint(input, maps.q, apart));
    EXPECT_TRUE(at::equal(input.by(apart), apart(x)));
    const auto stored = jointParameters({&apart, &maps.q, &maps.k});
    ASSERT_EQ(stored.size(), 2U);
    EXPECT_TRUE(stored[0][0].is_same(maps.q.weight)) << "the maps that are joined everywhere lie side by side";
    EXPECT_TRUE(stored[0][2].is_same(apart.weight));
    EXPECT_TRUE(jointParameters({&apart}).empty());
}

/// Maps of a store that keeps q, k and v behind each other, or does not.
struct StoredMaps {
    explicit StoredMaps(bool together) : store(3, makeInit(testing_support::resolveTiny().globals.at("init"))) {
        const ParameterScope scope(store, "self");
        for (std::size_t i = 0; i < 3; ++i)
            maps.push_back(declareLinear(scope / std::string(1, "qkv"[i]), kInputWidth, i == 2 ? 48 : 16));
        if (together) {
            store.keepTogether({maps[0].weight, maps[1].weight, maps[2].weight});
            store.keepTogether({maps[0].bias, maps[1].bias, maps[2].bias});
        }
        store.to(at::kCPU);
    }
    std::vector<const Linear*> all() const { return {&maps[0], &maps[1], &maps[2]}; }

    ParameterStore store;
    std::vector<Linear> maps;
};

TEST(LinearInput, WeightsThatLieBehindEachOtherGiveTheSameBits) {
    const StoredMaps apart(false), together(true);
    EXPECT_EQ(together.maps[1].weight.const_data_ptr<float>(),
              together.maps[0].weight.const_data_ptr<float>() + 16 * kInputWidth);
    EXPECT_EQ(together.maps[2].bias.const_data_ptr<float>(), together.maps[0].bias.const_data_ptr<float>() + 32);
    const at::Tensor x1 = drawnDoubles(7, "x", {3, 5, kInputWidth}).to(at::kFloat).set_requires_grad(true);
    const at::Tensor x2 = x1.detach().clone().set_requires_grad(true);
    const LinearInput a(x1, apart.all()), b(x2, together.all());
    std::vector<at::Tensor> ofA, ofB;
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(at::equal(a.by(apart.maps[i]), b.by(together.maps[i])));
        ofA.push_back(a.by(apart.maps[i]).square().sum()), ofB.push_back(b.by(together.maps[i]).square().sum());
    }
    (ofA[0] + ofA[1] + ofA[2]).backward(), (ofB[0] + ofB[1] + ofB[2]).backward();
    EXPECT_TRUE(at::equal(x1.grad(), x2.grad()));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(at::equal(apart.maps[i].weight, together.maps[i].weight)) << "initial values";
        EXPECT_TRUE(together.maps[i].weight.is_leaf());
        EXPECT_TRUE(at::equal(apart.maps[i].weight.grad(), together.maps[i].weight.grad()));
        EXPECT_TRUE(at::equal(apart.maps[i].bias.grad(), together.maps[i].bias.grad()));
    }
    const at::Tensor first = together.maps[0].weight.grad();
    EXPECT_TRUE(together.maps[2].weight.grad().is_alias_of(first)) << "parts of one gradient, not copies of them";
}

TEST(LinearInput, WeightsThatLieBehindEachOtherHaveGradientsOfGradients) {
    const StoredMaps apart(false), together(true);
    std::vector<at::Tensor> second;
    for (const StoredMaps* stored : {&apart, &together}) {
        const at::Tensor x = drawnDoubles(7, "x", {3, 5, kInputWidth}).to(at::kFloat).set_requires_grad(true);
        const LinearInput input(x, stored->all());
        const at::Tensor y = input.by(stored->maps[0]).square().sum() + input.by(stored->maps[2]).pow(3).sum();
        const at::Tensor dx = torch::autograd::grad({y}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
        dx.square().sum().backward();
        second.push_back(stored->maps[2].weight.grad());
    }
    EXPECT_LT(relative(second[1], second[0]), 1e-6);
}

TEST(ParameterStore, KeepsTogetherWhatBeginsAsMemoryDoesAndNothingTwice) {
    ParameterStore store(3, makeInit(testing_support::resolveTiny().globals.at("init")));
    const auto declared = [&](const char* name, std::int64_t n) {
        return store.declare(name, {n}, {Initial::Kind::Default, 0, 4});
    };
    const at::Tensor a = declared("a", 16), b = declared("b", 16), c = declared("c", 15), d = declared("d", 16);
    const std::vector<at::Tensor> before{a.detach().clone(), b.detach().clone(), c.detach().clone(), d.detach().clone()};
    store.keepTogether({a, b});
    store.keepTogether({c, d});
    store.keepTogether({b, d});
    store.to(at::kCPU);
    EXPECT_TRUE(a.is_alias_of(b));
    EXPECT_FALSE(c.is_alias_of(d)) << "d would begin at an odd place";
    EXPECT_FALSE(b.is_alias_of(d)) << "b lies with a";
    const void* const at = a.const_data_ptr();
    store.to(at::kCPU);
    EXPECT_EQ(a.const_data_ptr(), at) << "once is enough";
    std::size_t i = 0;
    for (const at::Tensor& x : {a, b, c, d}) EXPECT_TRUE(at::equal(x, before[i++]));
}

}  // namespace
}  // namespace heddle
