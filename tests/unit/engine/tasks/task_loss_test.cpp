// SPDX-License-Identifier: Apache-2.0
// Losses of tasks with few outputs; their values are golden, here is what follows from the definitions.
#include "engine/tasks/task_loss.h"

#include "engine/device/torch_pch.h"
#include "engine/tasks/loss.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(TaskLoss, HingesRestWhereTheMarginIsKept) {
    const at::Tensor z = at::tensor({3.0, 1.0, 0.0, 0.5, 2.0, 0.5}).view({2, 3}).set_requires_grad(true);
    const at::Tensor y = at::tensor({std::int64_t{0}, std::int64_t{1}});
    for (const MultiHinge form : {MultiHinge::Sum, MultiHinge::Max}) EXPECT_EQ(multiHinge(z, y, form).item<double>(), 0);
    EXPECT_EQ(binaryHinge(at::tensor({1.0, -2.0}), at::tensor({1.0, -1.0})).item<double>(), 0);
}

TEST(TaskLoss, TheSumPullsAtEveryWrongClassAndTheMaximumAtTheWorst) {
    const at::Tensor y = at::tensor({std::int64_t{0}});
    const auto gradient = [&](MultiHinge form) {
        at::Tensor z = at::tensor({0.0, 0.2, 0.5}).view({1, 3}).set_requires_grad(true);
        multiHinge(z, y, form).backward();
        return z.grad();
    };
    EXPECT_TRUE(at::allclose(gradient(MultiHinge::Sum) * 3, at::tensor({-2.0, 1.0, 1.0}).view({1, 3})));
    EXPECT_TRUE(at::allclose(gradient(MultiHinge::Max), at::tensor({-1.0, 0.0, 1.0}).view({1, 3})));
}

TEST(TaskLoss, SquaredErrorIsAMean) {
    EXPECT_DOUBLE_EQ(squaredError(at::tensor({1.0, 4.0}), at::tensor({0.0, 2.0})).item<double>(), 2.5);
}

TEST(TaskLoss, AnIgnoredRowCountsNowhereAndNoClassIsIgnored) {
    const at::Tensor z = at::arange(12, at::kDouble).sin().view({3, 4});
    LossOptions options;
    options.ignored = -1;
    const auto sums = crossEntropyWithGradient(z, at::tensor({std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}}), options);
    const at::Tensor logs = z.log_softmax(1);
    EXPECT_NEAR(sums.nll.item<double>(), -(logs[0][1] + logs[2][2]).item<double>(), 1e-15);  // class 1 is kPad's number
    EXPECT_EQ(sums.gradient[1].abs().max().item<double>(), 0);
    EXPECT_EQ(sums.nll.scalar_type(), at::kDouble);
}

}  // namespace
}  // namespace heddle
