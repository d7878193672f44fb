// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of other programs stand in the tables, marked, with what their source says of settings and group.
#include "engine/spec/foreign_spec.h"
#include "tests/ui/compare/facts.h"
#include "ui/data/studio.h"

#include <gtest/gtest.h>

namespace heddle::ui::test {
namespace {

storage::RunRecord foreignRecord(const std::string& id, std::uint64_t seed) {
    ForeignSpec spec;
    spec.group = "soap";
    spec.config = {{"lr", 0.5}};
    spec.file = "results.csv";
    spec.format = "csv";
    spec.sha256 = "5f";
    spec.run = "row of " + id;
    storage::RunRecord run = recordOf({id, "soap"});
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

}  // namespace
}  // namespace heddle::ui::test
