// SPDX-License-Identifier: GPL-3.0-or-later
// Several open drafts: an unsaved draft stays open, and each draft keeps its history, its seeds and its place.
#include "engine/base/files.h"
#include "tests/ui/compose/open_page.h"
#include "ui/pages/compose/draft/drafts_file.h"
#include "ui/pages/compose/plan/plan_table.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestsystem.h>
#include <QElapsedTimer>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTreeView>

namespace heddle::ui::test {
namespace {

class OpenDrafts : public OpenPage {
protected:
    void SetUp() override {
        OpenPage::SetUp();
        draft().apply({"dims.f=300"}, text("f"));
    }
    /// Chooses an open draft in the menu of the draft's name.
    void choose(const char* name) {
        QMenu* menu = named<QPushButton>(page(), "draftButton").menu();
        Q_EMIT menu->aboutToShow();
        for (QAction* one : menu->actions())
            if (one->isCheckable() && one->text().startsWith(text(name))) return one->trigger();
        ADD_FAILURE() << "no open draft " << name;
    }
    /// The draft of SetUp(), with its step.
    void expectFirst() {
        EXPECT_EQ(draft().name(), text("full"));
        EXPECT_EQ(draft().facts()->variant.dims.f, 300);
        EXPECT_TRUE(draft().isModified());
        draft().history().undo();
        EXPECT_EQ(draft().facts()->variant.dims.f, 256) << "the history is kept";
        EXPECT_FALSE(draft().isModified());
        draft().history().redo();
    }
    PlanTable& plan() { return *page().findChild<PlanTable*>(); }
    /// The settings of a version that had one draft and no file.
    void keepOld(QSettings& settings) {
        QFile::remove(DraftsFile::nameFor(settings));  // the page may have saved itself
        settings.setValue(text("compose/draft"), QString::fromStdString(small().dump()));
        settings.setValue(text("compose/draftName"), text("mine"));
        settings.setValue(text("compose/draftModified"), true);
        settings.setValue(text("compose/seeds"), text("5"));
    }
};

}  // namespace

TEST_F(OpenDrafts, AMatchedControlIsASecondDraft) {
    draft().setSeeds(text("1-3"));
    page().diagram().setFocus();
    QTest::keyClick(&page().diagram(), Qt::Key_M);
    ASSERT_TRUE(waitUntil([&] { return draft().name() != text("full"); }));
    EXPECT_EQ(draft().drafts().size(), 2U);
    EXPECT_EQ(draft().seeds(), text("1-3")) << "the same experiment";
    EXPECT_FALSE(draft().isModified());
    choose("full");
    expectFirst();
}

TEST_F(OpenDrafts, APresetReplacesOnlyASavedDraft) {
    auto* presets = findNamed<QTreeView>(page(), "presets");
    ASSERT_NE(presets, nullptr);
    const QModelIndex group = presets->model()->index(0, 0);
    const auto open = [&](int row) {
        presets->setCurrentIndex(presets->model()->index(row, 0, group));
        Q_EMIT presets->activated(presets->currentIndex());
    };
    open(0);
    EXPECT_NE(draft().name(), text("full"));
    EXPECT_EQ(draft().drafts().size(), 2U);
    open(1);
    EXPECT_EQ(draft().drafts().size(), 2U) << "the first preset was unchanged";
    page().findChild<QAction*>(text("returnToDraft"))->trigger();
    open(0);
    choose("full");
    expectFirst();
}

TEST_F(OpenDrafts, ACloneHasTheSeedAndThePlanOfItsRun) {
    draft().setSeeds(text("1-3"));
    named<QAction>(plan(), "addDraft").trigger();
    ASSERT_EQ(plan().model().included().size(), 2U);
    studio_.compose(Json{{"variant", {{"preset", "eau-base"}}}, {"seed", 7}}, text("run copy"), RunRef(1, "0123456789ab"));
    EXPECT_EQ(draft().name(), text("run copy"));
    EXPECT_EQ(draft().seeds(), text("7"));
    const auto rows = plan().model().included();
    ASSERT_EQ(rows.size(), 1U) << "rows of another experiment are not started with it";
    EXPECT_EQ(rows.front().name, "run copy");
    EXPECT_EQ(rows.front().seeds, std::vector<std::uint64_t>{7});
    choose("full");
    EXPECT_EQ(draft().seeds(), text("1-3"));
    expectFirst();
}

TEST_F(OpenDrafts, TwoDraftsHaveTwoNames) {
    page().drafts().open(small(), text("full"));
    EXPECT_EQ(draft().name(), text("full-2"));
}

TEST_F(OpenDrafts, ARestartChangesNothing) {
    draft().setSeeds(text("2-4"));
    named<QAction>(plan(), "addDraft").trigger();
    plan().model().setData(plan().model().index(0, 0), Qt::Unchecked, Qt::CheckStateRole);
    page().drafts().open(Json{{"preset", "eau-base"}}, text("other"));
    draft().apply({"dims.f=128"}, text("other f"));
    draft().apply({"dims.f=64"}, text("other f"));
    choose("full");
    save(page(), settings_);
    ComposePage again(studio_);
    again.restoreSession(settings_);
    ASSERT_TRUE(waitUntil([&] { return again.isSettled(); }));
    EXPECT_EQ(again.draft().session(), draft().session());
    EXPECT_EQ(again.draft().name(), text("full"));
    EXPECT_EQ(again.draft().seeds(), text("2-4"));
    const auto& rows = again.findChild<PlanTable*>()->model();
    EXPECT_EQ(rows.ticked(), plan().model().ticked());
    EXPECT_EQ(rows.included(), plan().model().included());
    again.draft().history().undo();
    EXPECT_EQ(again.draft().facts()->variant.dims.f, 256);
    EXPECT_FALSE(again.draft().isModified());
    again.draft().show(again.draft().drafts().back()->id);
    EXPECT_EQ(again.draft().history().count(), 2);
    again.draft().history().undo();
    EXPECT_EQ(again.draft().facts()->variant.dims.f, 128);
}

TEST_F(OpenDrafts, ADraftWhoseSavedStepWasUndoneIsNotSavedAfterARestart) {
    draft().markSaved(draft().id(), draft().document());
    draft().history().undo();
    ASSERT_TRUE(draft().isModified());
    VariantDraft again;
    again.restore(draft().session());
    EXPECT_TRUE(again.isModified());
}

TEST_F(OpenDrafts, ADraftIsSavedWhileAnotherIsShown) {
    const int first = draft().id();
    const Json written = draft().document();
    page().drafts().open(Json{{"preset", "eau-base"}}, text("other"));
    draft().apply({"dims.f=128"}, text("other f"));
    draft().markSaved(first, written);
    EXPECT_TRUE(draft().isModified());
    draft().show(first);
    EXPECT_FALSE(draft().isModified());
    draft().apply({"dims.f=64"}, text("f"));
    draft().markSaved(first, written);
    EXPECT_TRUE(draft().isModified()) << "the saved document is an older one";
}

TEST_F(OpenDrafts, ARenamedDraftCannotHaveTheNameOfAnother) {
    page().drafts().open(Json{{"preset", "eau-base"}}, text("other"));
    draft().setName(text("full"));
    EXPECT_EQ(draft().name(), text("full-2"));
}

TEST_F(OpenDrafts, ASessionThatCannotBeReadChangesNothing) {
    const Json before = draft().session();
    for (const char* damaged : {"{}", R"({"drafts":[],"shown":0})", R"({"drafts":[{"name":7}],"shown":0})"})
        EXPECT_ANY_THROW(draft().restore(Json::parse(damaged))) << damaged;
    EXPECT_EQ(draft().session(), before);
}

TEST_F(OpenDrafts, TheDraftOfAnOlderVersionIsRestored) {
    keepOld(settings_);
    ComposePage again(studio_);
    again.restoreSession(settings_);
    ASSERT_TRUE(waitUntil([&] { return again.isSettled(); }));
    EXPECT_EQ(again.draft().name(), text("mine"));
    EXPECT_EQ(again.draft().seeds(), text("5"));
    EXPECT_TRUE(again.draft().isModified());
}

TEST_F(OpenDrafts, TheDraftOfAnOlderVersionStaysInTheSettingsIfNoFileCanBeWritten) {
    QFile blocked(folder_.filePath(text("blocked")));
    ASSERT_TRUE(blocked.open(QIODevice::WriteOnly));
    QSettings settings(blocked.fileName() + text("/settings.ini"), QSettings::IniFormat);  // in no folder, but in a file
    keepOld(settings);
    QSignalSpy told(&studio_, &Studio::messageRequested);
    ComposePage again(studio_);
    again.restoreSession(settings);
    EXPECT_EQ(told.size(), 1);
    EXPECT_EQ(again.draft().name(), text("mine"));
    EXPECT_TRUE(settings.contains(text("compose/draft")));
}

TEST_F(OpenDrafts, TheDraftOfAnOlderVersionDoesNotReplaceTheFile) {
    keepOld(settings_);
    save(page(), settings_);
    ComposePage again(studio_);
    again.restoreSession(settings_);
    EXPECT_EQ(again.draft().name(), text("full"));
}

TEST_F(OpenDrafts, DraftsAreKeptIfThePlanCannotBeRead) {
    save(page(), settings_);
    const std::string name = DraftsFile::nameFor(settings_).toStdString();
    Json documents = readJsonFile(name);
    documents["plan"]["rows"] = 7;
    writeFileAtomically(name, documents.dump());
    QSignalSpy told(&studio_, &Studio::messageRequested);
    ComposePage again(studio_);
    again.restoreSession(settings_);
    EXPECT_EQ(told.size(), 1);
    EXPECT_EQ(again.draft().session(), draft().session());
    EXPECT_TRUE(QFile::exists(folder_.filePath(text("drafts-unread.json")))) << "its rows are kept";
}

TEST_F(OpenDrafts, AFileIsNotWrittenAgainUntilSomethingChanges) {
    save(page(), settings_);
    ComposePage again(studio_);
    again.restoreSession(settings_);
    QFile file(DraftsFile::nameFor(settings_));
    ASSERT_TRUE(file.remove());
    save(again, settings_);
    EXPECT_FALSE(file.exists());
    again.draft().apply({"dims.f=200"}, text("f"));
    save(again, settings_);
    EXPECT_TRUE(file.exists());
}

TEST_F(OpenDrafts, AreSavedAMomentAfterTheLastChange) {
    QFile file(DraftsFile::nameFor(settings_));
    const auto isSaved = [&] { return waitUntil([&] { return file.exists(); }); };
    ASSERT_TRUE(isSaved());
    ASSERT_TRUE(file.remove());
    draft().apply({"dims.f=200"}, text("f"));
    QTest::qWait(700);
    file.remove();  // there only where the test was delayed
    QElapsedTimer sinceChange;
    sinceChange.start();
    draft().apply({"dims.f=220"}, text("f"));
    ASSERT_TRUE(isSaved());
    EXPECT_GE(sinceChange.elapsed(), 900) << "the second change postpones it";
}

TEST_F(OpenDrafts, AnAutosaveThatFailsIsReportedAndTriedAgain) {
    const QString name = DraftsFile::nameFor(settings_);
    ASSERT_TRUE(waitUntil([&] { return QFile::exists(name); }));
    ASSERT_TRUE(QFile::remove(name) && QDir().mkdir(name));  // no file can be renamed to a folder
    QSignalSpy told(&studio_, &Studio::messageRequested);
    draft().apply({"dims.f=200"}, text("f"));
    ASSERT_TRUE(waitUntil([&] { return told.size() == 1; }));
    ASSERT_TRUE(QDir().rmdir(name));
    save(page(), settings_);
    EXPECT_TRUE(QFile::exists(name));
}

TEST_F(OpenDrafts, DraftsThatCannotBeReadAreKeptAndReported) {
    QFile file(DraftsFile::nameFor(settings_)), kept(folder_.filePath(text("drafts-unread.json")));
    for (const char* unread :
         {"{\"schema\":", R"({"schema":"heddle.drafts/9"})",
          R"({"schema":"heddle.drafts/1","plan":{"rows":null,"notes":[],"ticked":""},"drafts":{"drafts":[]}})"}) {
        ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.write(unread) > 0);
        file.close();
        QSignalSpy told(&studio_, &Studio::messageRequested);
        ComposePage again(studio_);
        again.restoreSession(settings_);
        EXPECT_EQ(told.size(), 1) << unread;
        again.draft().open(small(), text("new"));
        save(again, settings_);
        ASSERT_TRUE(kept.open(QIODevice::ReadOnly)) << unread;
        EXPECT_EQ(kept.readAll(), unread);
        kept.close();
        EXPECT_TRUE(kept.remove());
    }
}

TEST_F(OpenDrafts, DraftsOfAnOlderVersionThatCannotBeReadAreKeptToo) {
    QFile::remove(DraftsFile::nameFor(settings_));
    settings_.setValue(text("compose/drafts"), text(R"({"drafts":[{"name":7}],"shown":0})"));
    QSignalSpy told(&studio_, &Studio::messageRequested);
    ComposePage again(studio_);
    again.restoreSession(settings_);
    EXPECT_EQ(told.size(), 1);
    QFile kept(folder_.filePath(text("drafts-unread.json")));
    ASSERT_TRUE(kept.open(QIODevice::ReadOnly));
    EXPECT_TRUE(kept.readAll().contains(R"("name":7)"));
}

TEST_F(OpenDrafts, DraftsAndPlanAreNotInTheSettings) {
    named<QAction>(plan(), "addDraft").trigger();
    save(page(), settings_);
    EXPECT_TRUE(QFile::exists(DraftsFile::nameFor(settings_)));
    for (const QString& key : settings_.allKeys())
        EXPECT_FALSE(settings_.value(key).toString().contains(text("\"variant\""))) << key.toStdString();
}

TEST_F(OpenDrafts, DraftsInTheSettingsOfAnOlderVersionAreMovedIntoTheFile) {
    Json old = draft().session();
    old.erase("baseline");
    old.erase("words");
    QFile::remove(DraftsFile::nameFor(settings_));
    settings_.setValue(text("compose/drafts"), QString::fromStdString(old.dump()));
    settings_.setValue(text("compose/baseline"), QString::fromStdString(draft().baselineDocument().dump()));
    settings_.setValue(text("compose/baselineName"), text("base"));
    settings_.setValue(text("compose/wordsSource"), 1000);
    settings_.setValue(text("compose/plan"),
                       QString::fromStdString(Plan{{{"row", draft().document(), {"train.lr=0.5"}, {1, 2}}}}.toJson().dump()));
    settings_.setValue(text("compose/plan_notes"), QStringList{text("a note")});
    settings_.setValue(text("compose/plan_ticked"), text("01"));
    for (int session = 0; session < 2; ++session) {
        ComposePage again(studio_);
        again.restoreSession(settings_);
        EXPECT_EQ(again.draft().document(), draft().document());
        EXPECT_EQ(again.draft().baselineName(), text("base"));
        EXPECT_EQ(again.draft().assumed().source, 1000);
        const PlanModel& rows = again.findChild<PlanTable*>()->model();
        EXPECT_EQ(rows.ticked(), text("01"));
        ASSERT_EQ(rows.addedRows().size(), 1U);
        EXPECT_EQ(rows.addedRows().front().name, "row");
        EXPECT_FALSE(settings_.contains(text("compose/drafts")) || settings_.contains(text("compose/plan")));
    }
}

TEST_F(OpenDrafts, UnappliedTextIsKeptForItsDraft) {
    auto* edit = findNamed<QPlainTextEdit>(page(), "jsonText");
    edit->setPlainText(text("{mine"));
    page().drafts().open(Json{{"preset", "eau-base"}}, text("other"));
    EXPECT_TRUE(edit->toPlainText().contains(text("eau-base"))) << edit->toPlainText().toStdString();
    choose("full");
    EXPECT_EQ(edit->toPlainText(), text("{mine"));
    EXPECT_TRUE(named<QPushButton>(page(), "revertJson").isEnabled());
}

TEST_F(OpenDrafts, UnappliedTextIsKeptWhenItsDraftIsReplaced) {
    draft().history().undo();
    ASSERT_FALSE(draft().isModified());
    auto* edit = findNamed<QPlainTextEdit>(page(), "jsonText");
    edit->setPlainText(text("{mine"));
    page().drafts().open(Json{{"preset", "eau-base"}}, text("other"));
    ASSERT_EQ(draft().drafts().size(), 1U);
    EXPECT_EQ(edit->toPlainText(), text("{mine"));
    named<QPushButton>(page(), "revertJson").click();
    EXPECT_TRUE(edit->toPlainText().contains(text("eau-base"))) << edit->toPlainText().toStdString();
}

TEST_F(OpenDrafts, TheDraftBeforeIsNamedOnlyIfItIsUnsaved) {
    storage::RunRecord run = completedRun("0123456789ab", "trained", Json{{"schema", 1}, {"variant", small()}}.dump());
    run.parameters = 1;
    run.attempts = 1;
    storage::AttemptRecord attempt;
    attempt.run = run.id;
    attempt.context = R"({"vocab_source":1234,"vocab_target":2345})";
    auto store = openStore();
    store->addRun(run);
    store->addAttempt(attempt);
    store.reset();
    openDatabase();
    ASSERT_TRUE(waitUntil([&] { return studio_.databases().runs().size() == 1; }));
    const auto compose = [&] {
        studio_.compose(Json::parse(run.spec), text("trained"), studio_.databases().runs().front()->ref);
    };
    const auto isBuiltTold = [&] { return shownMessage(page()).contains(text("was built with")); };
    compose();
    ASSERT_TRUE(waitUntil(isBuiltTold));
    EXPECT_NE(findNamed<QPushButton>(page(), "returnToDraft"), nullptr);
    page().findChild<MessageStrip*>()->showMessage({StripKind::Info, text("another message"), {}, {}});
    compose();
    ASSERT_TRUE(waitUntil(isBuiltTold));
    EXPECT_EQ(findNamed<QPushButton>(page(), "returnToDraft"), nullptr) << "the draft before had no changes";
}

TEST_F(OpenDrafts, ClosingAnUnsavedDraftNeedsConfirmation) {
    page().drafts().open(Json{{"preset", "eau-base"}}, text("other"));
    choose("full");
    auto* close = page().findChild<QAction*>(text("closeDraft"));
    const auto answer = [&](QMessageBox::StandardButton button) {
        close->trigger();
        for (auto* box : page().findChildren<QMessageBox*>(text("closeDraftBox")))
            if (box->isVisible()) return box->button(button)->click();
        ADD_FAILURE() << "no question is shown";
    };
    answer(QMessageBox::Cancel);
    EXPECT_EQ(draft().drafts().size(), 2U);
    answer(QMessageBox::Discard);
    EXPECT_EQ(draft().drafts().size(), 1U);
    EXPECT_EQ(draft().name(), text("other"));
}

}  // namespace heddle::ui::test
