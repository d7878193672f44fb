// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/running_sum.h"

#include "engine/device/random.h"
#include "engine/device/torch_pch.h"

#include <gtest/gtest.h>

using namespace heddle;

TEST(RunningSum, ByShiftsEqualsTheScan) {
    for (const std::int64_t length : {1, 2, 3, 31, 64, 1000}) {
        const at::Tensor whole = at::arange(3 * length).reshape({3, length}).remainder(17);
        EXPECT_TRUE(at::equal(runningSumByShifts(whole), whole.cumsum(-1))) << length;
        EXPECT_TRUE(at::equal(runningSumByShifts(whole.gt(8)), whole.gt(8).cumsum(-1))) << "of booleans, " << length;
        const at::Tensor x = normal(randomKey(1, "x"), {3, length}, 0, 1);
        EXPECT_TRUE(at::allclose(runningSumByShifts(x), x.cumsum(-1), 1e-12, 1e-12)) << length;
        EXPECT_TRUE(at::equal(runningSumByShifts(x.narrow(0, 1, 1)), runningSumByShifts(x).narrow(0, 1, 1)))
            << "a row does not depend on its neighbours, " << length;
    }
}

TEST(RunningSum, HasNoGradient) {
    const at::Tensor x = at::ones({2, 3}).set_requires_grad(true);
    EXPECT_FALSE(runningSum(x).requires_grad());
    EXPECT_FALSE(runningSumByShifts(x).requires_grad());
}
