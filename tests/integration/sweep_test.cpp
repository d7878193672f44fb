// SPDX-License-Identifier: Apache-2.0
// `heddle sweep` with the built program and the real engine.
#include "engine/base/threads.h"
#include "storage/run_query.h"
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace heddle::integration {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two variants, the first with two seeds, of so many steps.
std::string writePlan(const Workshop& shop, int steps) {
    const Json spec = Json::parse(shop.read("spec.json"));
    const std::string limit = "train.steps=" + std::to_string(steps);
    return shop.write("two.json", Json{{"schema", "heddle.plan/1"},
                                       {"rows",
                                        {{{"name", "plain"}, {"spec", spec}, {"seeds", {1, 2}}, {"set", {limit}}},
                                         {{"name", "fast"}, {"spec", spec}, {"set", {limit, "train.lr=0.01"}}}}}}
                                      .dump());
}

std::vector<std::string> statesOf(const Json& document) {
    std::vector<std::string> states;
    for (const Json& run : document.at("runs")) states.push_back(run.at("state"));
    return states;
}

TEST(Sweep, TrainsEveryRunAndGoesOnWhereItEnded) {
    const Workshop shop;
    const std::string plan = writePlan(shop, 150);
    const Json dry = shop.must({"sweep", plan, "--dry-run"});
    EXPECT_THAT(statesOf(dry), ElementsAre("new", "new", "new"));
    {
        const auto program = shop.start({"sweep", plan});
        shop.waitForStep(20);
        program->signal(SIGINT);
        EXPECT_EQ(program->wait().code, 130);
    }
    const Json rest = shop.must({"sweep", plan});
    EXPECT_THAT(statesOf(rest), ElementsAre("completed", "completed", "completed"));
    const Json runs = rest.at("runs");
    EXPECT_EQ(runs.at(1).at("seed"), 2);
    EXPECT_EQ(runs.at(2).at("name"), "fast");
    EXPECT_EQ(shop.run({"runs", "list"}).json().at("runs").size(), 3U) << "the first one went on";
    EXPECT_EQ(shop.run({"sweep", plan}).json().at("runs"), runs) << "nothing is trained twice";
}

TEST(Sweep, TwoAtOnceTrainTheSameWeightsAsOneAfterTheOther) {
    if (physicalCores() < 2) GTEST_SKIP() << "one core";
    const Workshop alone, together;
    const auto weights = [](const Workshop& shop, const std::vector<std::string>& jobs) {
        const Json spec = Json::parse(shop.read("spec.json"));
        const std::string plan = shop.write(
            "seeds.json",
            Json{{"schema", "heddle.plan/1"},
                 {"rows",
                  {{{"name", "plain"}, {"spec", spec}, {"seeds", {1, 2}}, {"set", {"train.steps=300", "train.threads=1"}}}}}}
                .dump());
        std::vector<std::string> arguments{"sweep", plan};
        arguments.insert(arguments.end(), jobs.begin(), jobs.end());
        std::vector<std::string> hashes;
        std::vector<std::pair<double, double>> times;
        const Json swept = shop.must(arguments);
        for (const Json& run : swept.at("runs")) {
            hashes.push_back(lastWeights(shop.must({"runs", "show", run.at("run")})));
            const auto query = storage::RunQuery::open((shop / Workshop::database()).string());
            const auto attempt = query->attempts(run.at("run")).at(0);
            times.emplace_back(attempt.started, attempt.started + attempt.seconds);
        }
        EXPECT_EQ(times.at(1).first < times.at(0).second, !jobs.empty()) << "whether they overlapped";
        return hashes;
    };
    const auto one = weights(alone, {}), two = weights(together, {"--jobs", "2"});
    EXPECT_NE(one.at(0), one.at(1));
    EXPECT_EQ(one, two) << "to the last bit";
}

/// A row whose runs start from those of the row "pre", and that row after it.
std::string writePlanWithStart(const Workshop& shop, const std::string& setting) {
    const Json spec = Json::parse(shop.read("spec.json"));
    const Json fine{{"name", "fine"}, {"spec", spec}, {"seeds", {1, 2}}, {"set", {"train.steps=20"}}, {"from", "pre"}};
    const Json pre{{"name", "pre"}, {"spec", spec}, {"seeds", {1, 2}}, {"set", {"train.steps=30", setting}}};
    return shop.write("fine.json", Json{{"schema", "heddle.plan/1"}, {"rows", {fine, pre}}}.dump());
}

TEST(Sweep, ARowStartsFromTheRunsOfAnother) {
    const Workshop shop;
    const std::string plan = writePlanWithStart(shop, "train.lr=0.003");
    const Json dry = shop.must({"sweep", plan, "--dry-run"});
    EXPECT_THAT(statesOf(dry), ElementsAre("waits", "waits", "new", "new"));
    EXPECT_EQ(dry.at("runs").at(0).at("from"),
              Json({{"row", "pre"}, {"checkpoint", "best"}, {"database", nullptr}, {"run", nullptr}}));
    EXPECT_EQ(dry.at("runs").at(2).at("from"), nullptr);
    const Json runs = shop.must({"sweep", plan}).at("runs");
    EXPECT_EQ(shop.must({"sweep", plan}).at("runs"), runs) << "nothing is trained twice";
    for (int i = 0; i < 2; ++i) {
        const Json &fine = runs.at(std::size_t(i)), &pre = runs.at(std::size_t(i + 2));
        EXPECT_EQ(fine.at("state"), "completed");
        EXPECT_EQ(fine.at("from").at("run"), pre.at("run"));
        const Json shown = shop.must({"runs", "show", fine.at("run")});
        EXPECT_EQ(shown.at("parent"), pre.at("run"));
        const auto checkpoints = shop.must({"runs", "show", pre.at("run")}).at("checkpoints");
        const auto best =
            std::find_if(checkpoints.begin(), checkpoints.end(), [](const Json& one) { return one.at("kind") == "best"; });
        EXPECT_EQ(fine.at("spec").at("train").at("start").at("weights_sha256"), best->at("weights_sha256"));
        const std::vector<std::string> alone{"train",  (shop / "spec.json").string(),
                                             "--from", pre.at("run"),
                                             "--seed", std::to_string(i + 1),
                                             "--set",  "train.steps=20",
                                             "--name", "alone"};
        EXPECT_EQ(lastWeights(shop.must(alone)), lastWeights(shown)) << "as heddle train --from";
    }
}

TEST(Sweep, ARunWhoseStartFailedIsToldAndTheOthersAreTrained) {
    const Workshop shop;
    const std::string plan = writePlanWithStart(shop, R"(data.tokenizer.file="/nowhere.model")");
    const Result swept = shop.run({"sweep", plan});
    EXPECT_EQ(swept.code, 1) << swept.err;
    EXPECT_THAT(statesOf(swept.json()), ElementsAre("waits", "waits", "failed", "failed"));
    for (const char* seed : {"1", "2"})
        EXPECT_THAT(swept.err, HasSubstr(std::string("fine, seed ") + seed + " was not trained: it starts from pre, seed " +
                                         seed + ", which failed"));
    Json unknown = Json::parse(shop.read("fine.json"));
    unknown["rows"][0]["from"] = "pro";
    const Result refused = shop.run({"sweep", shop.write("fine.json", unknown.dump())});
    EXPECT_EQ(refused.code, 3) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("the rows are: fine, pre"));
}

TEST(Sweep, RefusesWhatCannotBeTrainedBeforeItBegins) {
    const Workshop shop;
    const std::string plan = writePlan(shop, 0);
    Json document = Json::parse(shop.read("two.json"));
    document["rows"][1]["set"] = {"data.train.source=nowhere.en"};
    shop.write("two.json", document.dump());
    const Result refused = shop.run({"sweep", plan});
    EXPECT_EQ(refused.code, 3) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("nowhere.en"));
    EXPECT_EQ(shop.run({"runs", "list"}).code, 3) << "there is no database";
    EXPECT_EQ(shop.run({"sweep", (shop / "spec.json").string()}).code, 3) << "a spec is no plan";
}

}  // namespace
}  // namespace heddle::integration
