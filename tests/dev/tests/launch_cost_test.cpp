// SPDX-License-Identifier: Apache-2.0
// Tests the bytes that a launch moves and the time that the model gives it.
#include "tests/dev/engine/launch_cost.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/fused.h"
#include "tests/dev/engine/fake_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace heddle {
namespace {

class LaunchCosts : public testing::Test {
protected:
    void SetUp() override {
        useFakeCuda();
        setFakeKernels(FakeKernels::Heddle);
    }
    static at::Tensor zeros(at::IntArrayRef sizes, at::ScalarType type) {
        return at::zeros(sizes, type).to(at::Device(at::kCUDA, 0));
    }
    /// The one launch of `work`.
    static Launch launchOf(const std::function<void()>& work) {
        launchLog().take();
        work();
        const std::vector<Launch> all = launchLog().take();
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? Launch{} : all[0];
    }
    static double bytesOf(const std::function<void()>& work) { return launchOf(work).cost.bytes; }
};

TEST_F(LaunchCosts, AnOperatorReadsItsOperandsAndWritesItsResultsOnce) {
    const at::Tensor x = zeros({4, 6}, at::kFloat), row = zeros({6}, at::kFloat), half = zeros({4, 6}, at::kBFloat16);
    const at::Tensor table = zeros({1000, 6}, at::kFloat), ids = zeros({7}, at::kLong);
    EXPECT_EQ(bytesOf([&] { at::tanh(x); }), 2 * 96);
    EXPECT_EQ(bytesOf([&] { at::tanh(half); }), 2 * 48);
    EXPECT_EQ(bytesOf([&] { x.add(row.expand({4, 6})); }), 96 + 24 + 96) << "a broadcast row is one row";
    EXPECT_EQ(bytesOf([&] { half.add_(half); }), 3 * 48) << "two are read";
    EXPECT_EQ(bytesOf([&] { x.to(at::kBFloat16); }), 96 + 48);
    EXPECT_EQ(bytesOf([&] { at::embedding(table, ids); }), 2 * 7 * 24) << "not the whole table";
    EXPECT_EQ(bytesOf([&] { at::Tensor(x).zero_(); }), 96) << "nothing is read";
    EXPECT_THAT(launchOf([&] { x.to(at::kBFloat16); }).cost.sizes, "f4x6 -> b4x6");
}

TEST_F(LaunchCosts, AKernelOfHeddleMovesWhatItsArgumentsSay) {
    const at::Tensor x = zeros({4, 64}, at::kFloat), half = zeros({4, 64}, at::kBFloat16);
    const RandomKey key = randomKey(1, "drop");
    EXPECT_EQ(bytesOf([&] { reluDropout(key, 0.1, x); }), 2 * 4 * 64 * 4);
    EXPECT_EQ(bytesOf([&] { reluDropout(key, 0.1, half); }), 2 * 4 * 64 * 2);
}

TEST_F(LaunchCosts, AProductTakesTheTimeOfItsWaves) {
    const auto secondsOf = [](std::int64_t m, std::int64_t n, std::int64_t k) {
        const at::Tensor a = zeros({m, k}, at::kBFloat16), b = zeros({k, n}, at::kBFloat16);
        return launchOf([&] { at::mm(a, b); }).cost.seconds;
    };
    // 11 × 12 tiles of 128 × 256 are one wave of 132 multiprocessors; one more row of tiles is another wave.
    const double wave = 2.0 * 128 * 256 * 8192 / 5.0e12;
    EXPECT_NEAR(secondsOf(11 * 128, 12 * 256, 8192), wave + 2.5e-6, 1e-9);
    EXPECT_GT(secondsOf(12 * 128, 12 * 256, 8192), 1.4 * wave) << "of smaller tiles";
    EXPECT_LT(secondsOf(128, 256, 8192), wave / 2) << "parts of the inner axis run side by side";
    EXPECT_DOUBLE_EQ(secondsOf(1, 1, 64), secondsOf(2, 2, 64)) << "less than one tile";
}

TEST_F(LaunchCosts, ASmallLaunchTakesItsShortestTime) {
    const at::Tensor x = zeros({4}, at::kFloat);
    EXPECT_DOUBLE_EQ(launchOf([&] { at::tanh(x); }).cost.seconds, 2.6e-6);
    const at::Tensor large = zeros({1 << 20, 25}, at::kFloat);
    EXPECT_NEAR(launchOf([&] { at::tanh(large); }).cost.seconds, 2.0 * 25 * 4 * (1 << 20) / 2.5e12 + 1e-6, 1e-12);
}

}  // namespace
}  // namespace heddle
