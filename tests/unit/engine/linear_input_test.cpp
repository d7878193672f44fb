// SPDX-License-Identifier: Apache-2.0
// Linear maps of one input: made together they are what each makes by itself, values and gradients.
#include "engine/blocks/linear_input.h"

#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/closeness.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::leaf;
using testing_support::relative;

constexpr std::int64_t kWidth = 24;

at::Tensor drawnOf(const std::string& name, at::IntArrayRef sizes) { return normal(randomKey(7, name), sizes, 0, 1); }

Linear linearOf(const std::string& name, std::int64_t out, WithBias bias, at::ScalarType type) {
    return {leaf(drawnOf(name + ".weight", {out, kWidth}), type),
            bias == WithBias::Yes ? leaf(drawnOf(name + ".bias", {out}), type) : at::Tensor()};
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
            const at::Tensor value = drawnOf("x", {8, 16, kWidth});
            const at::Tensor x1 = leaf(value, type), x2 = leaf(value, at::kDouble);
            const LinearInput input(x1, joint.all());
            ASSERT_TRUE(isJoint(input, joint.q, joint.v));
            for (std::size_t i = 0; i < 3; ++i) {
                const at::Tensor made = input.by(*joint.all()[i]), expected = (*single.all()[i])(x2);
                EXPECT_EQ(made.sizes(), expected.sizes());
                EXPECT_LT(relative(made, expected), tolerance);
                const at::Tensor dy = drawnOf("dy" + std::to_string(i), made.sizes());
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
    const LinearInput input(drawnOf("x", {2, 5, kWidth}), {&without, &with});
    EXPECT_TRUE(isJoint(input, with, without));
    for (const Linear* map : {&with, &without}) EXPECT_LT(relative(input.by(*map), (*map)(input.x())), 1e-14);
}

TEST(LinearInput, WhatHasNoPartnerIsMadeByItself) {
    const Maps maps(WithBias::Yes, at::kFloat);
    const Linear other = linearOf("o", 16, WithBias::Yes, at::kFloat);
    const at::Tensor x = drawnOf("x", {2, 5, kWidth}).to(at::kFloat);
    for (const LinearInput& input : {LinearInput(x), LinearInput(x, {&maps.q})}) {
        EXPECT_FALSE(isJoint(input, maps.q, maps.k));
        EXPECT_TRUE(at::equal(input.by(maps.q), maps.q(x)));
    }
    EXPECT_TRUE(at::equal(LinearInput(x, maps.all()).by(other), other(x))) << "nobody told of it beforehand";
}

}  // namespace
}  // namespace heddle
