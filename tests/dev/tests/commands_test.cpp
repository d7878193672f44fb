// SPDX-License-Identifier: Apache-2.0
// The commands of `heddle-dev` in this process.
#include "tests/dev/commands.h"
#include "app/cli/cli.h"
#include "engine/base/temporary_folder.h"
#include "tests/dev/peer_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace heddle::dev {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Result {
    int code = 0;
    std::string out, err;
};

Result run(const std::vector<std::string>& arguments) {
    std::ostringstream out, err;
    const int code = app::runCli(arguments, out, err, {{}, devCommands()});
    return {code, out.str(), err.str()};
}

Json roundOf(double least, double mean, double most, double gemm) {
    TrainBenchRow row;
    row.stepMs = mean, row.stepMsLeast = least, row.stepMsMost = most, row.gemmGflops = gemm;
    row.tokensPerStep = 100, row.peakMib = mean, row.startSeconds = mean / 2, row.firstStepSeconds = mean;
    return app::rowDocument(row);
}

TEST(PeersCommand, MistakesAreUsageErrorsThatSayWhatToDo) {
    for (const auto& [arguments, hint] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{}, "choose from W1, W1r-pad"},
             {{"W1", "--device", "cpu"}, "--peers-script"},
             {{"W1", "--small", "--device", "cpu", "--peers-script", "x.py"}, "no small workloads"},
             {{"W1", "--peer", "eager-fp32", "--peers-script", "x.py", "--python", "/no/python"}, "/no/python"}}) {
        std::vector<std::string> all{"bench", "peers"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const Result result = run(all);
        EXPECT_EQ(result.code, 2) << result.err;
        EXPECT_THAT(result.err, HasSubstr(hint));
    }
}

TEST(PeersCommand, APeerThatFailsIsQuoted) {
    const Result result =
        run({"bench", "peers", "W1", "--peer", "eager-fp32", "--peers-script", "/no/peers.py", "--python", "cat"});
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, HasSubstr("writing the peers' batches failed"));
}

TEST(PeersCommand, TurnsAreJoinedByMedianAndExtremes) {
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

TEST(PeersCommand, AFailedTurnIsLeftOut) {
    const Json failure = app::failureRow("W1", "compile", Error(ErrorCode::Failure, "it ended with 137", "peer", ""));
    const Json joined = mergeRounds({roundOf(1, 2, 3, 5), failure, roundOf(2, 4, 6, 7)});
    EXPECT_EQ(joined.at("step_ms"), 3);
    EXPECT_EQ(joined.at("turns"), 2);
    EXPECT_EQ(mergeRounds({failure, failure}), failure);
}

TEST(PeersCommand, RatiosAreTokensASecondOfTheSameWorkload) {
    const auto row = [](const char* workload, const char* engine, double speed) -> Json {
        return {{"workload", workload}, {"engine", engine}, {"tokens_per_second", speed}};
    };
    const auto ratios = ratiosOf({row("W1r-pad", "heddle", 300), row("W1r-pad", "compile", 200), row("W1r-bkt", "heddle", 500),
                                  app::failureRow("W1r-bkt", "compile", Error(ErrorCode::Failure, "failed", "peer", ""))});
    ASSERT_EQ(ratios.size(), 2U);
    EXPECT_EQ(std::tuple(ratios[0].workload, ratios[0].engine, ratios[0].ratio), std::tuple("W1r-pad", "compile", 1.5));
    EXPECT_EQ(std::tuple(ratios[1].workload, ratios[1].engine, ratios[1].ratio),
              std::tuple("W1r-bkt", "compile on W1r-pad", 2.5));
}

TEST(TrainCommand, NeedsBatches) {
    const Result result = run({"bench", "train", "W1"});
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr("--batches"));
    EXPECT_THAT(run({"bench", "train", "W1", "--batches", "/no/batches.bin"}).err, HasSubstr("cannot read the batches"));
}

TEST(LaunchesCommand, CountsPerPhaseWithKernelsAndWithout) {
    const Result result = run({"bench", "launches", "W1", "--small", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const Json document = Json::parse(result.out);
    EXPECT_EQ(document.at("schema"), "heddle.launches/1");
    EXPECT_EQ(document.at("size"), "small");
    EXPECT_THAT(document.at("counted").get<std::string>(), HasSubstr("not by a profiler"));
    const Json &before = document.at("rows").at(0), &after = document.at("rows").at(1);
    EXPECT_EQ(before.at("kernels"), "torch");
    EXPECT_EQ(after.at("kernels"), "heddle");
    EXPECT_EQ(after.at("clip"), 2);
    EXPECT_LT(after.at("all"), before.at("all"));
    std::int64_t sum = 0;
    for (const Json& one : after.at("launches")) sum += one.at("count").get<std::int64_t>();
    EXPECT_EQ(after.at("all"), sum);
    bool hasOwn = false;
    for (const Json& one : after.at("launches")) hasOwn = hasOwn || one.at("heddle").get<bool>();
    EXPECT_TRUE(hasOwn);
    for (const Json& one : before.at("launches")) EXPECT_FALSE(one.at("heddle").get<bool>()) << one;
    EXPECT_THAT(run({"bench", "launches", "W1", "--small"}).out, AllOf(HasSubstr("W1"), HasSubstr("profiler")));
}

TEST(LaunchesCommand, HaveNoTime) {
    for (const char* timed : {"--steps", "--device", "--repeats"}) {
        const Result result = run({"bench", "launches", "W1", timed, "3"});
        EXPECT_EQ(result.code, 2);
        EXPECT_THAT(result.err, HasSubstr("unknown option"));
    }
}

/// Verify.PassesWhole in engine_test checks all properties.
TEST(VerifyCommand, ChecksProperties) {
    const Result result = run({"verify", "--only", "eau_bound", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_GT(Json::parse(result.out).at("passed"), 0);
    EXPECT_EQ(run({"verify", "--quick", "--only", "eau_bound"}).code, 3) << "no properties";
}

}  // namespace
}  // namespace heddle::dev
