// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/plan.h"

#include "engine/spec/catalogue.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Json smallSpec() {
    return {{"variant", {{"preset", "eau-base"}, {"dims", {{"d", 16}, {"f", 24}, {"heads", 2}}}}},
            {"data", {{"train", {{"source", "a.en"}, {"target", "a.de"}}}}},
            {"train", {{"epochs", 2}}}};
}

Plan twoRows() { return {{{"base", smallSpec(), {}, {1, 2, 3}}, {"wide", smallSpec(), {"dims.f=48", "train.lr=0.01"}, {7}}}}; }

TEST(Plan, IsReadAsItWasWritten) {
    const Plan plan = twoRows();
    EXPECT_EQ(Plan::parse(Json::parse(plan.toJson().dump()), "plan.json"), plan);
    EXPECT_EQ(plan.toJson().at("schema"), "heddle.plan/1");
    const Plan least = Plan::parse({{"schema", "heddle.plan/1"}, {"rows", {{{"spec", smallSpec()}}}}}, "plan.json");
    EXPECT_THAT(least.rows.at(0).seeds, ElementsAre(1U));
}

TEST(Plan, MakesARunForEverySeedWithTheSettingsOfItsRow) {
    const Plan plan = twoRows();
    const auto base = runsOf(plan.rows[0], builtinCatalogue(), "/data"),
               wide = runsOf(plan.rows[1], builtinCatalogue(), "/data");
    ASSERT_EQ(base.size(), 3U);
    EXPECT_EQ(base[2].seed, 3U);
    EXPECT_EQ(base[2].name, "base");
    EXPECT_EQ(base[2].data.train.source, "/data/a.en");
    ASSERT_EQ(wide.size(), 1U);
    EXPECT_EQ(wide[0].train.lr, 0.01);
    EXPECT_EQ(wide[0].variant.resolve(20, 20).dims.f, 48);
    EXPECT_NE(wide[0].variant.hash(), base[0].variant.hash());
    EXPECT_EQ(documentOf(plan.rows[1]).at("seed"), 7);
}

TEST(Plan, SaysWhatIsWrongAndInWhichRow) {
    const auto refusal = [](const Json& document) {
        return whyRefused([&] {
            for (const PlanRow& row : Plan::parse(document, "plan.json").rows) runsOf(row, builtinCatalogue());
        });
    };
    const auto withRow = [](const Json& row) { return Json{{"schema", "heddle.plan/1"}, {"rows", {row}}}; };
    EXPECT_THAT(refusal({{"rows", Json::array()}}), HasSubstr("unsupported plan schema"));
    EXPECT_THAT(refusal({{"schema", "heddle.plan/1"}}), HasSubstr("missing or empty"));
    EXPECT_THAT(refusal(withRow({{"name", "x"}})), HasSubstr("row 1"));
    EXPECT_THAT(refusal(withRow({{"spec", smallSpec()}, {"seeds", Json::array()}})), HasSubstr("whole numbers of at least 0"));
    EXPECT_THAT(refusal(withRow({{"spec", smallSpec()}, {"seeds", {-1}}})), HasSubstr("whole numbers of at least 0"));
    EXPECT_THAT(refusal(withRow({{"spec", smallSpec()}, {"seeds", {1, 2, 1}}})), HasSubstr("lists seed 1 twice"));
    for (const Json& seed : {Json(1.5), Json(true), Json("1")})  // not silently 1
        EXPECT_THAT(refusal(withRow({{"spec", smallSpec()}, {"seeds", Json::array({seed})}})),
                    HasSubstr("whole numbers of at least 0"))
            << seed;
    EXPECT_THAT(refusal(withRow({{"spec", smallSpec()}, {"set", "train.lr=1"}})), HasSubstr("\"set\""));
    EXPECT_THAT(refusal(withRow({{"name", "typo"}, {"spec", smallSpec()}, {"set", {"train.epoch=3"}}})),
                testing::AllOf(HasSubstr("row \"typo\""), HasSubstr("epochs")));
}

TEST(Plan, ARowNamesTheRowThatItStartsFrom) {
    Plan plan = twoRows();
    plan.rows[0].from = RowStart{"wide", "last"};
    plan.rows[1].from = RowStart{"pre", "40", "other.heddle"};
    EXPECT_EQ(Plan::parse(Json::parse(plan.toJson().dump()), "plan.json"), plan);
    const auto startOf = [](const Json& more) {
        Json row{{"spec", smallSpec()}};
        row.update(more);
        return Plan::parse({{"schema", "heddle.plan/1"}, {"rows", {row}}}, "plan.json").rows.front().from;
    };
    EXPECT_EQ(startOf({{"from", "pre"}}), RowStart({"pre", "best"}));
    EXPECT_EQ(startOf({{"from", "pre"}, {"from_checkpoint", 40}}), RowStart({"pre", "40"}));
    EXPECT_EQ(startOf(Json::object()), std::nullopt);
    for (const Json& which : {Json("newest"), Json("-1"), Json(-1), Json(1.5), Json("")})
        EXPECT_NE(whyRefused([&] { startOf({{"from", "pre"}, {"from_checkpoint", which}}); }), "") << which;
    EXPECT_THAT(whyRefused([&] { startOf({{"from_database", "a.heddle"}}); }), HasSubstr("without \"from\""));
    PlanRow both = plan.rows[1];
    both.set.emplace_back("train.start.checkpoint=\"/runs/step-40\"");
    EXPECT_THAT(whyRefused([&] { runsOf(both, builtinCatalogue()); }),
                testing::AllOf(HasSubstr("row \"wide\""), HasSubstr("names a checkpoint to start from, too")));
}

TEST(Plan, RefusesStartsThatNoOrderOfTrainingGives) {
    const auto refusal = [](const std::vector<PlanRow>& rows) { return whyRefused([&] { requireStarts(rows, "plan.json"); }); };
    const auto row = [](const std::string& name, const std::string& from, std::vector<std::uint64_t> seeds = {1}) {
        return PlanRow{name, smallSpec(), {}, std::move(seeds), from.empty() ? std::nullopt : std::optional(RowStart{from})};
    };
    EXPECT_EQ(refusal({row("c", "b"), row("a", ""), row("b", "a"), row("d", "a")}), "") << "in any order";
    EXPECT_THAT(refusal({row("fine", "pre"), row("base", "")}),
                testing::AllOf(HasSubstr("\"fine\" starts from the row \"pre\""), HasSubstr("the rows are: fine, base")));
    EXPECT_THAT(refusal({row("fine", "pre"), row("pre", ""), row("pre", "")}), HasSubstr("two rows have the name \"pre\""));
    EXPECT_THAT(refusal({row("fine", "pre", {1, 4}), row("pre", "", {1, 2})}), HasSubstr("has seed 4"));
    EXPECT_THAT(refusal({row("a", "a")}), HasSubstr("a from a"));
    EXPECT_THAT(refusal({row("x", "a"), row("a", "b"), row("b", "c"), row("c", "a")}), HasSubstr("a from b from c from a"));
    PlanRow elsewhere = row("fine", "pre");
    elsewhere.from->database = "other.heddle";
    EXPECT_EQ(refusal({elsewhere}), "") << "another database has it";
}

TEST(Plan, CountsWhatARunKeepsOnDisk) {
    RunSpec run = RunSpec::parse(smallSpec(), builtinCatalogue());
    run.train.keepLast = 2;
    run.record.maxMib = 1;
    EXPECT_EQ(diskBytes(run, 1000), 4 * 12 * 1000 + 1024 * 1024);
}

}  // namespace
}  // namespace heddle
