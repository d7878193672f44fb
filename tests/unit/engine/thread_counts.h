// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/torch_pch.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace heddle::testing_support {

/// What `made` gives is the same, bit for bit, by one, two and three threads.
inline void expectTheSameByAnyThreads(const std::function<std::vector<at::Tensor>()>& made) {
    const int before = at::get_num_threads();
    std::vector<std::vector<at::Tensor>> runs;
    for (const int threads : {1, 2, 3}) {
        at::set_num_threads(threads);
        runs.push_back(made());
    }
    at::set_num_threads(before);
    for (const auto& run : runs) {
        ASSERT_EQ(run.size(), runs[0].size());
        for (std::size_t i = 0; i < run.size(); ++i) EXPECT_TRUE(at::equal(run[i], runs[0][i])) << "tensor " << i;
    }
}

}  // namespace heddle::testing_support
