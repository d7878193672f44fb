// SPDX-License-Identifier: Apache-2.0
#include "app/launch/planned_sweep.h"

#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PlannedSweepTest : public testing::Test, protected SessionFixture {
protected:
    PlannedSweepTest() {
        for (const char* file : {"a", "b"}) std::ofstream(folder_ / file) << "a b\n";
    }
    PlanRow row(const std::string& name, std::optional<RowStart> from = {}) const {
        return {name,
                smallSpec(name, 30).toJson(),
                {"data.train.source=" + (folder_ / "a"), "data.train.target=" + (folder_ / "b")},
                {1},
                std::move(from)};
    }
    PlannedSweep sweep(const std::vector<PlanRow>& rows) {
        return {plannedRuns(rows, folder_ / "plan.json", ""),
                {file_, [this] { return query(); }, [this](const std::string& line) { said_.push_back(line); }}};
    }

    std::vector<std::string> said_;
};

/// Trains in this process, and notes what it was asked for.
class NotingLauncher final : public Launcher {
public:
    explicit NotingLauncher(std::function<std::string(const RunSpec&, const std::string&)> train) : train_(std::move(train)) {}
    void require(const std::vector<PlannedRun>&) const override {}
    int train(std::vector<PlannedRun*> due, const std::string& group) override {
        std::string round;
        for (PlannedRun* run : due) {
            if (run->isDone() || run->waitsForStart()) continue;
            round += (round.empty() ? "" : " ") + run->spec.name;
            run->wasBegun = true;
            run->id = train_(run->spec, group);
        }
        rounds.push_back(round);
        return 0;
    }
    std::vector<std::string> rounds;

private:
    std::function<std::string(const RunSpec&, const std::string&)> train_;
};

TEST_F(PlannedSweepTest, RunsThatStartFromOthersAreOfLaterRounds) {
    NotingLauncher launcher([this](const RunSpec& spec, const std::string& group) {
        const auto session = open();
        std::string run = session->submit(spec, RunLabels{group, {}});
        EXPECT_TRUE(ends(*session, run));
        return run;
    });
    PlannedSweep all = sweep({row("fine", RowStart{"pre", "last"}), row("pre")});
    EXPECT_FALSE(all.isWhole());
    EXPECT_EQ(all.train(launcher, groupOfSweep("/somewhere/gates.json")), 0);
    EXPECT_THAT(launcher.rounds, ElementsAre("pre", "fine"));
    EXPECT_TRUE(all.isWhole());
    for (const auto& run : query()->runs()) EXPECT_EQ(run.group, "sweep/gates");
}

TEST_F(PlannedSweepTest, ARunOfAFailedStartIsTold) {
    engine_->failAt = 5;
    NotingLauncher launcher([this](const RunSpec& spec, const std::string&) {
        const auto session = open();
        std::string run = session->submit(spec);
        EXPECT_TRUE(ends(*session, run));
        return run;
    });
    PlannedSweep all = sweep({row("fine", RowStart{"pre", "last"}), row("pre")});
    EXPECT_EQ(all.train(launcher, "sweep/plan"), 0);
    EXPECT_THAT(said_, ElementsAre("fine, seed 1 was not trained: it starts from pre, seed 1, which failed"));
    EXPECT_FALSE(all.isWhole());
}

TEST_F(PlannedSweepTest, ARunWithoutItsDataIsRefusedBeforeAnyIsTrained) {
    NotingLauncher launcher([](const RunSpec&, const std::string&) { return std::string(); });
    PlanRow bare = row("bare");
    bare.set.clear();
    PlannedSweep all = sweep({row("pre"), bare});
    EXPECT_THAT(whyRefused([&] { all.train(launcher, "sweep/plan"); }), HasSubstr("/nowhere/a"));
    EXPECT_THAT(launcher.rounds, ElementsAre());
}

}  // namespace
}  // namespace heddle::app
