// SPDX-License-Identifier: Apache-2.0
// What the command line says of a run database in which a byte is wrong.
#include "app/session/recorder/ownership.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kDamagedRun = "0123456789ab", kOther = "abcdef012345";

class DamagedDatabase : public testing::Test, protected SessionFixture {
protected:
    void SetUp() override {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        for (const auto& id : {kDamagedRun, kOther}) {
            const RunSpec spec = smallSpec("of " + id, 20);
            storage::RunRecord run;
            run.id = id;
            run.name = spec.name;
            run.state = "completed";
            run.spec = canonicalJson(spec.toJson());
            run.seed = 1;
            store->addRun(run);
            for (std::int64_t step : {10, 20})
                store->add(storage::EvaluationRecord{id, 1, step, 1, "valid", "bleu", "sig " + id + " " + std::to_string(step),
                                                     12.5 + static_cast<double>(step), 100, 1});
        }
    }

    CommandResult on(std::vector<std::string> arguments) const { return runOn(file_, std::move(arguments)); }

    /// Changes one byte of the first occurrence of `text` in the file.
    void spoil(const std::string& text) const {
        std::ifstream in(file_, std::ios::binary);
        std::string bytes((std::istreambuf_iterator<char>(in)), {});
        const auto at = bytes.find(text);
        ASSERT_NE(at, std::string::npos) << text;
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        std::ofstream(file_, std::ios::binary) << bytes;
    }

    /// Clears the first page of a table.
    void clearTable(const std::string& table) const {
        std::int64_t page = 0, bytes = 0;
        {
            SQLite::Database database(file_, SQLite::OPEN_READONLY);
            page = database.execAndGet("SELECT rootpage FROM sqlite_master WHERE name = '" + table + "'").getInt64();
            bytes = database.execAndGet("PRAGMA page_size").getInt64();
        }
        std::fstream file(file_, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp((page - 1) * bytes);
        file << std::string(static_cast<std::size_t>(bytes), '\0');
    }
};

TEST_F(DamagedDatabase, AnEvaluationIsShownAsDamagedNotAsANumber) {
    EXPECT_THAT(on({"runs", "show", kDamagedRun}).out, HasSubstr("32.50"));
    spoil("sig " + kDamagedRun + " 20");
    const auto show = on({"runs", "show", kDamagedRun});
    EXPECT_EQ(show.code, 0);
    EXPECT_THAT(show.out, AllOf(HasSubstr("damaged"), HasSubstr("22.50"), Not(HasSubstr("32.50"))));
    EXPECT_THAT(show.err, HasSubstr("damaged: one of the evaluations of run " + kDamagedRun));
    const auto list = on({"runs", "list"});
    EXPECT_THAT(list.out, AllOf(HasSubstr("bleu damaged"), HasSubstr("bleu 32.50")));
    const Json document = on({"runs", "show", kDamagedRun, "--json"}).json();
    EXPECT_TRUE(document.at("evaluations").at(1).at("value").is_null());
    EXPECT_TRUE(document.at("evaluations").at(1).at("damaged").get<bool>());
    const auto compare = on({"compare", kDamagedRun, kOther});
    EXPECT_EQ(compare.code, 0) << compare.err;
    EXPECT_THAT(compare.out, AllOf(HasSubstr("damaged"), HasSubstr("32.50")));
}

TEST_F(DamagedDatabase, ARunIsListedAsDamagedAndCanOnlyBeDeleted) {
    spoil("of " + kDamagedRun);  // the name, in the row or in the spec
    const auto list = on({"runs", "list"});
    EXPECT_EQ(list.code, 0);
    EXPECT_THAT(list.out, AllOf(HasSubstr("damaged"), HasSubstr("of " + kOther)));
    EXPECT_THAT(list.err, HasSubstr("damaged: the record of run"));
    EXPECT_THAT(on({"runs", "show", kDamagedRun}).out, HasSubstr("damaged"));
    const auto compare = on({"compare", kDamagedRun, kOther});
    EXPECT_EQ(compare.code, 3);
    EXPECT_THAT(compare.err, HasSubstr("the run is damaged"));
    EXPECT_NE(on({"runs", "tag", kDamagedRun, "paper"}).code, 0);
    EXPECT_EQ(on({"runs", "delete", kDamagedRun}).code, 0);
    EXPECT_THAT(on({"runs", "list"}).err, IsEmpty());
}

// The folder looks like one that no row ever knew, and such folders are removed when a run is resumed.
TEST_F(DamagedDatabase, ACheckpointWhoseRowIsMissingKeepsItsFolder) {
    const std::string run = "00000000000a", folder = storage::artifactFolder(file_) + "/" + run;
    {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        storage::RunRecord record;
        record.id = run;
        record.state = "stopped";
        record.spec = canonicalJson(smallSpec("resumed", 40).toJson());
        record.attempts = 1;
        store->addRun(record);
        store->addAttempt({run, 1, 0, 1, 0, "cpu", "host", "0", "fake", 1, "{}", 0, "", 0});
        for (const std::int64_t step : {0, 20}) {
            const auto c = writeFakeCheckpoint(folder, step, {"step"});
            store->add(storage::CheckpointRecord{run, 1, step, "step", c.folder, c.weightsSha256, c.optimizerSha256,
                                                 c.stateSha256, c.bytes});
        }
    }
    SQLite::Database(file_, SQLite::OPEN_READWRITE).exec("DELETE FROM checkpoint WHERE step = 20");
    EXPECT_EQ(on({"runs", "verify"}).code, 3) << "the database knows that one is missing";
    engine_->failAt = 3;  // before it writes a checkpoint of its own
    const auto session = open();
    session->resume(run);
    ASSERT_TRUE(ends(*session, run));
    EXPECT_EQ(engine_->trainedFrom, 0);
    EXPECT_TRUE(std::filesystem::exists(folder + "/step-20"));
}

TEST_F(DamagedDatabase, ItHasAnOwnerAlsoIfNoCheckpointCanBeReadAndKeepsTheirFolders) {
    const std::string folder = storage::artifactFolder(file_) + "/" + kDamagedRun;
    {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        for (const std::int64_t step : {10, 20}) {
            const auto c = writeFakeCheckpoint(folder, step, {"step"});
            store->add(storage::CheckpointRecord{kDamagedRun, 1, step, "step", c.folder, c.weightsSha256, c.optimizerSha256,
                                                 c.stateSha256, c.bytes});
        }
    }
    clearTable("checkpoint");
    EXPECT_THROW(query()->checkpoints(kDamagedRun), storage::StorageError) << "the table cannot be read";
    EXPECT_NO_THROW(openAsOwner(file_, {"test", 0}));
    for (const char* step : {"/step-10", "/step-20"}) EXPECT_TRUE(std::filesystem::exists(folder + step)) << step;
}

TEST_F(DamagedDatabase, VerifyTellsWhatIsWrong) {
    const auto whole = on({"runs", "verify"});
    EXPECT_EQ(whole.code, 0) << whole.out;
    EXPECT_THAT(whole.out, HasSubstr("nothing is damaged"));
    spoil("sig " + kOther + " 10");
    const auto damaged = on({"runs", "verify"});
    EXPECT_EQ(damaged.code, 3);
    EXPECT_THAT(damaged.out, AllOf(HasSubstr("run " + kOther), HasSubstr("damage found")));
}

}  // namespace
}  // namespace heddle::app
