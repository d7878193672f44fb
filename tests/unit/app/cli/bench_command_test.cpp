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

TEST(BenchCommand, ListsTheWorkloads) {
    const auto listed = bench({"workloads"});
    EXPECT_EQ(listed.code, 0);
    EXPECT_THAT(listed.out, AllOf(HasSubstr("W1r-bkt"), HasSubstr("11,066,797"), HasSubstr("W7")));
    EXPECT_EQ(Json::parse(bench({"workloads", "--json"}).out).at("schema"), "heddle.workloads/1");
}

TEST(BenchCommand, MistakesAreUsageErrorsThatSayWhatToDo) {
    for (const auto& [arguments, hint] :
         std::vector<std::pair<std::vector<std::string>, std::string>>{{{"train"}, "choose from W1, W1r-pad"},
                                                                       {{"train", "W8"}, "unknown workload \"W8\""},
                                                                       {{"train", "W5s-gg"}, "did you mean \"W5s-g\"?"}}) {
        const auto result = bench(arguments);
        EXPECT_EQ(result.code, 2) << result.err;
        EXPECT_THAT(result.err, HasSubstr(hint));
    }
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

// Earlier, a failure or a time limit lost everything that had been measured.
TEST(BenchCommand, AFailureIsARowAndWhatWasMeasuredStays) {
    const Error failed(ErrorCode::Failure, "it ended with 137", "peer compile on W1", "look at its memory");
    const Json failure = failureRow("W1", "compile", failed);
    EXPECT_THAT(failure.at("failure").get<std::string>(), HasSubstr("it ended with 137"));

    const TemporaryFolder folder;
    BenchSettings settings;
    settings.rowsFolder = folder / "rows";
    saveRow(failure, 2, settings);
    std::ifstream kept(folder / "rows/W1-compile-2.json");
    EXPECT_EQ(Json::parse(kept), failure);
}

}  // namespace
}  // namespace heddle::app
