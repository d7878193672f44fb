// SPDX-License-Identifier: Apache-2.0
#include "app/launch/plan_starts.h"

#include "engine/base/json.h"
#include "storage/run_store.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PlanStartsTest : public testing::Test, protected SessionFixture {
protected:
    static PlanRow row(const std::string& name, std::optional<RowStart> from = {}) {
        return {name, smallSpec(name, 30).toJson(), {"train.keep_last=5"}, {1}, std::move(from)};
    }
    std::vector<PlannedRun> planned(std::vector<PlanRow> rows) const {
        return plannedRuns(std::move(rows), folder_ / "plan.json", "");
    }
    void find(std::vector<PlannedRun>& runs) const {
        const auto open = fs::exists(file_) ? query() : nullptr;
        findPlanned(runs, open.get(), file_);
    }
    /// Trains the run; returns its id.
    std::string train(const PlannedRun& run) const {
        const auto session = open();
        auto id = session->submit(run.spec);
        EXPECT_TRUE(ends(*session, id));
        return id;
    }
    std::string startOf(const std::string& id, std::int64_t step) const {
        return storage::artifactFolder(file_) + "/" + id + "/step-" + std::to_string(step);
    }
};

TEST_F(PlanStartsTest, ARunIsOpenUntilItsStartHasCompletedAndIsFoundAfterwards) {
    auto runs = planned({row("late", RowStart{"fine", "last"}), row("fine", RowStart{"pre", "20"}), row("pre")});
    find(runs);
    EXPECT_EQ(runs[1].state, "waits") << "there is no database yet";
    EXPECT_EQ(whyWaiting(runs[0], runs), "it starts from fine, seed 1, which is not trained either");
    EXPECT_EQ(whyWaiting(runs[1], runs), "it starts from pre, seed 1, which has not completed");
    EXPECT_EQ(startText(runs[1]), "pre, 20");
    EXPECT_EQ(startText(runs[2]), "");

    const std::string pre = train(runs[2]);
    find(runs);
    EXPECT_EQ(runs[1].state, "new");
    EXPECT_EQ(runs[1].spec.train.start.checkpoint, startOf(pre, 20));
    EXPECT_EQ(runs[1].spec.train.start.weightsSha256.size(), 64U);
    EXPECT_EQ(runs[0].state, "waits");

    const std::string fine = train(runs[1]);
    EXPECT_EQ(query()->run(fine)->lineage, pre);
    auto again = planned({row("late", RowStart{"fine", "last"}), row("fine", RowStart{"pre", "20"}), row("pre")});
    find(again);
    EXPECT_EQ(again[2].id, pre);
    EXPECT_EQ(again[1].id, fine);
    EXPECT_EQ(again[0].spec.train.start.checkpoint, startOf(fine, 30)) << "two starts in one look";
}

TEST_F(PlanStartsTest, ARunOfAFailedStartSaysSo) {
    engine_->failAt = 5;
    auto runs = planned({row("pre"), row("fine", RowStart{"pre"})});
    train(runs[0]);
    find(runs);
    EXPECT_EQ(runs[1].state, "waits");
    EXPECT_EQ(whyWaiting(runs[1], runs), "it starts from pre, seed 1, which failed");
}

TEST_F(PlanStartsTest, ARunMayStartFromOneOfAnotherDatabase) {
    const std::string pre = train(planned({row("pre")})[0]);
    const std::string other = folder_ / "other.heddle";
    auto runs = planned({row("fine", RowStart{"pre", "last", fs::path(file_).filename()})});
    findPlanned(runs, nullptr, other);
    EXPECT_EQ(runs[0].spec.train.start.checkpoint, startOf(pre, 30));
    const auto refusal = [&](RowStart from) {
        auto wanted = planned({row("fine", std::move(from))});
        return whyRefused([&] { findPlanned(wanted, nullptr, other); });
    };
    EXPECT_THAT(refusal({"pro", "last", file_}), HasSubstr("no run \"pro\" of seed 1 has completed"));
    EXPECT_THAT(refusal({"pre", "last", folder_ / "none.heddle"}), HasSubstr("there is no such run database"));
}

TEST_F(PlanStartsTest, RefusesACheckpointThatTheRunDoesNotHaveOrThatIsDamaged) {
    auto runs = planned({row("pre"), row("fine", RowStart{"pre", "25"})});
    const std::string pre = train(runs[0]);
    const std::string refused = whyRefused([&] { find(runs); });
    for (const char* word : {"no checkpoint \"25\"", "start of fine, seed 1", "there are: "})
        EXPECT_THAT(refused, HasSubstr(word));
    std::ofstream(startOf(pre, 30) + "/weights.safetensors", std::ios::app) << "x";
    auto damaged = planned({row("pre"), row("fine", RowStart{"pre", "30"})});
    EXPECT_THAT(whyRefused([&] { find(damaged); }), HasSubstr("start of fine, seed 1"));
}

}  // namespace
}  // namespace heddle::app
