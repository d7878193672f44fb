// SPDX-License-Identifier: Apache-2.0
// `heddle sweep` with the built program and the real engine.
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

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
