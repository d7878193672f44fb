// SPDX-License-Identifier: Apache-2.0
// `heddle bench` in-process, with an engine that measures nothing.
#include "app/cli/bench_rows.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/fake_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

CommandResult bench(std::vector<std::string> arguments,
                    const std::shared_ptr<FakeEngine>& engine = std::make_shared<FakeEngine>()) {
    arguments.insert(arguments.begin(), "bench");
    return runCommand(arguments, [engine] { return engine; });
}

Json roundOf(double least, double mean, double most, double gemm) {
    TrainBenchRow row;
    row.stepMs = mean, row.stepMsLeast = least, row.stepMsMost = most, row.gemmGflops = gemm;
    row.tokensPerStep = 100, row.peakMib = mean, row.startSeconds = mean / 2, row.firstStepSeconds = mean;
    return rowDocument(row);
}

TEST(BenchCommand, ListsTheWorkloads) {
    const auto listed = bench({"workloads"});
    EXPECT_EQ(listed.code, 0);
    EXPECT_THAT(listed.out, AllOf(HasSubstr("W1r-bkt"), HasSubstr("11,066,797"), HasSubstr("W7")));
    EXPECT_EQ(Json::parse(bench({"workloads", "--json"}).out).at("schema"), "heddle.workloads/1");
}

TEST(BenchCommand, MistakesAreUsageErrorsThatSayWhatToDo) {
    for (const auto& [arguments, hint] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"train"}, "choose from W1, W1r-pad"},
             {{"train", "W8"}, "unknown workload \"W8\""},
             {{"train", "W5s-gg"}, "did you mean \"W5s-g\"?"},
             {{"train", "W1", "--peers", "--device", "cpu"}, "--peers-script"},
             {{"train", "W1", "--small", "--peers", "--device", "cpu", "--peers-script", "x.py"}, "no small workloads"},
             {{"train", "W1", "--peer", "eager-fp32", "--peers-script", "x.py", "--python", "/no/python"}, "/no/python"}}) {
        const auto result = bench(arguments);
        EXPECT_EQ(result.code, 2) << result.err;
        EXPECT_THAT(result.err, HasSubstr(hint));
    }
}

TEST(BenchCommand, APeerThatFailsIsQuoted) {
    const auto result = bench({"train", "W1", "--peer", "eager-fp32", "--peers-script", "/no/peers.py", "--python", "cat"});
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, HasSubstr("writing the peers' batches failed"));
}

TEST(BenchCommand, TheDocumentHasEveryField) {
    const auto result = bench({"train", "W1", "--device", "cpu", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const Json document = Json::parse(result.out);
    EXPECT_EQ(document.at("schema"), "heddle.bench/1");
    EXPECT_EQ(document.at("size"), "full");
    EXPECT_TRUE(document.at("ratios").empty());
    const Json& row = document.at("rows").at(0);
    for (const char* field : {"workload",
                              "engine",
                              "device",
                              "precision",
                              "threads",
                              "torch",
                              "parameters",
                              "step_ms",
                              "step_ms_min",
                              "step_ms_max",
                              "single_step_ms",
                              "tokens_per_second",
                              "tokens_per_step",
                              "fill",
                              "gflop_per_step",
                              "gemm_gflops",
                              "gemm",
                              "ceiling_share",
                              "peak_mib",
                              "host_ms",
                              "start_seconds",
                              "first_step_seconds",
                              "first_loss",
                              "last_loss",
                              "steps",
                              "repeats",
                              "shapes",
                              "batches"})
        EXPECT_TRUE(row.contains(field)) << field;
}

TEST(BenchCommand, LaunchesAreCountedPerPhaseWithKernelsAndWithout) {
    const auto result = bench({"train", "W1", "--launches", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const Json document = Json::parse(result.out);
    EXPECT_EQ(document.at("schema"), "heddle.launches/1");
    EXPECT_THAT(document.at("counted").get<std::string>(), HasSubstr("not by a profiler"));
    const Json &before = document.at("rows").at(0), &after = document.at("rows").at(1);
    EXPECT_EQ(before.at("kernels"), "torch");
    EXPECT_EQ(before.at("all"), 90);
    EXPECT_EQ(after.at("kernels"), "heddle");
    EXPECT_EQ(after.at("forward"), 4);
    EXPECT_EQ(after.at("backward"), 2);
    EXPECT_EQ(after.at("all"), 6);
    EXPECT_EQ(after.at("launches").at(0), Json({{"name", "addNorm"}, {"phase", "forward"}, {"heddle", true}, {"count", 4}}));
    EXPECT_THAT(bench({"train", "W1", "--launches"}).out, AllOf(HasSubstr("W1"), HasSubstr("90"), HasSubstr("profiler")));
}

TEST(BenchCommand, LaunchesHaveNoTime) {
    for (const std::vector<std::string>& timed :
         std::vector<std::vector<std::string>>{{"--steps", "3"}, {"--peers"}, {"--device", "cpu"}, {"--nondeterministic"}}) {
        std::vector<std::string> arguments{"train", "W1", "--launches"};
        arguments.insert(arguments.end(), timed.begin(), timed.end());
        const auto result = bench(arguments);
        EXPECT_EQ(result.code, 2);
        EXPECT_THAT(result.err, HasSubstr("options of time measurement"));
    }
}

TEST(BenchCommand, ThePoolIsTheNumberOfDifferentBatches) {
    const auto engine = std::make_shared<FakeEngine>();
    for (const std::string workload : {"W1", "W1r-bkt"}) {
        const auto result = bench({"train", workload, "--pool", "7", "--device", "cpu"}, engine);
        ASSERT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(engine->benched.name, workload);
        EXPECT_EQ(engine->benched.batches, 7);
        EXPECT_EQ(engine->benched.sentences, workload == "W1" ? 0 : 7 * 128) << "of full length nobody mixes sentences";
    }
    EXPECT_THAT(bench({"train", "W1", "--pool", "0"}).err, HasSubstr("--pool 0 is too small"));
}

TEST(BenchCommand, TurnsAreJoinedByMedianAndExtremes) {
    const Json joined = mergeRounds({roundOf(9, 10, 11, 300), roundOf(18, 20, 24, 400), roundOf(11, 12, 13, 350)});
    EXPECT_EQ(joined.at("step_ms"), 12);
    EXPECT_EQ(joined.at("step_ms_min"), 9);
    EXPECT_EQ(joined.at("step_ms_max"), 24);
    EXPECT_NEAR(joined.at("tokens_per_second").get<double>(), 100 / 12e-3, 1e-9);
    EXPECT_EQ(joined.at("gemm_gflops"), 400);
    EXPECT_EQ(joined.at("peak_mib"), 20);
    EXPECT_EQ(joined.at("start_seconds"), 6);
    EXPECT_EQ(joined.at("first_step_seconds"), 12);
    EXPECT_EQ(joined.at("turns"), 3);
}

// Before: a peer that failed, or a time limit, lost everything that had been measured.
TEST(BenchCommand, AFailureIsARowAndWhatWasMeasuredStays) {
    const Error failed(ErrorCode::Failure, "it ended with 137", "peer compile on W1", "look at its memory");
    const Json failure = failureRow("W1", "compile", failed);
    EXPECT_THAT(failure.at("failure").get<std::string>(), HasSubstr("it ended with 137"));
    const Json joined = mergeRounds({roundOf(1, 2, 3, 5), failure, roundOf(2, 4, 6, 7)});
    EXPECT_EQ(joined.at("step_ms"), 3);
    EXPECT_EQ(joined.at("turns"), 2);
    EXPECT_EQ(mergeRounds({failure, failure}), failure);

    const TemporaryFolder folder;
    BenchSettings settings;
    settings.rowsFolder = folder / "rows";
    saveRow(failure, 2, settings);
    std::ifstream kept(folder / "rows/W1-compile-2.json");
    EXPECT_EQ(Json::parse(kept), failure);
}

}  // namespace
}  // namespace heddle::app
