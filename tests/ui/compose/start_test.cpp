// SPDX-License-Identifier: GPL-3.0-or-later
// Starting a plan: the database, the run that is shown, and runs that exist already.
#include "engine/spec/catalogue.h"
#include "tests/ui/compose/compose_fixture.h"
#include "ui/pages/compose/plan/plan_table.h"

#include <QAction>
#include <QDir>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeView>

#include <stdexcept>

namespace heddle::ui::test {
namespace {

/// Refuses the first run.
class RefusingControl : public RememberingControl {
public:
    std::string submit(const RunSpec& spec, const std::string& group) override {
        if (std::exchange(refuses_, false)) throw std::runtime_error("no room for it");
        return RememberingControl::submit(spec, group);
    }

private:
    bool refuses_ = true;
};

class StartPlan : public ComposeTest {
protected:
    void SetUp() override {
        for (const char* name : {"a.en", "a.de"}) {
            QFile file(folder_.filePath(text(name)));
            ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        }
    }
    /// Opens a draft with existing data and these seeds, and the plan.
    void plan(ComposePage& page, const char* seeds) {
        const std::string folder = folder_.path().toStdString();
        page.drafts().open(Json{{"variant", small()},
                                {"data", {{"train", {{"source", folder + "/a.en"}, {"target", folder + "/a.de"}}}}},
                                {"train", {{"steps", 200}}}},
                           text("full"), text(seeds));
        ASSERT_TRUE(waitUntil([&] { return page.isSettled(); }));
    }
    static void start(ComposePage& page) {
        auto* button = page.findChild<QPushButton*>(text("startRuns"));
        ASSERT_TRUE(button->isEnabled());
        button->click();
    }
    /// Writes a run of the plan into the database, as another program would.
    void addRun(std::uint64_t seed, const char* state) {
        const auto runs =
            runsOf(page().findChild<PlanTable*>()->model().row(0), builtinCatalogue(), QDir::currentPath().toStdString());
        storage::RunRecord run = completedRun("0123456789a" + std::to_string(seed), "elsewhere", runs.front().toJson().dump());
        run.state = state;
        run.seed = seed;
        openStore()->addRun(run);
    }
    /// The actions of a message, which belong to whoever shows it.
    QList<QAction*> actionsOf(const QSignalSpy& said) {
        const auto actions = said.front().front().value<MessageStrip::Message>().actions;
        for (QAction* action : actions) action->setParent(&shown_);
        return actions;
    }
    std::vector<std::uint64_t> seeds() {
        std::vector<std::uint64_t> seeds;
        for (const RunSpec& spec : control_.specs()) seeds.push_back(spec.seed);
        return seeds;
    }

private:
    QObject shown_;
};

}  // namespace

TEST_F(StartPlan, SavedVariantsOfAnotherDatabaseAreNotListed) {
    const QString other = folder_.filePath(text("other.heddle"));
    storage::RunStore::open(other.toStdString(), {"test", 0});
    openStore()->putItem("variant", "mine", Json{{"preset", "eau-base"}}.dump());
    show();
    openDatabase();
    studio_.openBeside(other);
    Databases& databases = studio_.databases();
    ASSERT_TRUE(waitUntil([&] { return databases.all().size() == 2 && databases.all().back()->isOpen(); }));
    const auto isListed = [&] {
        const QAbstractItemModel& presets = *named<QTreeView>(page(), "presets").model();
        return !presets.match(presets.index(0, 0), Qt::DisplayRole, text("mine"), 1, Qt::MatchExactly | Qt::MatchRecursive)
                    .isEmpty();
    };
    databases.setCurrent(databases.all().front()->number());
    ASSERT_TRUE(waitUntil(isListed));
    databases.setCurrent(databases.all().back()->number());
    EXPECT_FALSE(isListed()) << "it would be deleted in the other database";
}

TEST_F(StartPlan, OnlyMissingRunsAreStartedAndTheOthersOnRequest) {
    show();
    plan(page(), "1-3");
    addRun(1, "completed");
    addRun(2, "failed");
    openDatabase();
    ASSERT_TRUE(waitUntil([&] { return studio_.databases().runs().size() == 2; }));
    QSignalSpy said(&studio_, &Studio::messageRequested), gone(&studio_, &Studio::pageRequested);
    start(page());
    ASSERT_TRUE(waitUntil([&] { return gone.size() == 1 && control_.specs().size() == 2; }));
    EXPECT_EQ(seeds(), (std::vector<std::uint64_t>{2, 3})) << "a failed run does not count";
    ASSERT_EQ(said.size(), 1);
    const auto actions = actionsOf(said);
    ASSERT_EQ(actions.size(), 1);
    actions.front()->trigger();
    ASSERT_TRUE(waitUntil([&] { return control_.specs().size() == 3; }));
    EXPECT_EQ(seeds().back(), 1U);
}

TEST_F(StartPlan, APlanOfRunsThatExistStartsNone) {
    show();
    plan(page(), "1,2");
    addRun(1, "completed");
    addRun(2, "queued");
    openDatabase();
    ASSERT_TRUE(waitUntil([&] { return studio_.databases().runs().size() == 2; }));
    QSignalSpy said(&studio_, &Studio::messageRequested), gone(&studio_, &Studio::pageRequested);
    start(page());
    ASSERT_TRUE(waitUntil([&] { return said.size() == 1; }));
    EXPECT_EQ(actionsOf(said).size(), 1);
    EXPECT_TRUE(page().findChild<QPushButton*>(text("startRuns"))->isEnabled());
    EXPECT_TRUE(gone.isEmpty());
    EXPECT_TRUE(control_.specs().empty());
}

TEST_F(StartPlan, TheRunsAreQueuedInTheDatabaseOfTheClick) {
    RememberingControl first, second;
    const QString other = folder_.filePath(text("other.heddle"));
    storage::RunStore::open(other.toStdString(), {"test", 0});
    openStore();
    Studio studio([&](const QString& file) { return file == other ? &second : &first; }, settings_);
    studio.open(QString::fromStdString(databaseFile()));
    studio.openBeside(other);
    const auto& all = studio.databases().all();
    ASSERT_TRUE(waitUntil([&] { return all.size() == 2 && all[0]->isOpen() && all[1]->isOpen(); }));
    studio.databases().setCurrent(all[0]->number());
    ComposePage page(studio);
    page.show();
    page.setShown(true);
    plan(page, "1,2");
    start(page);
    studio.databases().setCurrent(all[1]->number());
    ASSERT_TRUE(waitUntil([&] { return first.specs().size() + second.specs().size() == 2; }));
    EXPECT_EQ(first.specs().size(), 2U);
}

TEST_F(StartPlan, TheFirstAcceptedRunIsShown) {
    RefusingControl control;
    Studio studio([&](const QString&) { return &control; }, settings_);
    openStore();
    studio.open(QString::fromStdString(databaseFile()));
    ASSERT_TRUE(waitUntil([&] { return studio.databases().current() != nullptr; }));
    ComposePage page(studio);
    page.show();
    page.setShown(true);
    plan(page, "1-3");
    QSignalSpy gone(&studio, &Studio::pageRequested);
    start(page);
    ASSERT_TRUE(waitUntil([&] { return gone.size() == 1 && control.specs().size() == 2; }));
    EXPECT_EQ(gone[0][0].value<PageId>(), PageId::Watch);
    EXPECT_EQ(studio.currentRun().id, "run1");
}

}  // namespace heddle::ui::test
