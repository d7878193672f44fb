// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of other programs stand in the tables, marked, with what their source says of settings and group.
#include "engine/spec/foreign_spec.h"
#include "tests/ui/compare/facts.h"
#include "ui/data/studio.h"
#include "ui/data/study_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::ui::test {
namespace {

/// Whether the user declared that equal seeds are pairs.
enum class Pairs { Undeclared, Declared };

storage::RunRecord foreignRecord(const std::string& id, std::uint64_t seed, const std::string& group = "soap",
                                 Pairs pairs = Pairs::Undeclared) {
    ForeignSpec spec;
    spec.group = group;
    spec.paired = pairs == Pairs::Declared;
    spec.config = {{"lr", 0.5}};
    spec.file = "results.csv";
    spec.format = "csv";
    spec.sha256 = "5f";
    spec.run = "row of " + id;
    storage::RunRecord run = recordOf({id, group});
    run.seed = seed;
    run.spec = spec.toJson().dump();
    run.variantHash = run.runHash = spec.groupKey();
    run.tags = {storage::kForeignTag};
    return run;
}

TEST(ForeignRuns, ShowSettingsAndAreOfTheirDeclaredGroup) {
    Database database;
    database.add({"b00000000000", "base"});
    database.store().addRun(foreignRecord("f10000000000", 1));
    database.store().addRun(foreignRecord("f20000000000", 2));
    database.close();
    const auto table = FactsReader().read(*storage::RunQuery::open(database.file()), {1, {}}, 10).table;
    ASSERT_EQ(table->runs.size(), 3U);
    const RunFacts* first = nullptr;
    const RunFacts* second = nullptr;
    const RunFacts* own = nullptr;
    for (const auto& run : table->runs)
        (run->record.id == "f10000000000" ? first : run->record.id == "f20000000000" ? second : own) = run.get();
    EXPECT_TRUE(first->problem.isEmpty()) << first->problem.toStdString();
    ASSERT_NE(first->setting("config.lr"), nullptr);
    EXPECT_EQ(*first->setting("config.lr"), 0.5);
    EXPECT_EQ(first->record.groupKey, second->record.groupKey);
    EXPECT_NE(first->record.groupKey, own->record.groupKey);
    EXPECT_TRUE(runLabel(first->record).contains(QStringLiteral("foreign"))) << runLabel(first->record).toStdString();
}

TEST(ForeignRuns, ArePairsOnlyWhereSomebodyDeclaredIt) {
    for (const Pairs pairs : {Pairs::Undeclared, Pairs::Declared}) {
        Database database;
        for (std::uint64_t seed = 1; seed <= 3; ++seed)
            for (const std::string& group : {std::string("soap"), std::string("muon")}) {
                const std::string id = (group == "soap" ? "f" : "e") + std::to_string(seed) + "0000000000";
                database.store().addRun(foreignRecord(id, seed, group, pairs));
                const double value = 2 + 0.1 * double(seed) + (group == "soap" ? 0 : 0.5 + 0.01 * double(seed));
                database.store().add(storage::EvaluationRecord{id, 1, 300, 3, "valid", "loss", "ce:nats", value, 2604, 0.5});
            }
        const auto table = FactsReader().read(*storage::RunQuery::open(database.file()), {1, {}}, 10).table;
        ASSERT_EQ(table->runs.size(), 6U);
        const StudyComparison comparison = compareGroups(*table, {});
        ASSERT_EQ(comparison.groups.size(), 2U);
        for (const auto& [key, group] : comparison.groups) {
            if (key == comparison.baseline) continue;
            ASSERT_TRUE(group.verdict) << group.whyNone;
            EXPECT_EQ(group.test, pairs == Pairs::Declared ? SeedTest::Paired : SeedTest::Welch);
        }
    }
}

TEST(ForeignRuns, MakeNoSettingOfOwnRunsVary) {
    Database database;
    database.add({"b00000000000", "base"});
    database.add({"c00000000000", "wide", "v2", "completed", 1, 2, 128});
    database.store().addRun(foreignRecord("f10000000000", 1));
    const auto table = FactsReader().read(*storage::RunQuery::open(database.file()), {1, {}}, 10).table;
    const auto varies = [&](const std::string& path) {
        return std::find(table->varying.begin(), table->varying.end(), path) != table->varying.end();
    };
    ASSERT_NE(std::find(table->paths.begin(), table->paths.end(), "train.lr"), table->paths.end());
    EXPECT_FALSE(varies("train.lr")) << "both own runs have the same";
    EXPECT_TRUE(varies("variant.dims.d"));
}

}  // namespace
}  // namespace heddle::ui::test
