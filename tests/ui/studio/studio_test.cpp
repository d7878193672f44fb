// SPDX-License-Identifier: GPL-3.0-or-later
// The whole program with its real pages and a fake engine: compose, start, watch, stop, resume, compare, close.
#include "app/studio/arguments.h"
#include "app/studio/shots.h"
#include "storage/run_store.h"
#include "tests/ui/studio/studio_fixture.h"
#include "ui/panels/run_picker.h"
#include "ui/theme/controls.h"
#include "ui/window/status_item.h"

#include <QtTest/qtestkeyboard.h>
#include <QAbstractScrollArea>
#include <QDialog>
#include <QDir>
#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::studio;
using namespace heddle::studio::test;

namespace {

class StudioTest : public StudioFixture {};

bool related(const QAction& a, const QAction& b) {
    for (const QObject* left : a.associatedObjects())
        for (const QObject* right : b.associatedObjects()) {
            const auto* one = qobject_cast<const QWidget*>(left);
            const auto* other = qobject_cast<const QWidget*>(right);
            if (one && other && (one == other || one->isAncestorOf(other) || other->isAncestorOf(one))) return true;
        }
    return false;
}

bool isLocal(const QAction& action) {
    return action.shortcutContext() == Qt::WidgetWithChildrenShortcut || action.shortcutContext() == Qt::WidgetShortcut;
}

}  // namespace

TEST_F(StudioTest, ComposeStartWatchStopResumeCompare) {
    startOn(file_);
    const std::string first = composeAndStart("1");
    ASSERT_FALSE(first.empty());
    ASSERT_TRUE(reaches(first, "running"));
    ASSERT_TRUE(waitUntil([&] { return record(first)->step > 20; }));
    press("pause");
    ASSERT_TRUE(reaches(first, "paused"));
    press("resume");
    ASSERT_TRUE(reaches(first, "running"));
    press("stop");
    ASSERT_TRUE(reaches(first, "stopped"));
    const auto stoppedAt = record(first)->step;
    press("resume");
    ASSERT_TRUE(reaches(first, "running"));
    EXPECT_EQ(record(first)->attempts, 2);
    EXPECT_EQ(engine_->trainedFrom, stoppedAt) << "from the checkpoint written when it was stopped";
    press("stop");
    ASSERT_TRUE(reaches(first, "stopped"));

    const std::string second = composeAndStart("2");
    ASSERT_NE(second, first);
    ASSERT_TRUE(reaches(second, "running"));
    press("stop");
    ASSERT_TRUE(reaches(second, "stopped"));

    QTest::keyClick(&window(), Qt::Key_4, Qt::ControlModifier);
    ASSERT_EQ(window().shownPage()->id(), PageId::Compare);
    ASSERT_TRUE(waitUntil([&] { return window().shownPage()->isSettled(); }));
    int rows = 0;
    for (auto* view : page().findChildren<QTreeView*>())
        if (view->isVisible() && view->model()) rows = std::max(rows, view->model()->rowCount());
    EXPECT_GE(rows, 1) << "the runs stand in the table";
    EXPECT_FALSE(window().messages().isVisible()) << shownMessages();
}

TEST_F(StudioTest, ClosingWhileTrainingAsksAndStopsCleanly) {
    startOn(file_);
    const std::string run = composeAndStart("1");
    ASSERT_TRUE(reaches(run, "running"));
    ASSERT_TRUE(waitUntil([&] { return record(run)->step > 5; }));
    QSignalSpy closed(program_.get(), &StudioProgram::closed);
    window().close();
    answer("cancel");
    ASSERT_TRUE(waitUntil([&] { return question() == nullptr; }));
    EXPECT_TRUE(window().isVisible());
    window().close();
    answer("stopAndClose");
    ASSERT_TRUE(waitUntil([&] { return closed.size() == 1; }));
    EXPECT_FALSE(window().isVisible());
    EXPECT_TRUE(storage::currentOwner(file_).empty());
    const auto query = storage::RunQuery::open(file_);
    EXPECT_EQ(query->run(run)->state, "stopped");
    const auto checkpoints = query->checkpoints(run);
    ASSERT_FALSE(checkpoints.empty());
    EXPECT_EQ(checkpoints.back().step, query->run(run)->step) << "nothing is lost";
}

TEST_F(StudioTest, TrainingGoesOnInTheBackgroundAndIsFoundAgain) {
    startOn(file_);
    const std::string run = composeAndStart("1");
    ASSERT_TRUE(reaches(run, "running"));
    QSignalSpy closed(program_.get(), &StudioProgram::closed);
    window().close();
    answer("keepTraining");
    ASSERT_TRUE(waitUntil([&] { return closed.size() == 1; }));
    EXPECT_THAT(storage::currentOwner(file_).program, testing::HasSubstr("child"));
    startOn(file_);
    ASSERT_TRUE(reaches(run, "running"));
    EXPECT_EQ(record(run)->attempts, 2);
    program_->studio().setCurrentRun(refOf(run));
    window().showPage(PageId::Watch);
    press("stop");
    EXPECT_TRUE(reaches(run, "stopped")) << "the new window commands it through the inbox";
}

TEST_F(StudioTest, ARunIsFoundByNameAndTheDatabaseIsRemembered) {
    trained("base", 3);
    start();
    program_->showRun(text("base"));
    program_->studio().open(QString::fromStdString(file_));
    EXPECT_TRUE(waitUntil([&] { return !program_->studio().currentRun().empty(); }));
    EXPECT_EQ(recentDatabases(settings_), QStringList{QString::fromStdString(file_)});
    program_->shutDown(StudioProgram::Closing::Stop);
    start();
    program_->openDefault();
    EXPECT_TRUE(waitUntil([&] { return databases().currentFile() == QString::fromStdString(file_); }));
}

TEST_F(StudioTest, NoPageBeginsInTheBoxThatChoosesARun) {
    trained("base", 3);
    start();
    program_->studio().open(QString::fromStdString(file_));
    ASSERT_TRUE(waitUntil([&] { return !databases().runs().empty(); }));
    window().activateWindow();
    ASSERT_TRUE(waitUntil([&] { return window().isActiveWindow(); }));
    for (const PageId page : {PageId::Compose, PageId::Watch, PageId::Library, PageId::Inspect}) {
        window().showPage(page);
        ASSERT_TRUE(waitUntil([&] { return window().shownPage()->isSettled(); }));
        const QWidget* const focus = QApplication::focusWidget();
        ASSERT_NE(focus, nullptr);
        EXPECT_FALSE(qobject_cast<const RunPicker*>(focus) || qobject_cast<const RunPicker*>(focus->parentWidget()))
            << "keys would be text there, on " << window().shownPage()->name().toStdString();
    }
}

TEST_F(StudioTest, TwoDatabasesAreOpenSideBySide) {
    const std::string other = folder_ / "other.heddle";
    std::string there;
    {
        app::RunSession owner(session());
        const auto here = owner.submit(app::smallSpec("here", 3));
        auto options = session();
        options.database = other;
        app::RunSession second(options);
        there = second.submit(app::smallSpec("there", 3));
        ASSERT_TRUE(waitUntil([&] { return owner.ended(here) && second.ended(there); }));
    }
    start();
    program_->showRun(text("there"));
    program_->studio().open(QString::fromStdString(file_));
    program_->studio().openBeside(QString::fromStdString(other));
    EXPECT_TRUE(waitUntil([&] { return program_->studio().currentRun().id == there; })) << "found in the second one";
    ASSERT_TRUE(waitUntil([&] { return databases().runs().size() == 2; }));
    EXPECT_TRUE(waitUntil([&] { return databases().currentFile() == QString::fromStdString(file_); })) << "the first one";
    EXPECT_TRUE(waitUntil([&] { return window().windowTitle().contains(text("and 1 more")); }))
        << window().windowTitle().toStdString();
    EXPECT_TRUE(runLabel(*record(there)).endsWith(text(" · other.heddle"))) << runLabel(*record(there)).toStdString();
    EXPECT_TRUE(waitUntil([&] { return recentDatabases(settings_).contains(QString::fromStdString(other)); }));
    // Each page takes a run of the other database.
    program_->studio().setComparedRuns({databases().runs()[0]->ref, databases().runs()[1]->ref});
    for (Page* shown : window().pages()) {
        window().showPage(shown->id());
        EXPECT_TRUE(waitUntil([&] { return shown->isSettled(); })) << shown->name().toStdString();
    }
    // A new run goes to the current one, and a run that was asked for in the other one is trained there.
    databases().setCurrent(record(there)->ref.database);
    const std::string made = composeAndStart("3", {"train.steps=5", "train.device=cpu"});
    ASSERT_TRUE(reaches(made, "completed"));
    EXPECT_EQ(databases().fileOf(record(made)->ref), QString::fromStdString(other));
    databases().close(record(there)->ref.database);
    EXPECT_FALSE(record(there));
    EXPECT_EQ(databases().currentFile(), QString::fromStdString(file_));
}

TEST_F(StudioTest, ShotsShowEveryPageAndWriteNothingIntoTheDatabase) {
    trained("base", 30);
    const auto revision = storage::RunQuery::open(file_)->revision();
    start(true);
    Shots shots(window(), QString::fromStdString(folder_ / "shots"), text("light"));
    QSignalSpy finished(&shots, &Shots::finished);
    program_->studio().open(QString::fromStdString(file_));
    ASSERT_TRUE(waitUntil([&] { return !databases().currentFile().isEmpty(); }));
    shots.start({});
    for (int i = 0; i < 6 && finished.isEmpty(); ++i) waitUntil([&] { return !finished.isEmpty(); });
    ASSERT_EQ(finished.size(), 1);
    EXPECT_EQ(finished[0][0].toString(), QString());
    for (const char* name : {"compose", "watch", "compare", "library"}) {
        const QImage picture(QString::fromStdString(folder_ / "shots/") + text(name) + text("-light.png"));
        EXPECT_EQ(picture.size(), window().size() * window().devicePixelRatio()) << name;
    }
    EXPECT_FALSE(window().messages().isVisible()) << shownMessages();
    EXPECT_EQ(storage::RunQuery::open(file_)->revision(), revision);
}

TEST_F(StudioTest, NoTwoKeysClashOnAnyPage) {
    startOn(file_);
    for (Page* shown : window().pages()) {
        window().showPage(shown->id());
        std::vector<std::pair<QKeySequence, const QAction*>> keys;
        for (const QAction* action : window().findChildren<QAction*>()) {
            const QObject* owner = action->parent();
            while (owner && !qobject_cast<const Page*>(owner)) owner = owner->parent();
            if (!action->isVisible() || (owner && owner != shown)) continue;
            for (const QKeySequence& key : action->shortcuts()) keys.emplace_back(key, action);
        }
        for (std::size_t i = 0; i < keys.size(); ++i)
            for (std::size_t j = i + 1; j < keys.size(); ++j) {
                const auto& [key, a] = keys[i];
                const auto& [other, b] = keys[j];
                if (key != other || a == b || key.isEmpty()) continue;
                EXPECT_TRUE(isLocal(*a) && isLocal(*b) && !related(*a, *b))
                    << shown->name().toStdString() << ": " << key.toString().toStdString() << " is both "
                    << a->text().toStdString() << " and " << b->text().toStdString();
            }
        EXPECT_GT(keys.size(), 15U);
    }
}

TEST_F(StudioTest, TheKeyOfExportsWorksOnEveryPageOrSaysWhyNot) {
    trained("base", 3);
    startOn(file_);
    window().activateWindow();
    const QKeySequence key(Qt::CTRL | Qt::Key_E);
    for (Page* shown : window().pages()) {
        window().showPage(shown->id());
        ASSERT_TRUE(settles()) << shown->name().toStdString();
        window().activateWindow();  // the dialog of the page before had the focus
        ASSERT_TRUE(waitUntil([&] { return window().isActiveWindow(); }));
        for (auto* entry : window().findChildren<QToolButton*>())
            if (controlRole(entry) == ControlRole::Rail && entry->isVisible()) entry->setFocus();
        const auto actions = shown->findChildren<QAction*>();
        const auto found =
            std::find_if(actions.begin(), actions.end(), [&](auto* action) { return action->shortcut() == key; });
        ASSERT_NE(found, actions.end()) << shown->name().toStdString();
        QSignalSpy exported(*found, &QAction::triggered);
        QTest::keyClick(&window(), Qt::Key_E, Qt::ControlModifier);
        EXPECT_EQ(exported.size(), int((*found)->isEnabled())) << shown->name().toStdString();
        if (!(*found)->isEnabled()) {
            EXPECT_NE((*found)->toolTip(), (*found)->iconText()) << shown->name().toStdString();
        }
        for (auto* dialog : window().findChildren<QDialog*>())
            if (dialog->isVisible()) dialog->reject();
    }
}

TEST_F(StudioTest, TheVerbsOfDatabasesAreInTheFileMenu) {
    startOn(file_);
    const auto* view = window().findChild<QMenu*>(text("viewMenu"));
    const auto* file = window().findChild<QMenu*>(text("fileMenu"));
    for (Page* shown : window().pages()) {
        window().showPage(shown->id());
        const QList<QAction*> all = view->actions();
        const auto flat = std::count_if(all.begin(), all.end(),
                                        [](const QAction* action) { return !action->isSeparator() && !action->menu(); });
        EXPECT_LE(flat, 8) << shown->name().toStdString();
        for (const QAction* action : shown->fileActions()) EXPECT_TRUE(file->actions().contains(action));
        EXPECT_EQ(shown->fileActions().isEmpty(), shown->id() != PageId::Library);
    }
    window().showPage(PageId::Compose);
    for (const Page* page : window().pages())
        for (const QAction* action : page->fileActions()) EXPECT_FALSE(file->actions().contains(action));
}

TEST_F(StudioTest, EverythingThatTakesTheFocusHasAName) {
    startOn(file_);
    for (Page* shown : window().pages()) {
        window().showPage(shown->id());
        waitUntil([&] { return shown->isSettled(); });
        for (const QWidget* widget : window().findChildren<QWidget*>()) {
            if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) || !widget->isEnabled()) continue;
            if (widget->objectName().startsWith(text("qt_")) || widget->isAncestorOf(shown)) continue;
            // The focus goes on to another widget, or is that of the area around.
            const auto* area = qobject_cast<const QAbstractScrollArea*>(widget->parentWidget());
            if (widget->focusProxy() || (area && area->viewport() == widget)) continue;
            const auto* labelled = qobject_cast<const QAbstractButton*>(widget);
            const QString name = !widget->accessibleName().isEmpty() || !labelled ? widget->accessibleName() : labelled->text();
            EXPECT_FALSE(name.isEmpty()) << shown->name().toStdString() << ": " << widget->metaObject()->className() << " in "
                                         << widget->parentWidget()->metaObject()->className();
        }
    }
}

TEST(Arguments, AreReadAndMistakesAreSaid) {
    const auto read = [](std::initializer_list<const char*> words) {
        QStringList all{text("heddle-studio")};
        for (const char* word : words) all << text(word);
        return parseArguments(all);
    };
    const Arguments good = read({"a.heddle", "--page", "compare", "--theme", "dark", "--scale", "1.5", "--size", "1440x900"});
    EXPECT_TRUE(good.answer.isEmpty());
    EXPECT_EQ(good.files, QStringList{QDir::current().absoluteFilePath(text("a.heddle"))});
    EXPECT_EQ(good.page, text("compare"));
    EXPECT_EQ(good.theme, Appearance::Dark);
    EXPECT_EQ(good.scale, 1.5);
    EXPECT_EQ(good.size, QSize(1440, 900));
    EXPECT_TRUE(read({"--help"}).answer.contains(text("--shots DIR")));
    EXPECT_EQ(read({"--version"}).answer, text("heddle-studio " HEDDLE_VERSION "\n"));
    for (const auto& wrong : {read({"--page", "nowhere"}), read({"--theme", "blue"}), read({"--size", "wide"}),
                              read({"--scale", "0.2"}), read({"--nonsense"})}) {
        EXPECT_EQ(wrong.code, 2);
        EXPECT_TRUE(wrong.answer.startsWith(text("heddle-studio: ")));
    }
}
