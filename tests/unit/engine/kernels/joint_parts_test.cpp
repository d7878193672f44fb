// SPDX-License-Identifier: Apache-2.0
// The gradients of the parts of one product lie side by side, and are right wherever else they lie.
#include "engine/kernels/joint_parts.h"

#include "engine/blocks/heads.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnDoubles;
using testing_support::relative;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const std::vector<std::int64_t> kPartWidths{4, 12, 8};

/// Where the backward functions of this file wrote gradients that have a place.
std::vector<const void*> placesWritten;

/// 2 x, whose backward function writes the gradient to its place.
class Doubled : public torch::autograd::Function<Doubled> {
public:
    static at::Tensor forward(AutogradContext* /*context*/, const at::Tensor& x) { return 2 * x; }
    static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients) {
        const at::Tensor place = placeOfGradient(0, gradients[0]);
        if (!place.defined()) return {2 * gradients[0]};
        placesWritten.push_back(place.const_data_ptr());
        place.copy_(2 * gradients[0]);
        return {place};
    }
};

/// 2 x of heads [B,H,S,E]. Likewise.
class DoubledHeads : public torch::autograd::Function<DoubledHeads> {
public:
    static at::Tensor forward(AutogradContext* /*context*/, const at::Tensor& x_BHSE) { return 2 * x_BHSE; }
    static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients) {
        const at::Tensor place = placeOfHeads(0, gradients[0]);
        if (!place.defined()) return {2 * gradients[0]};
        placesWritten.push_back(place.const_data_ptr());
        place.copy_(2 * gradients[0]);
        return {place};
    }
};

/// Three tensors side by side, in the order 2, 0, 1; backward writes the gradient of the whole if they are its parts.
class Turned : public torch::autograd::Function<Turned> {
public:
    static at::Tensor forward(AutogradContext* /*context*/, const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
        return at::cat({c, a, b}, -1);
    }
    static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients) {
        const std::vector<at::Tensor> given = gradients[0].split_with_sizes({8, 4, 12}, -1);
        const at::Tensor whole = wholeOfGradients({0, 1, 2}, given[0].options());
        if (!whole.defined()) return {given[1], given[2], given[0]};
        placesWritten.push_back(whole.const_data_ptr());
        std::vector<at::Tensor> parts = whole.split_with_sizes(kPartWidths, -1);
        parts[0].copy_(given[1]), parts[1].copy_(given[2]), parts[2].copy_(given[0]);
        return parts;
    }
};

class JointPartsTest : public testing::Test {
protected:
    JointPartsTest() {
        placesWritten.clear();
        whole_.register_hook([this](const at::Tensor& g) { gradient_ = g; });
    }
    const at::Tensor leaf_ = drawnDoubles(5, "x", {2, 3, 24}).set_requires_grad(true), whole_ = leaf_ * 1,
                     d_ = drawnDoubles(5, "d", {2, 3, 24});
    const std::vector<at::Tensor> parts_ = jointParts(whole_, kPartWidths), dParts_ = d_.split_with_sizes(kPartWidths, -1);
    at::Tensor gradient_;  // of the whole

    at::Tensor doubled(std::size_t i) const { return (Doubled::apply(parts_[i]) * dParts_[i]).sum(); }
};

TEST_F(JointPartsTest, AreTheColumnsOfX) {
    EXPECT_TRUE(at::equal(at::cat(parts_, -1), leaf_));
    EXPECT_TRUE(parts_[1].storage().is_alias_of(whole_.storage()));
}

TEST_F(JointPartsTest, GradientsAreWrittenSideBySide) {
    (doubled(0) + doubled(1) + doubled(2)).backward();
    EXPECT_TRUE(at::equal(leaf_.grad(), 2 * d_));
    EXPECT_EQ(placesWritten.size(), 3U);
    for (const void* place : placesWritten) {
        const auto at = static_cast<const double*>(place) - gradient_.const_data_ptr<double>();
        EXPECT_TRUE(at == 0 || at == 4 || at == 16) << "a part of the gradient of the whole";
    }
}

TEST_F(JointPartsTest, OtherGradientsAreCopiedToTheirPlace) {
    (doubled(1) + (parts_[2] * dParts_[2]).sum()).backward();
    EXPECT_TRUE(at::equal(leaf_.grad(), at::cat({at::zeros_like(dParts_[0]), 2 * dParts_[1], dParts_[2]}, -1)));
}

TEST_F(JointPartsTest, WithoutPlacesGradientsAreConcatenated) {
    ((parts_[0] * dParts_[0]).sum() + (parts_[1] * dParts_[1]).sum()).backward();
    EXPECT_TRUE(at::equal(leaf_.grad(), at::cat({dParts_[0], dParts_[1], at::zeros_like(dParts_[2])}, -1)));
    EXPECT_TRUE(placesWritten.empty());
}

TEST_F(JointPartsTest, APartOfSeveralUsesHasOnePlace) {
    (doubled(0) + doubled(0) + doubled(2)).backward();
    EXPECT_LT(relative(leaf_.grad(), at::cat({4 * dParts_[0], at::zeros_like(dParts_[1]), 2 * dParts_[2]}, -1)), 1e-15);
    EXPECT_EQ(placesWritten.size(), 2U);
}

TEST_F(JointPartsTest, AnotherBackwardPassHasPlacesOfItsOwn) {
    const at::Tensor sum = doubled(0) + doubled(1) + doubled(2);
    sum.backward({}, /*keep_graph=*/true);
    const at::Tensor first = gradient_;
    sum.backward();
    EXPECT_FALSE(gradient_.is_same(first));
    EXPECT_TRUE(at::equal(gradient_, first));
    EXPECT_LT(relative(leaf_.grad(), 4 * d_), 1e-15);
    EXPECT_EQ(placesWritten.size(), 6U);
}

TEST_F(JointPartsTest, APassForChosenInputsHasNone) {
    const at::Tensor sum = doubled(0) + doubled(1) + doubled(2);
    EXPECT_TRUE(at::equal(torch::autograd::grad({sum}, {parts_[1]}, {}, /*retain_graph=*/true)[0], 2 * dParts_[1]));
    EXPECT_TRUE(at::equal(torch::autograd::grad({sum}, {leaf_})[0], 2 * d_));
    EXPECT_TRUE(placesWritten.empty());
}

TEST_F(JointPartsTest, HeadsOfAPartAreWrittenSideBySide) {
    const auto doubledHeads = [&](std::size_t i) {
        const at::Tensor x_BHSE = splitHeads(parts_[i], 2), d_BHSE = splitHeads(dParts_[i], 2);
        return (DoubledHeads::apply(x_BHSE) * d_BHSE).sum();
    };
    (doubledHeads(0) + doubledHeads(1) + doubled(2)).backward();
    EXPECT_TRUE(at::equal(leaf_.grad(), 2 * d_));
    EXPECT_EQ(placesWritten.size(), 3U);
    for (const void* place : placesWritten) {
        const auto at = static_cast<const double*>(place) - gradient_.const_data_ptr<double>();
        EXPECT_TRUE(at == 0 || at == 4 || at == 16) << "a part of the gradient of the whole";
    }
}

TEST_F(JointPartsTest, HeadsOfSeveralUsesHaveOnePlace) {
    const at::Tensor x_BHSE = splitHeads(parts_[1], 3), other_BHSE = splitHeads(parts_[1] * 1, 3);
    (DoubledHeads::apply(x_BHSE).sum() + DoubledHeads::apply(x_BHSE).sum() + DoubledHeads::apply(other_BHSE).sum()).backward();
    EXPECT_TRUE(leaf_.grad().narrow(-1, 4, 12).eq(6).all().item<bool>());
    EXPECT_EQ(placesWritten.size(), 1U);
}

TEST_F(JointPartsTest, OneFunctionOfAllPartsWritesTheWhole) {
    (Turned::apply(parts_[0], parts_[1], parts_[2]) * d_).sum().backward();
    const std::vector<at::Tensor> turned = d_.split_with_sizes({8, 4, 12}, -1);
    EXPECT_TRUE(at::equal(leaf_.grad(), at::cat({turned[1], turned[2], turned[0]}, -1)));
    ASSERT_EQ(placesWritten.size(), 1U);
    EXPECT_EQ(placesWritten[0], gradient_.const_data_ptr());
}

TEST_F(JointPartsTest, AFunctionOfOtherTensorsDoesNotWriteTheWhole) {
    (Turned::apply(parts_[0], parts_[1], parts_[2] * 1) * d_).sum().backward();
    const std::vector<at::Tensor> turned = d_.split_with_sizes({8, 4, 12}, -1);
    EXPECT_TRUE(at::equal(leaf_.grad(), at::cat({turned[1], turned[2], turned[0]}, -1)));
    EXPECT_TRUE(placesWritten.empty());
}

}  // namespace
}  // namespace heddle
