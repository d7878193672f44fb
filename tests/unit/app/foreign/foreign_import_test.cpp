// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/foreign_import.h"

#include "engine/base/error.h"
#include "engine/base/temporary_folder.h"
#include "storage/run_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class ForeignImportTest : public testing::Test {
protected:
    ForeignImport read(const std::string& name, const std::string& words, const ForeignOptions& options = {}) const {
        const std::string path = folder_ / name;
        std::ofstream(path, std::ios::binary) << words;
        return understood(readForeign(path), options);
    }
    ImportedRuns import(const ForeignImport& file) const {
        const auto store = storage::RunStore::open(database_, {"test", 0});
        store->begin();
        ImportedRuns imported = importForeign(file, *store);
        store->commit(storage::RunStore::Durability::Full);
        return imported;
    }

    TemporaryFolder folder_;
    const std::string database_ = folder_ / "t.heddle";
    const std::string table_ = "run,group,seed,step,val_loss\na,soap,1,9,3\nb,soap,2,9,3.5\nc,muon,,9,4\nd,muon,,9,5\n";
};

TEST_F(ForeignImportTest, TellsGroupsBeforeAnythingIsStored) {
    const ForeignImport file = read("t.csv", table_);
    const auto groups = groupsOf(file);
    ASSERT_THAT(groups, SizeIs(2));
    EXPECT_EQ(groups[0].name, "soap");
    EXPECT_EQ(groups[0].key, file.specs[0].groupKey());
    EXPECT_THAT(groups[0].seeds, ElementsAre(1, 2));
    EXPECT_EQ(groups[1].runs, 2U);
    EXPECT_THAT(groups[1].seeds, SizeIs(2)) << "each run without a seed counts";
    EXPECT_FALSE(file.specs[2].seed);
    EXPECT_EQ(file.groupKeys[2], file.specs[2].groupKey());
}

TEST_F(ForeignImportTest, StoresTheRunsThatItTold) {
    const ForeignImport file = read("t.csv", table_);
    const ImportedRuns imported = import(file);
    ASSERT_THAT(imported.ids, SizeIs(4));
    const auto query = storage::RunQuery::open(database_);
    for (std::size_t i = 0; i < imported.ids.size(); ++i) {
        const auto run = query->run(imported.ids[i]);
        ASSERT_TRUE(run);
        EXPECT_EQ(run->name, file.found.runs[i].name);
        EXPECT_EQ(run->spec, file.documents[i]);
        EXPECT_THAT(query->evaluations(run->id), SizeIs(1));
    }
    EXPECT_EQ(imported.groups[1].seeds, groupsOf(file)[1].seeds);
}

TEST_F(ForeignImportTest, GivesNoSeedThatTheDatabaseHas) {
    ForeignOptions soap;
    soap.group = "soap";
    const auto first = import(read("one.csv", "run,step,val_loss\na,1,3\n", soap));
    const auto second = import(read("two.csv", "run,step,val_loss\nb,1,4\n", soap));
    EXPECT_EQ(first.groups[0].key, second.groups[0].key);
    EXPECT_NE(*first.groups[0].seeds.begin(), *second.groups[0].seeds.begin());
}

TEST_F(ForeignImportTest, LeavesNothingOfATransactionThatEndsWithoutACommit) {
    const ForeignImport file = read("t.csv", table_);
    {
        const auto store = storage::RunStore::open(database_, {"test", 0});
        store->begin();
        importForeign(file, *store);
        store->rollback();
    }
    EXPECT_THAT(storage::RunQuery::open(database_)->runs(), SizeIs(0));
    import(file);
    try {
        import(file);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("already imported: 4 of its runs"));
    }
    EXPECT_THAT(storage::RunQuery::open(database_)->runs(), SizeIs(4));
}

TEST_F(ForeignImportTest, CountsRunsInTheTrash) {
    const ForeignImport file = read("t.csv", table_);
    const ImportedRuns imported = import(file);
    {
        auto run = *storage::RunQuery::open(database_)->run(imported.ids[1]);
        run.trashed = 1.7e9;
        storage::RunStore::open(database_, {"test", 0})->updateRun(run);
    }
    try {
        import(file);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("4 of its runs are in the database, 1 of them in its trash"));
    }
}

TEST_F(ForeignImportTest, RefusesPairsWithoutSeeds) {
    ForeignOptions paired;
    paired.paired = true;
    EXPECT_THROW(read("t.csv", table_, paired), Error);
    EXPECT_TRUE(read("s.csv", "run,seed,step,val_loss\na,1,1,3\n", paired).specs[0].paired);
}

}  // namespace
}  // namespace heddle::app
