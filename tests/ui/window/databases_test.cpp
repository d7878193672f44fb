// SPDX-License-Identifier: GPL-3.0-or-later
// Several databases open in one window: their runs together, which one is current, what closing one takes along.
#include "storage/run_store.h"
#include "tests/ui/support/noting_control.h"
#include "tests/ui/support/offscreen.h"
#include "ui/data/studio.h"
#include "ui/threads/query.h"

#include <QDir>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using testing::ElementsAre;

namespace {

/// Records each command with its run, each edit by its verb, and the colours that are stored. While it is held, it answers
/// nothing.
class CountingControl : public NotingControl {
public:
    /// Lets no call end until release().
    void hold() { gate_.lock(); }
    void release() { gate_.unlock(); }
    int heldUp() const { return heldUp_; }
    /// Lets every edit fail from now on.
    void refuse() { isRefusing_ = true; }
    std::vector<std::string> colours() {
        const std::lock_guard lock(coloursMutex_);
        return colours_;
    }
    std::string submit(const RunSpec&, const std::string&) override { return note("submit"), "new"; }
    void resume(const std::string& run) override { note("resume " + run); }
    void command(const std::string& run, RunVerb, const std::string&) override { note("verb " + run); }
    void edit(const Edit& edit) override {
        ++heldUp_;
        const std::lock_guard gate(gate_);
        --heldUp_;
        if (isRefusing_) throw std::runtime_error("the file cannot be written");
        const auto* item = std::get_if<PutItem>(&edit);
        if (!item || item->kind != "colour") return note(storedRequest(edit).verb);
        const std::lock_guard lock(coloursMutex_);
        colours_.push_back(item->key + ' ' + item->body.dump());
    }

private:
    std::mutex gate_, coloursMutex_;
    std::atomic<int> heldUp_ = 0;
    std::atomic<bool> isRefusing_ = false;
    std::vector<std::string> colours_;
};

/// Two files: a with an old and a new run, b with one that was made in between.
class DatabasesTest : public testing::Test {
protected:
    DatabasesTest() {
        QDir(folder_.path()).mkpath(text("other"));
        a_ = make("a.heddle", {{"a00000000001", 1}, {"a00000000003", 3}});
        b_ = make("b.heddle", {{"b00000000002", 2}});
    }
    ~DatabasesTest() override { QCoreApplication::processEvents(); }

    QString make(const char* name, const std::map<std::string, double>& runs) {
        QString file = folder_.filePath(text(name));
        auto store = storage::RunStore::open(file.toStdString(), {"test", 0});
        for (const auto& [id, created] : runs) {
            storage::RunRecord run;
            run.id = id;
            run.name = "run";
            run.state = "running";
            run.spec = "{}";
            run.created = created;
            run.variantHash = run.runHash = "variant of " + id;
            store->addRun(run);
        }
        stores_.push_back(std::move(store));
        return file;
    }
    void openBoth() {
        studio_.open(a_);
        studio_.openBeside(b_);
        ASSERT_TRUE(waitUntil([&] { return databases().runs().size() == 3 && databases().find(2)->isOpen(); }));
    }
    Databases& databases() { return studio_.databases(); }
    std::set<int> ordersOfRuns() {
        std::set<int> orders;
        for (const auto* run : databases().runs()) orders.insert(studio_.colours().orderOf(*run));
        return orders;
    }
    std::vector<std::string> ids() {
        std::vector<std::string> all;
        for (const auto* run : databases().runs()) all.push_back(run->id);
        return all;
    }

    const QTemporaryDir folder_;
    QSettings settings_{folder_.filePath(text("settings.ini")), QSettings::IniFormat};
    std::map<QString, CountingControl> controls_;
    std::vector<std::unique_ptr<storage::RunStore>> stores_;
    QString a_, b_;
    Studio studio_{[this](const QString& file) { return &controls_[file]; }, settings_};
};

}  // namespace

TEST(RunLabel, SaysTheSeedOnce) {
    const auto label = [](const char* name, std::uint64_t seed) {
        storage::RunRecord run;
        run.name = name;
        run.seed = seed;
        return runLabel(run).toStdString();
    };
    EXPECT_EQ(label("full", 2), "full s2");
    EXPECT_EQ(label("full-s2", 2), "full-s2");
    EXPECT_EQ(label("full, seed 2", 2), "full, seed 2");
    EXPECT_EQ(label("full-s1", 2), "full-s1 s2") << "another seed than the name says";
    EXPECT_EQ(label("bits2", 2), "bits2 s2");
}

TEST_F(DatabasesTest, RunsOfAllStandTogetherNewestFirstAndSayWhereTheyAre) {
    studio_.open(a_);
    ASSERT_TRUE(waitUntil([&] { return databases().runs().size() == 2; }));
    EXPECT_EQ(runLabel(*databases().runs().front()), text("run s0")) << "one database needs no name";
    studio_.openBeside(b_);
    ASSERT_TRUE(waitUntil([&] { return databases().runs().size() == 3; }));
    EXPECT_THAT(ids(), ElementsAre("a00000000003", "b00000000002", "a00000000001"));
    EXPECT_EQ(runLabel(*databases().runs()[1]), text("run s0 · b.heddle"));
    EXPECT_EQ(runLabel(*databases().runs()[0]), text("run s0 · a.heddle"));
    EXPECT_EQ(databases().currentFile(), a_) << "the first one stays current";
    databases().close(2);
    EXPECT_THAT(ids(), ElementsAre("a00000000003", "a00000000001"));
    EXPECT_EQ(runLabel(*databases().runs().front()), text("run s0"));
}

TEST_F(DatabasesTest, FilesOfTheSameNameAreToldApartByTheirFolders) {
    const QString other = make("other/a.heddle", {{"c00000000001", 1}});
    studio_.open(a_);
    studio_.openBeside(other);
    EXPECT_EQ(databases().find(2)->name(), text("other/a.heddle"));
    EXPECT_TRUE(databases().find(1)->name().endsWith(text("/a.heddle")));
}

TEST_F(DatabasesTest, OpeningOneInsteadClosesTheOthersAndTheirRuns) {
    openBoth();
    studio_.setCurrentRun({2, "b00000000002"});
    studio_.setComparedRuns({{1, "a00000000001"}, {2, "b00000000002"}});
    QSignalSpy closed(&databases(), &Databases::closed);
    studio_.open(b_);
    EXPECT_EQ(closed.size(), 2);
    EXPECT_TRUE(studio_.currentRun().empty() && studio_.comparedRuns().empty());
    ASSERT_TRUE(waitUntil([&] { return databases().currentFile() == b_; }));
    EXPECT_THAT(ids(), ElementsAre("b00000000002"));
    EXPECT_FALSE(databases().run({2, "b00000000002"})) << "opened again, it has another number";
}

TEST_F(DatabasesTest, ClosingOneForgetsItsRunsOnly) {
    openBoth();
    studio_.setCurrentRun({2, "b00000000002"});
    studio_.setComparedRuns({{1, "a00000000001"}, {2, "b00000000002"}});
    databases().close(2);
    EXPECT_TRUE(studio_.currentRun().empty());
    EXPECT_EQ(studio_.comparedRuns(), (std::vector<RunRef>{{1, "a00000000001"}}));
    studio_.openBeside(b_);
    ASSERT_TRUE(waitUntil([&] { return databases().runs().size() == 3; }));
    QSignalSpy current(&databases(), &Databases::currentChanged);
    databases().close(databases().currentNumber());
    EXPECT_EQ(databases().currentFile(), b_) << "the other one is current then";
    EXPECT_EQ(current.size(), 1);
    databases().closeAll();
    EXPECT_TRUE(databases().currentFile().isEmpty() && databases().runs().empty());
}

TEST_F(DatabasesTest, AFileThatIsOpenIsNotOpenedTwiceButMadeCurrent) {
    openBoth();
    studio_.openBeside(b_);
    EXPECT_EQ(databases().all().size(), 2U);
    EXPECT_EQ(databases().currentFile(), b_);
}

TEST_F(DatabasesTest, WhatCannotBeOpenedIsToldAndLeavesTheOthers) {
    studio_.open(a_);
    ASSERT_TRUE(waitUntil([&] { return databases().runs().size() == 2; }));
    QSignalSpy told(&studio_, &Studio::messageRequested);
    studio_.openBeside(folder_.filePath(text("no.heddle")));
    ASSERT_TRUE(waitUntil([&] { return told.size() == 1; }));
    const QString words = told[0][0].value<MessageStrip::Message>().text;
    EXPECT_TRUE(words.contains(text("choose File, New database"))) << words.toStdString();
    EXPECT_FALSE(words.contains(text("--"))) << "the studio has no such option";
    EXPECT_EQ(databases().all().size(), 1U);
    EXPECT_EQ(databases().currentFile(), a_);
    EXPECT_EQ(runLabel(*databases().runs().front()), text("run s0"));
}

TEST_F(DatabasesTest, CommandsGoToTheDatabaseOfTheRunEditsToTheCurrentOne) {
    openBoth();
    studio_.verbs().carryOut({2, "b00000000002"}, RunVerb::Pause);
    EXPECT_TRUE(studio_.verbs().of({2, "b00000000002"}));
    EXPECT_FALSE(studio_.verbs().of({1, "b00000000002"}));
    studio_.edit(RemoveItem{"variant", "x"});
    ASSERT_TRUE(waitUntil([&] { return controls_[a_].calls().size() == 1 && controls_[b_].calls().size() == 1; }));
    EXPECT_THAT(controls_[b_].calls(), ElementsAre("verb b00000000002"));
    databases().close(2);
    EXPECT_FALSE(studio_.verbs().of({2, "b00000000002"})) << "what was pending there went along";
    QSignalSpy told(&studio_, &Studio::messageRequested);
    studio_.verbs().carryOut({2, "b00000000002"}, RunVerb::Stop);
    ASSERT_TRUE(waitUntil([&] { return told.size() == 1; })) << "a database that is closed takes no command";
    EXPECT_EQ(controls_[b_].calls().size(), 1U);
}

TEST_F(DatabasesTest, ColoursOfTheCurrentDatabaseHoldAndOthersTakeFreePlaces) {
    stores_[0]->putItem("colour", "variant one", R"({"order":1})");
    stores_[0]->putItem("pin", "baseline", R"({"group":"variant two"})");
    stores_[1]->putItem("colour", "variant two", R"({"order":1})");
    stores_[1]->putItem("colour", "variant three", R"({"order":9})");
    openBoth();
    ASSERT_TRUE(waitUntil(
        [&] { return studio_.colours().orderOf("variant three") == 9 && studio_.colours().orderOf("variant one") == 1; }));
    EXPECT_EQ(studio_.colours().baseline(), "variant two");
    const std::set<int> orders = ordersOfRuns();
    EXPECT_THAT(orders, testing::SizeIs(3));
    EXPECT_THAT(orders, testing::Each(testing::AllOf(testing::Gt(1), testing::Ne(9)))) << "places that are free in both";
    databases().setCurrent(2);
    EXPECT_EQ(studio_.colours().baseline(), "");
    EXPECT_EQ(studio_.colours().orderOf("variant two"), 1);
    EXPECT_EQ(studio_.colours().orderOf("variant one"), -1) << "its place is taken by the current database";
}

TEST_F(DatabasesTest, AVariantGetsItsColourWhenItsFirstRunAppearsAndKeepsItWithTheRun) {
    studio_.open(a_);
    ASSERT_TRUE(waitUntil([&] { return ordersOfRuns() == std::set{1, 2}; }));
    studio_.openBeside(b_);
    ASSERT_TRUE(waitUntil([&] { return ordersOfRuns() == std::set{1, 2, 3}; }));
    const auto* oldest = databases().runs().back();
    EXPECT_EQ(oldest->id, "a00000000001");
    EXPECT_EQ(studio_.colours().orderOf(*oldest), 1) << "the oldest first";
    ASSERT_TRUE(waitUntil([&] { return controls_[a_].colours().size() == 2 && controls_[b_].colours().size() == 1; }));
    EXPECT_EQ(controls_[a_].colours().front(), oldest->groupKey + R"( {"order":1})");
    for (const auto* run : databases().runs()) studio_.colours().orderOf(*run);
    EXPECT_EQ(studio_.colours().orderOf("nobody's"), -1);
    studio_.colours().setBaseline(oldest->groupKey);
    EXPECT_EQ(studio_.colours().orderOf(*oldest), 0);
    EXPECT_EQ(controls_[a_].colours().size() + controls_[b_].colours().size(), 3U) << "asking assigns nothing";
}

TEST_F(DatabasesTest, ColoursThatCannotBeStoredAreNotReported) {
    const std::string planned = plannedKey("{}");
    stores_[0]->putItem("colour", planned, R"({"order":7})");
    stores_[0]->putItem("pin", "baseline", Json{{"group", planned}}.dump());
    controls_[a_].refuse();
    QSignalSpy told(&studio_, &Studio::messageRequested);
    studio_.open(a_);
    ASSERT_TRUE(waitUntil([&] { return studio_.colours().baseline() == "variant of a00000000001"; }));
    studio_.edit(RemoveItem{"variant", "x"});
    ASSERT_TRUE(waitUntil([&] { return !told.isEmpty(); }));
    EXPECT_EQ(told.size(), 1) << "what the user asks for is reported";
}

TEST_F(DatabasesTest, AVerbWaitsNeitherForEditsNorForAnotherFile) {
    openBoth();
    ASSERT_TRUE(waitUntil([&] { return controls_[a_].colours().size() == 2 && controls_[b_].colours().size() == 1; }));
    controls_[a_].hold();
    studio_.edit(RemoveItem{"variant", "first"});
    ASSERT_TRUE(waitUntil([&] { return controls_[a_].heldUp() == 1; })) << "the file is locked";
    studio_.edit(RemoveItem{"variant", "second"});
    studio_.verbs().carryOut({1, "a00000000003"}, RunVerb::Pause);
    studio_.verbs().carryOut({2, "b00000000002"}, RunVerb::Pause);
    EXPECT_TRUE(waitUntil([&] { return controls_[b_].calls().size() == 1; })) << "the other file is free";
    EXPECT_TRUE(controls_[a_].calls().empty());
    controls_[a_].release();
    ASSERT_TRUE(waitUntil([&] { return controls_[a_].calls().size() == 3; }));
    EXPECT_EQ(controls_[a_].calls()[1], "verb a00000000003") << "before the edit that was asked for earlier";
}

TEST_F(DatabasesTest, AQueryWhoseDatabaseIsClosedGoesOnWithWhatWaits) {
    openBoth();
    std::vector<int> answered;
    Query<int> query(&databases(), [&](const Result<int>& from) {
        ASSERT_TRUE(from);
        answered.push_back(*from);
    });
    query.ask(databases().reader(2), [](storage::RunQuery&) { return 2; });
    query.ask(databases().reader(1), [](storage::RunQuery&) { return 1; });
    databases().close(2);
    ASSERT_TRUE(waitUntil([&] { return query.isIdle(); }));
    EXPECT_THAT(answered, ElementsAre(1)) << "the closed one never answers";
    query.ask(databases().reader(2), [](storage::RunQuery&) { return 2; });
    EXPECT_TRUE(query.isIdle()) << "nobody is there to be asked";
}
