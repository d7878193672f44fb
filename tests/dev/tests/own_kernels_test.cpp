// SPDX-License-Identifier: Apache-2.0
// HEDDLE_WITHOUT turns off the kernels that it names and no others, HEDDLE_WITH turns on those that are off. Each test runs a
// new process on the fake CUDA device.
#include "engine/kernels/own_kernels.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/train/report/histogram.h"
#include "tests/dev/engine/fake_cuda.h"
#include "tests/dev/engine/launch_count.h"
#include "tests/dev/engine/launch_log.h"
#include "tests/unit/engine/tiny_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

namespace heddle {
namespace {

struct Switch {
    const char* name;      ///< for HEDDLE_WITHOUT
    const char* workload;  ///< whose step launches the kernels
    std::set<std::string> kernels;
    std::set<std::string> instead = {};  ///< of ours, which it launches then
};

void PrintTo(const Switch& one, std::ostream* out) { *out << one.name; }

const std::set<std::string> kSoftmaxOfScores{"scoreWeights", "scoreWeightsBackward"};

class OwnKernels : public testing::TestWithParam<Switch> {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

INSTANTIATE_TEST_SUITE_P(Cuda, OwnKernels,
                         testing::Values(Switch{"cuda-dropout", "W6", {"dropout", "reluDropoutBackward"}},
                                         Switch{"cuda-norm", "W1", {"addNorm", "addNormBackward"}},
                                         Switch{"cuda-scores", "W5-g", {"scoreWeights", "scoreWeightsBackward"}},
                                         Switch{"cuda-gate", "W5-g", {"scoreGate", "scoreGateBackward"}},
                                         Switch{"cuda-split", "W7", {"splitWeights", "splitWeightsBackward"}, kSoftmaxOfScores},
                                         Switch{"cuda-gelu", "W4", {"geluBackward"}},
                                         Switch{"cuda-adjust", "W6", {"adjust", "adjustBackward"}},
                                         Switch{"cuda-update", "W7", {"tanhUpdate", "tanhUpdateBackward"}, {"dropout"}},
                                         Switch{"cuda-loss", "W1", {"crossEntropy"}},
                                         Switch{"cuda-rows", "W3-128", {"sortedEmbeddingGradient", "scatterRows"}},
                                         Switch{"cuda-embed", "W1", {"embed"}},
                                         Switch{"cuda-sums", "W1", {"columnSums", "packedSums"}},
                                         Switch{"cuda-histogram", "", {"histogram"}},
                                         Switch{"cuda-adam", "W1", {"gradientSquares", "gradientNorm", "adam"}},
                                         Switch{"cuda-ring", "W1", {"stepRing"}}),
                         [](const auto& one) {
                             std::string name = one.param.name;
                             name[4] = '_';
                             return name;
                         });

/// Returns Heddle's own kernels that a step of the workload launches; without a workload, those that a histogram launches.
std::set<std::string> launched(const std::string& workload) {
    std::set<std::string> names;
    if (!workload.empty()) {
        LaunchCountRequest request;
        request.workload = testing_support::tinyWorkload(workload);
        for (const LaunchCount& one : runLaunchCount(request).withKernels)
            if (one.isOwn) names.insert(one.name);
        return names;
    }
    useFakeCuda();
    setFakeKernels(FakeKernels::Heddle);
    countHistogram(at::zeros({8}).to(at::Device(at::kCUDA, 0)), {0, 1});
    for (const LaunchCount& one : counted(launchLog().take()))
        if (one.isOwn) names.insert(one.name);
    return names;
}

constexpr char kLine[] = "launches ";

/// Turns the kernels off, prints those that are still launched, and ends the process.
[[noreturn]] void leaveOut(const Switch& one) {
    setenv("HEDDLE_WITHOUT", one.name, 1);  // NOLINT(concurrency-mt-unsafe): this process has one thread
    for (const std::string& kernel : launched(one.workload)) std::cerr << kLine << kernel << "\n";
    std::exit(changedKernels() == std::string(" without ") + one.name ? 0 : 1);  // NOLINT(concurrency-mt-unsafe)
}

std::set<std::string> kernelsIn(const std::string& output) {
    std::set<std::string> kernels;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(kLine)) kernels.insert(line.substr(std::strlen(kLine)));
    return kernels;
}

TEST_P(OwnKernels, CanBeTurnedOffAlone) {
    std::set<std::string> without;
    const auto keep = testing::Truly([&](const std::string& output) {
        without = kernelsIn(output);
        return true;
    });
    EXPECT_EXIT(leaveOut(GetParam()), testing::ExitedWithCode(0), keep);  // before this process reads the variable
    std::set<std::string> expected = launched(GetParam().workload);
    for (const std::string& kernel : GetParam().kernels) EXPECT_EQ(expected.erase(kernel), 1U) << kernel << " is not used";
    expected.insert(GetParam().instead.begin(), GetParam().instead.end());
    EXPECT_EQ(without, expected);
}

/// What a step of the workload launches with a kernel that is off unless asked for: "OPERATOR COUNT" lines.
[[noreturn]] void stepWith(const std::string& kernel, const char* workload) {
    setenv("HEDDLE_WITH", kernel.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    LaunchCountRequest request;
    request.workload = testing_support::tinyWorkload(workload);
    std::map<std::string, std::int64_t> counts;
    for (const LaunchCount& one : runLaunchCount(request).withKernels) counts[one.name] += one.launches;
    for (const auto& [name, count] : counts) std::cerr << name << " " << count << "\n";
    std::exit(changedKernels() == " with " + kernel ? 0 : 1);  // NOLINT(concurrency-mt-unsafe)
}

auto printsLine(const char* line) { return testing::HasSubstr(std::string("\n") + line + "\n"); }
auto printsNone(const char* name) { return testing::Not(testing::HasSubstr(std::string("\n") + name + " ")); }

/// 4 + 4 layers: 12 attentions, of which 6 have a gate.
TEST(OwnKernelsOnRequest, AttendByOneKernelEachWay) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(stepWith("cuda-attention", "W5-g"), testing::ExitedWithCode(0),
                testing::AllOf(printsLine("attention 12"), printsLine("attentionBackward 12"), printsLine("packedSums 1"),
                               printsNone("scoreWeights"), printsNone("scoreGate"), printsNone("scoreWeightsBackward"),
                               printsNone("scoreGateBackward"), printsNone("bmm"), printsNone("cat"), printsNone("mul"),
                               printsNone("sum"), printsNone("masked_fill_"), printsNone("scaled_dot_product_attention")));
    EXPECT_FALSE(isUsed(OwnKernel::CudaAttention));  // only now does this process read the variable
}

/// 3 + 3 layers: products of queries, keys and values (6, 3 of queries alone, and one of the memory), the feed-forward
/// networks' first products (6) and the head's make the gradients of their biases; the gradients of ReLU are 6. In W6, 9
/// products before adjusters leave that of their bias to whoever reads them, and 9 adjusters have ReLU between other maps.
TEST(OwnKernelsOnRequest, MakeGradientsOfBiasesAndOfReluInProducts) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(stepWith("cuda-epilogues", "W1"), testing::ExitedWithCode(0),
                testing::AllOf(printsLine("product 23"), printsLine("reluDropout 6"), printsNone("dropout"),
                               printsLine("packedSums 1"), printsLine("addNormBackward 15"), printsNone("columnSums"),
                               printsNone("reluDropoutBackward"), printsNone("add_")));
    EXPECT_EXIT(stepWith("cuda-epilogues", "W6"), testing::ExitedWithCode(0),
                testing::AllOf(printsLine("product 23"), printsLine("reluDropout 6"), printsLine("reluDropoutBackward 9"),
                               printsLine("columnSums 9")));
    EXPECT_FALSE(isUsed(OwnKernel::CudaEpilogues));
}

/// Asks for a kernel with this variable, and prints what is wrong with it.
void readNames(const char* variable, const char* names) {
    setenv(variable, names, 1);  // NOLINT(concurrency-mt-unsafe)
    try {
        isUsed(OwnKernel::CudaSums);
    } catch (const Error& error) {
        std::cerr << error.problem() << "; " << error.next();
        std::exit(3);  // NOLINT(concurrency-mt-unsafe)
    }
}

TEST(OwnKernelNames, AreCheckedAndListed) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(readNames("HEDDLE_WITHOUT", "cuda-sum"), testing::ExitedWithCode(3),
                "\"cuda-sum\" is not one of Heddle's kernels; known kernels: products, .*cuda-sums");
    EXPECT_EXIT(readNames("HEDDLE_WITH", "attention"), testing::ExitedWithCode(3),
                "\"attention\" is not one of Heddle's kernels; known kernels: cuda-attention, cuda-epilogues");
    EXPECT_EXIT(readNames("HEDDLE_WITH", "cuda-sums"), testing::ExitedWithCode(3),
                "the kernel \"cuda-sums\" is on anyway; kernels that are not: cuda-attention, cuda-epilogues");
}

}  // namespace
}  // namespace heddle
