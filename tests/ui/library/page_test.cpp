// SPDX-License-Identifier: GPL-3.0-or-later
// The Library page as a user meets it: rename, tag, note, delete and undo, export, verify.
#include "tests/ui/library/page_fixture.h"
#include "ui/pages/library/database_list.h"
#include "ui/pages/library/library_actions.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/column_fit.h"
#include "ui/widgets/settings_dialog.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QListView>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

namespace heddle::ui::test {
namespace {

using testing::Contains;

TEST_F(LibraryPageTest, ListsRunsWithTheirStateStepsAndSize) {
    EXPECT_EQ(cell("c10000000000", RunColumn::State), text("Running"));
    EXPECT_EQ(cell("c10000000000", RunColumn::LastStep), text("150 / 300"));
    EXPECT_EQ(cell("a10000000000", RunColumn::Duration), text("1 min 15 s"));
    ASSERT_TRUE(waitUntil([&] { return cell("a10000000000", RunColumn::Size) == text("2.00 KiB"); }));
    EXPECT_EQ(recentDatabases(*settings_), QStringList{QString::fromStdString(database_.file())});
}

TEST_F(LibraryPageTest, TheDatabaseSaysWhatItIs) {
    ASSERT_TRUE(waitUntil(
        [&] { return !details().lines().isEmpty() && details().lines().join(QLatin1Char('\n')).contains(text("Schema")); }));
    const QString all = details().lines().join(QLatin1Char('\n'));
    EXPECT_TRUE(all.contains(text("version 4"))) << all.toStdString();
    EXPECT_TRUE(all.contains(text("9 points"))) << all.toStdString();
    EXPECT_TRUE(all.contains(text("1 running, 2 completed"))) << all.toStdString();
    EXPECT_TRUE(all.contains(text("this window"))) << all.toStdString();
}

TEST_F(LibraryPageTest, NamesGetTheWidthThatTheyNeedUntilTheUserSaysOtherwise) {
    const auto width = [this](RunColumn column) { return runs().view().columnWidth(int(column)); };
    const auto left = [this] { return runs().view().viewport()->width() - runs().view().header()->length(); };
    page_->resize(1900, 800);
    ASSERT_TRUE(waitUntil([&] { return left() == 0; })) << "names take what the other columns leave";
    const int before = width(RunColumn::Tags), name = width(RunColumn::Name);
    model().setData(model().index(rowOf("a10000000000"), int(RunColumn::Tags)), text("paper, thesis"), Qt::EditRole);
    ASSERT_TRUE(waitUntil([&] { return width(RunColumn::Tags) > before; })) << "columns grow with what stands in them";
    EXPECT_LT(width(RunColumn::Name), name);
    const int tags = width(RunColumn::Tags);
    page_->resize(2500, 800);
    EXPECT_TRUE(waitUntil([&] { return width(RunColumn::Name) > name && left() == 0; })) << "and with the window";
    runs().view().header()->resizeSection(int(RunColumn::Tags), 77);  // as a user drags it
    page_->saveSession(*settings_);
    page_->resize(1300, 800);
    database_.add("e10000000000", "a much longer name than those of the other runs", "completed", 5000);
    ASSERT_TRUE(waitUntil([&] { return rowOf("e10000000000") >= 0 && page_->isSettled(); }));
    EXPECT_EQ(width(RunColumn::Tags), 77) << "what the user dragged stays";
    EXPECT_GE(width(RunColumn::Name), px(180)) << "long names are elided, but not to a few letters";
    runs().columns().setDragged({});
    EXPECT_EQ(width(RunColumn::Tags), tags);
    page_->restoreSession(*settings_);
    EXPECT_EQ(width(RunColumn::Tags), 77) << "in the next session, too";
}

TEST_F(LibraryPageTest, RenameTagAndNoteGoThroughTheDatabase) {
    model().setData(model().index(rowOf("a10000000000"), int(RunColumn::Name)), text("renamed"), Qt::EditRole);
    ASSERT_TRUE(waitUntil([&] { return cell("a10000000000", RunColumn::Name) == text("renamed"); }));
    model().setData(model().index(rowOf("a10000000000"), int(RunColumn::Tags)), text("x, y"), Qt::EditRole);
    ASSERT_TRUE(waitUntil([&] { return cell("a10000000000", RunColumn::Tags) == text("x, y"); }));
    choose({"a10000000000"});
    action("addNote").trigger();
    ASSERT_TRUE(waitUntil([&] { return details().noteField().hasFocus(); }));
    details().noteField().setText(text("looks good"));
    QTest::keyClick(&details().noteField(), Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return details().lines().contains(text("Notes looks good")); }));
}

TEST_F(LibraryPageTest, RenameOpensTheFieldInTheRow) {
    choose({"b10000000000"});
    action("rename").trigger();
    auto* field = runs().view().findChild<QLineEdit*>();
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->text(), text("wide"));
    field->setText(text("wider"));
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_TRUE(waitUntil([&] { return database_.run("b10000000000")->name == "wider"; }));
}

TEST_F(LibraryPageTest, DeleteIsUndone) {
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    choose({"a10000000000", "b10000000000"});
    action("delete").trigger();
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 1; }));
    EXPECT_GT(database_.run("a10000000000")->trashed, 0);
    ASSERT_TRUE(waitUntil([&] { return said.size() == 1; }));
    const auto message = said[0][0].value<MessageStrip::Message>();
    ASSERT_EQ(message.actions.size(), 1);
    message.actions[0]->trigger();
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 3; }));
    EXPECT_EQ(database_.run("a10000000000")->trashed, 0);
    EXPECT_FALSE(action("undo").isEnabled()) << "once";
    action("redo").trigger();
    EXPECT_TRUE(waitUntil([&] { return model().rowCount() == 1; }));
}

TEST_F(LibraryPageTest, NothingIsSaidToBeDeletedBeforeItIs) {
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    database_.refusesEdits = true;
    choose({"a10000000000", "b10000000000"});
    action("delete").trigger();
    EXPECT_TRUE(said.empty()) << "at once";
    ASSERT_TRUE(waitUntil([&] { return said.size() == 2; }));  // one for each run
    for (const auto& message : said) EXPECT_EQ(message[0].value<MessageStrip::Message>().kind, StripKind::Bad);
}

TEST_F(LibraryPageTest, DeletedRunsAreRestoredOrGoneForGoodAfterAQuestion) {
    choose({"a10000000000", "b10000000000"});
    action("delete").trigger();
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 1; }));
    EXPECT_FALSE(action("deletePermanently").isVisible());
    runs().setView(RunView::Deleted);
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 2; }));
    choose({"a10000000000"});
    action("restore").trigger();
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 1; }));
    choose({"b10000000000"});
    action("deletePermanently").trigger();
    auto* box = page_->findChild<QMessageBox*>();
    ASSERT_NE(box, nullptr);
    EXPECT_TRUE(database_.run("b10000000000")) << "asked first";
    named<QPushButton>(*box, "confirmDelete").click();
    ASSERT_TRUE(waitUntil([&] { return !database_.run("b10000000000").has_value(); }));
    EXPECT_EQ(database_.run("a10000000000")->trashed, 0);
}

TEST_F(LibraryPageTest, VerbsComeFromTheTransitionTable) {
    choose({"c10000000000"});
    EXPECT_FALSE(action("delete").isEnabled());
    EXPECT_FALSE(action("resume").isEnabled());
    EXPECT_TRUE(action("pause").isEnabled());
    action("stop").trigger();
    ASSERT_TRUE(waitUntil([&] { return !database_.calls().empty(); }));
    EXPECT_THAT(database_.calls(), Contains("stop c10000000000"));
    EXPECT_EQ(cell("c10000000000", RunColumn::State), text("Stopping…")) << "from the click on";
    EXPECT_EQ(action("pause").text(), text("Pause live s3")) << "it says what it acts on";
    choose({"a10000000000"});
    EXPECT_FALSE(action("stop").isEnabled());
    EXPECT_FALSE(action("resume").isEnabled()) << "it is complete";
    EXPECT_EQ(action("delete").text(), text("Delete base s3"));
    database_.add("d10000000000", "half", "stopped", 4000);
    ASSERT_TRUE(waitUntil([&] { return rowOf("d10000000000") >= 0 && page_->isSettled(); }));
    choose({"d10000000000"});
    action("resume").trigger();
    EXPECT_TRUE(waitUntil([&] { return database_.calls().back() == "resume d10000000000"; }));
    choose({"a10000000000", "c10000000000"});
    EXPECT_FALSE(action("stop").isEnabled()) << "not all of them may";
    EXPECT_FALSE(action("rename").isEnabled()) << "one at a time";
}

TEST_F(LibraryPageTest, RunsGoToTheOtherPages) {
    QSignalSpy pages(studio_.get(), &Studio::pageRequested), composed(studio_.get(), &Studio::composeRequested);
    QSignalSpy compared(studio_.get(), &Studio::compareRequested);
    choose({"a10000000000", "b10000000000"});
    action("compare").trigger();
    ASSERT_EQ(compared.size(), 1);
    EXPECT_THAT(compared[0][0].value<std::vector<RunRef>>(),
                testing::UnorderedElementsAreArray(refsOf({"a10000000000", "b10000000000"})));
    choose({"a10000000000"});
    action("showInWatch").trigger();
    EXPECT_EQ(studio_->currentRun().id, "a10000000000");
    action("clone").trigger();
    EXPECT_EQ(composed.size(), 1);
    EXPECT_EQ(pages.size(), 3);
}

TEST_F(LibraryPageTest, ExportWritesSpecificationEvaluationsAndCurves) {
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    choose({"a10000000000"});
    const QString folder = QString::fromStdString(database_.folder()) + text("/out");
    QDir().mkpath(folder);
    page_->findChild<LibraryActions*>()->exportTo(folder);
    ASSERT_TRUE(waitUntil([&] { return said.size() == 2; }));
    EXPECT_EQ(said[1][0].value<MessageStrip::Message>().kind, StripKind::Ok);
    const auto read = [&](const char* name) {
        QFile file(folder + text("/base-a10000000000/") + text(name));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
        return file.readAll();
    };
    EXPECT_EQ(read("curves.tsv"),
              QByteArray("name\tpath\tattempt\tstep\tvalue\nloss\t\t1\t1\t3\nloss\t\t1\t2\t2.5\nloss\t\t1\t3\t2.25\n"));
    EXPECT_TRUE(read("evaluations.tsv").contains("100\t1\tvalid\tloss\t2.25\t2604\tce:nats\t1"));
    const Json document = parseJson(read("run.json").toStdString(), "run.json");
    EXPECT_EQ(document.at("spec").at("variant").at("dims").at("d"), 64);
    EXPECT_EQ(document.at("checkpoints").size(), 1U);
}

TEST_F(LibraryPageTest, VerifyReadsEverythingAndSaysWhatIsWrong) {
    const auto verified = [&](const char* words) {
        return waitUntil([&] { return details().lines().value(0).contains(text(words)); });
    };
    named<QPushButton>(*page_, "verify").click();
    ASSERT_TRUE(verified("nothing damaged")) << details().lines().join(QLatin1Char('\n')).toStdString();
    std::ofstream(std::filesystem::path(storage::artifactFolder(database_.file())) / "a10000000000/step-1/weights.safetensors")
        << "spoilt";
    ASSERT_TRUE(waitUntil([&] { return named<QPushButton>(*page_, "verify").text() == text("Verify now"); }));
    named<QPushButton>(*page_, "verify").click();
    ASSERT_TRUE(verified("damage found"));
}

TEST_F(LibraryPageTest, VerifyFollowsNoLink) {
    namespace fs = std::filesystem;
    const fs::path weights = fs::path(storage::artifactFolder(database_.file())) / "a10000000000/step-1/weights.safetensors";
    fs::rename(weights, fs::path(database_.folder()) / "elsewhere");
    fs::create_symlink(fs::path(database_.folder()) / "elsewhere", weights);
    named<QPushButton>(*page_, "verify").click();
    ASSERT_TRUE(waitUntil([&] { return details().lines().value(0).contains(text("damage found")); }))
        << "the bytes behind the link are right, and are not the run's own";
}

TEST_F(LibraryPageTest, RecentDatabasesAreOpenedAndRemovedFromTheList) {
    LibraryDatabase other;
    other.add("d10000000000", "there", "completed", 4000);
    addRecentDatabase(*settings_, text("/nowhere/old.heddle"));
    addRecentDatabase(*settings_, QString::fromStdString(other.file()));
    page_->setShown(true);
    auto& view = named<QListView>(*page_, "databaseList");
    ASSERT_TRUE(waitUntil([&] { return view.model()->rowCount() == 5; }));
    view.setCurrentIndex(view.model()->index(4, 0));
    EXPECT_FALSE(action("openDatabase").isEnabled()) << "it is not there";
    EXPECT_TRUE(action("locateDatabase").isEnabled());
    action("removeDatabase").trigger();
    ASSERT_TRUE(waitUntil([&] { return view.model()->rowCount() == 4; }));
    view.setCurrentIndex(view.model()->index(3, 0));
    EXPECT_FALSE(action("locateDatabase").isEnabled()) << "it is there";
    action("openDatabase").trigger();
    ASSERT_TRUE(waitUntil([&] { return rowOf("d10000000000") == 0 && page_->isSettled(); }));
    EXPECT_EQ(studio_->databases().all().size(), 1U) << "instead of the other";
    EXPECT_EQ(recentDatabases(*settings_).size(), 2);
    ASSERT_TRUE(waitUntil([&] { return view.model()->rowCount() == 4; }));
    view.setCurrentIndex(view.model()->index(3, 0));
    action("removeDatabase").trigger();
    ASSERT_TRUE(waitUntil([&] { return view.model()->rowCount() == 2; }));
    EXPECT_EQ(recentDatabases(*settings_), QStringList{QString::fromStdString(other.file())});
}

class MissingDatabaseTest : public LibraryPageTest {
protected:
    void SetUp() override {
        LibraryPageTest::SetUp();
        addRecentDatabase(*settings_, missing_);
        page_->setShown(true);
        ASSERT_TRUE(waitUntil([&] { return view().model()->rowCount() == 4; }));
    }
    QListView& view() { return *page_->findChild<QListView*>(); }
    void click(QRect (*link)(const QRect&)) {
        const QRect row = view().visualRect(view().model()->index(3, 0));
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, link(row).center());
    }
    const QString missing_ = text("/nowhere/old.heddle");
};

TEST_F(MissingDatabaseTest, RemoveOnTheEntryTakesItOffTheList) {
    click(&DatabaseDelegate::removeRect);
    ASSERT_TRUE(waitUntil([&] { return view().model()->rowCount() == 2; }));
    EXPECT_FALSE(recentDatabases(*settings_).contains(missing_));
}

TEST_F(MissingDatabaseTest, LocateOnTheEntryOpensWhatIsFoundInItsPlace) {
    LibraryDatabase moved;
    moved.add("a10000000000", "base", "completed", 1000);
    click(&DatabaseDelegate::locateRect);
    QFileDialog* dialog = nullptr;
    ASSERT_TRUE(waitUntil([&] { return (dialog = page_->findChild<QFileDialog*>()) != nullptr; }));
    const QString file = QString::fromStdString(moved.file());
    Q_EMIT dialog->fileSelected(file);
    dialog->close();
    EXPECT_TRUE(recentDatabases(*settings_).contains(missing_)) << "until the other one is open";
    ASSERT_TRUE(waitUntil(
        [&] { return studio_->databases().currentFile() == file && !recentDatabases(*settings_).contains(missing_); }));
    EXPECT_TRUE(recentDatabases(*settings_).contains(file));
}

TEST_F(MissingDatabaseTest, WhatCannotBeOpenedReplacesNothing) {
    const QString file = QString::fromStdString(database_.folder()) + text("/no-database.heddle");
    std::ofstream(file.toStdString()) << "loss,step";
    QSignalSpy failed(&studio_->databases(), &Databases::failed);
    click(&DatabaseDelegate::locateRect);
    QFileDialog* dialog = nullptr;
    ASSERT_TRUE(waitUntil([&] { return (dialog = page_->findChild<QFileDialog*>()) != nullptr; }));
    Q_EMIT dialog->fileSelected(file);
    dialog->close();
    ASSERT_TRUE(waitUntil([&] { return !failed.isEmpty(); }));
    EXPECT_TRUE(recentDatabases(*settings_).contains(missing_));
}

TEST_F(LibraryPageTest, AnotherDatabaseBesideIsMadeCurrentAndClosed) {
    LibraryDatabase other;
    other.add("d10000000000", "there", "completed", 4000);
    studio_->openBeside(QString::fromStdString(other.file()));
    auto* list = &named<QListView>(*page_, "databaseList");
    const auto kinds = [&] {
        QList<int> found;
        for (int row = 0; row < list->model()->rowCount(); ++row)
            found << list->model()->index(row, 0).data(DatabaseListModel::KindRole).toInt();
        return found;
    };
    using Kind = DatabaseEntry::Kind;
    ASSERT_TRUE(waitUntil([&] { return kinds() == (QList<int>{int(Kind::Section), int(Kind::Current), int(Kind::Open)}); }));
    EXPECT_EQ(model().rowCount(), 3) << "the first one is shown";
    EXPECT_TRUE(list->model()->index(1, 0).data(DatabaseListModel::NoteRole).toString().startsWith(text("current, 3 runs")));
    choose({"a10000000000"});
    action("delete").trigger();
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 2; }));
    list->setCurrentIndex(list->model()->index(2, 0));
    action("openDatabase").trigger();
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 1 && page_->isSettled(); }));
    EXPECT_EQ(rowOf("d10000000000"), 0);
    EXPECT_FALSE(action("undo").isEnabled()) << "the steps were about the other database";
    ASSERT_TRUE(waitUntil([&] { return kinds().value(2) == int(Kind::Current); }));
    list->setCurrentIndex(list->model()->index(2, 0));
    action("closeDatabase").trigger();
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 2; })) << "the one that is left is current";
    EXPECT_EQ(studio_->databases().currentFile(), QString::fromStdString(database_.file()));
}

TEST_F(LibraryPageTest, VerbsOnFilesAreInTheFileMenuAndVerbsOnRunsInTheRunMenu) {
    EXPECT_TRUE(page_->fileActions().contains(&action("closeDatabase")));
    EXPECT_TRUE(page_->fileActions().contains(&action("verifyDatabase")));
    EXPECT_TRUE(page_->runActions().contains(&action("exportRuns")));
    EXPECT_TRUE(page_->viewActions().isEmpty());
}

TEST_F(LibraryPageTest, WhatTheFormerDatabaseSaysIsNotShownUnderTheNameOfTheNewOne) {
    const auto says = [&](const char* words) { return details().lines().join(QLatin1Char('\n')).contains(text(words)); };
    ASSERT_TRUE(waitUntil([&] { return says("9 points"); }));
    LibraryDatabase other;
    other.add("d10000000000", "there", "completed", 4000);
    studio_->openBeside(QString::fromStdString(other.file()));
    bool isOld = true;
    QObject::connect(&studio_->databases(), &Databases::currentChanged, page_.get(), [&] { isOld = says("9 points"); });
    ASSERT_TRUE(
        waitUntil([&] { return studio_->databases().all().size() == 2 && studio_->databases().all().back()->isOpen(); }));
    studio_->databases().setCurrent(studio_->databases().all().back()->number());
    ASSERT_TRUE(waitUntil([&] { return says("3 points"); }));
    EXPECT_FALSE(isOld);
}

TEST_F(LibraryPageTest, EveryFocusableWidgetHasAName) { EXPECT_EQ(namelessWidgets(*page_), ""); }

/// Pictures to look at: HEDDLE_SHOTS=DIR HEDDLE_DEMO=FILE.heddle … --gtest_also_run_disabled_tests --gtest_filter=*Shots
TEST(LibraryPageShots, DISABLED_Shots) {
    const QString folder = qEnvironmentVariable("HEDDLE_SHOTS", text("."));
    for (const auto appearance : {Appearance::Light, Appearance::Dark}) {
        Theme::instance().setAppearance(appearance);
        QSettings settings(folder + text("/shots.ini"), QSettings::IniFormat);
        settings.clear();
        addRecentDatabase(settings, text("/mnt/lab/runs/sweep-0911.heddle"));
        addRecentDatabase(settings, text("/nowhere/runs.heddle"));
        Studio studio(nullptr, settings);
        LibraryPage page(studio);
        page.resize(1376, 828);
        page.show();
        page.setShown(true);
        studio.open(qEnvironmentVariable("HEDDLE_DEMO"));
        EXPECT_TRUE(waitUntil([&] { return page.findChild<LibraryRuns*>()->model().rowCount() > 0 && page.isSettled(); }));
        named<QPushButton>(page, "verify").click();
        QTest::qWait(1500);
        page.grab().save(folder + (appearance == Appearance::Light ? text("/library-light.png") : text("/library-dark.png")));
    }
    Theme::instance().setAppearance(Appearance::Light);
}

}  // namespace
}  // namespace heddle::ui::test
