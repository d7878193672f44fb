// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cuda/thread_streams.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <thread>
#include <vector>

namespace heddle {
namespace {

/// A number in place of a stream.
struct Numbered {
    int number = 0;
};

int streamOf(int device) {
    static std::atomic<int> made = 0;
    return ThreadStreams<Numbered>::of(device, [](int of) { return Numbered{100 * of + ++made}; }).number;
}

TEST(ThreadStreams, ThreadsThatLiveTogetherHaveDifferentOnesAndLaterThreadsTheSame) {
    constexpr int kThreads = 3;
    const auto streams = [] {
        std::vector<int> found(kThreads);
        std::latch all(kThreads);
        std::vector<std::thread> threads;
        for (int& one : found)
            threads.emplace_back([&] {
                one = streamOf(1);
                all.arrive_and_wait();
                EXPECT_EQ(streamOf(1), one) << "a thread keeps its stream";
                EXPECT_NE(streamOf(2), one) << "of another device";
            });
        for (std::thread& thread : threads) thread.join();
        return std::set<int>(found.begin(), found.end());
    };
    const std::set<int> first = streams();
    EXPECT_EQ(first.size(), std::size_t{kThreads});
    EXPECT_EQ(streams(), first) << "memory is reused by stream";
}

}  // namespace
}  // namespace heddle
