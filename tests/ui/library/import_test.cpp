// SPDX-License-Identifier: GPL-3.0-or-later
// Library imports what other programs recorded: the file, what is understood of it, the runs in the table.
#include "engine/spec/foreign_spec.h"
#include "tests/ui/library/page_fixture.h"
#include "ui/pages/library/import_dialog.h"
#include "ui/pages/library/run_import.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDirIterator>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

#include <fstream>
#include <future>

namespace heddle::ui::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

const char* const kTable =
    "name,optimizer,seed,iteration,val_wer,train_loss,lr\n"
    "a,soap,1,0,9,4,0.1\na,soap,1,10,8,3,0.1\n"
    "b,soap,2,0,9.5,4,0.1\nb,soap,2,10,8.5,3,0.1\n"
    "c,muon,1,0,9,4,0.1\nc,muon,1,10,7,3,0.1\n";

class ImportTest : public LibraryPageTest {
protected:
    void SetUp() override {
        LibraryPageTest::SetUp();
        studio_->services().changerOf = [this](const QString& file) {
            EXPECT_EQ(file.toStdString(), database_.file());
            return [this](const EngineServices::Change& change) { database_.change(change); };
        };
    }
    QString write(const char* name, const std::string& words) const {
        const std::string path = database_.folder() + "/" + name;
        std::ofstream(path, std::ios::binary) << words;
        return QString::fromStdString(path);
    }
    ImportDialog* shown() const {
        for (auto* dialog : page_->findChildren<ImportDialog*>())
            if (dialog->isVisible()) return dialog;
        return nullptr;
    }
    ImportDialog& dialog() const {
        if (ImportDialog* found = shown()) return *found;
        throw std::runtime_error("no dialog is open");
    }
    void import(const QString& file) {
        studio_->importRuns({file});
        ASSERT_NE(shown(), nullptr);
        ASSERT_TRUE(waitUntil([&] { return store().isEnabled() || problem().isVisible(); }));
    }
    QPushButton& store() { return named<QPushButton>(dialog(), "importStore"); }
    MessageStrip& problem() { return named<MessageStrip>(dialog(), "importProblem"); }
    std::string problemWords() { return (problem().title() + problem().accessibleDescription()).toStdString(); }
    QTreeWidget& columns() { return named<QTreeWidget>(dialog(), "importColumns"); }
    QTreeWidget& preview() { return named<QTreeWidget>(dialog(), "importRuns"); }
    QTreeWidgetItem* column(const char* name) {
        const auto found = columns().findItems(text(name), Qt::MatchExactly);
        return found.isEmpty() ? nullptr : found.front();
    }
    std::string roleOf(const char* name) { return column(name)->text(1).toStdString(); }
    void take(const char* name, ColumnUse use) {
        columns().setCurrentItem(column(name));
        auto& box = named<QComboBox>(dialog(), "importUse");
        box.setCurrentIndex(int(use));
        Q_EMIT box.activated(int(use));
    }
    bool becomes(const char* name, const char* role) {
        return waitUntil([&] { return store().isEnabled() && roleOf(name) == role; });
    }
    std::vector<std::string> newRuns() const {
        std::vector<std::string> ids;
        for (const auto& run : storage::RunQuery::open(database_.file())->runs())
            if (run.tags == std::vector<std::string>{storage::kForeignTag}) ids.push_back(run.id);
        return ids;
    }
};

TEST_F(ImportTest, ShowsWhatIsUnderstoodTakesOtherRolesAndStoresWhatItShows) {
    import(write("wer.csv", kTable));
    EXPECT_THAT(problemWords(), HasSubstr("no step")) << "no column has a usual name of steps";
    EXPECT_THAT(problemWords(), HasSubstr("take it for “step” above")) << "no option of a command line";
    EXPECT_FALSE(store().isEnabled());
    take("iteration", ColumnUse::Step);
    ASSERT_TRUE(becomes("iteration", "step"));
    EXPECT_FALSE(problem().isVisible());
    EXPECT_EQ(roleOf("seed"), "seed");
    EXPECT_EQ(roleOf("optimizer"), "setting");
    EXPECT_EQ(roleOf("train_loss"), "curve loss");
    EXPECT_EQ(roleOf("val_wer"), "curve val_wer") << "a metric that Heddle does not know";
    take("val_wer", ColumnUse::Valid);
    ASSERT_TRUE(becomes("val_wer", "valid val_wer"));
    auto& metric = named<QLineEdit>(dialog(), "importMetric");
    metric.setText(text("wer"));
    Q_EMIT metric.textEdited(text("wer"));
    ASSERT_TRUE(becomes("val_wer", "valid wer"));
    take("optimizer", ColumnUse::Group);
    ASSERT_TRUE(becomes("optimizer", "group"));
    take("lr", ColumnUse::LeftOut);
    ASSERT_TRUE(becomes("lr", "left out"));
    ASSERT_EQ(preview().topLevelItemCount(), 2);
    EXPECT_EQ(preview().topLevelItem(0)->text(0), text("soap: 2 runs"));
    EXPECT_EQ(preview().topLevelItem(0)->text(1), text("2 seeds"));
    EXPECT_EQ(preview().topLevelItem(0)->child(1)->text(0), text("b"));
    EXPECT_EQ(preview().topLevelItem(0)->child(1)->text(2), text("10"));
    EXPECT_EQ(store().text(), text("Import 3 runs into runs.heddle"));
    EXPECT_TRUE(newRuns().empty()) << "nothing is stored before the button";

    QSignalSpy messages(studio_.get(), &Studio::messageRequested);
    store().click();
    ASSERT_TRUE(waitUntil([&] { return !shown(); }));
    const auto ids = newRuns();
    ASSERT_EQ(ids.size(), 3U);
    EXPECT_EQ(messages.last().first().value<MessageStrip::Message>().title, text("Imported 3 runs into runs.heddle"));
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 6 && runs().selected().size() == 3; }));
    for (const auto& id : runs().selected()) EXPECT_THAT(ids, Contains(id));
    const auto query = storage::RunQuery::open(database_.file());
    for (const auto& id : ids) {
        const auto spec = foreignSpec(query->run(id)->spec);
        ASSERT_TRUE(spec);
        EXPECT_EQ(spec->group, spec->name == "c" ? "muon" : "soap");
        EXPECT_FALSE(spec->config.contains("lr"));
        const auto values = query->evaluations(id);
        ASSERT_EQ(values.size(), 2U);
        EXPECT_EQ(values[1].metric, "wer");
        EXPECT_EQ(values[1].step, 10);
    }
}

TEST_F(ImportTest, RefusesAFileThatItCannotReadWithLineAndColumn) {
    import(write("bad.csv", "run,step,val_loss\na,1,3\na,2,high\n"));
    EXPECT_THAT(problemWords(), HasSubstr("line 3, column val_loss"));
    EXPECT_FALSE(store().isEnabled());
    take("val_loss", ColumnUse::LeftOut);
    EXPECT_TRUE(becomes("val_loss", "left out")) << "the way out that the message names";
    named<QPushButton>(dialog(), "importCancel").click();
    ASSERT_TRUE(waitUntil([&] { return !shown(); }));
    import(write("none.csv", ""));
    EXPECT_THAT(problemWords(), HasSubstr("is empty"));
    EXPECT_FALSE(store().isEnabled());
    EXPECT_TRUE(newRuns().empty());
}

TEST_F(ImportTest, RefusesPairsWithoutSeedsAndTakesTheGroupOfAll) {
    import(write("t.csv", "run,step,val_loss\na,1,3\nb,1,4\n"));
    auto& paired = named<QCheckBox>(dialog(), "importPaired");
    paired.setChecked(true);
    ASSERT_TRUE(waitUntil([&] { return problem().isVisible(); }));
    EXPECT_THAT(problemWords(), HasSubstr("run a has no seed"));
    EXPECT_THAT(problemWords(), testing::Not(HasSubstr("--")));
    EXPECT_FALSE(store().isEnabled());
    paired.setChecked(false);
    auto& group = named<QLineEdit>(dialog(), "importGroup");
    group.setText(text("soap"));
    Q_EMIT group.textEdited(text("soap"));
    ASSERT_TRUE(waitUntil([&] {
        return store().isEnabled() && preview().topLevelItemCount() == 1 &&
               preview().topLevelItem(0)->text(0) == text("soap: 2 runs");
    }));
}

TEST_F(ImportTest, LowerStepsBeginAnotherRunWhereTheUserSaysSo) {
    import(write("seeds.csv", "step,val_loss\n1,3\n2,2\n1,4\n2,3\n"));
    EXPECT_THAT(problemWords(), HasSubstr("Lower steps begin another run")) << "the way out";
    EXPECT_FALSE(store().isEnabled());
    named<QCheckBox>(dialog(), "importRestarts").setChecked(true);
    EXPECT_TRUE(waitUntil([&] { return store().isEnabled() && store().text() == text("Import 2 runs into runs.heddle"); }))
        << store().text().toStdString();
    EXPECT_FALSE(problem().isVisible());
}

TEST_F(ImportTest, ReadsAFolderOfTensorBoard) {
    const std::string board = HEDDLE_SOURCE_DIR "/tests/unit/app/foreign/cases/board";
    import(QString::fromStdString(board));
    ASSERT_TRUE(store().isEnabled()) << problemWords();
    EXPECT_THAT(named<QLabel>(dialog(), "importNotes").text().toStdString(), HasSubstr("note/text_summary"));
    store().click();
    ASSERT_TRUE(waitUntil([&] { return !shown(); }));
    std::vector<std::string> names;
    for (const auto& id : newRuns()) names.push_back(database_.run(id)->name);
    EXPECT_THAT(names, Contains("simple"));
    import(QString::fromStdString(board));
    store().click();
    ASSERT_TRUE(waitUntil([&] { return problem().isVisible(); })) << "it is there already";
    EXPECT_THAT(problemWords(), HasSubstr("already imported"));
    EXPECT_EQ(newRuns().size(), names.size());
}

TEST_F(ImportTest, ADatabaseOfHeddleIsToBeOpened) {
    import(QString::fromStdString(database_.file()));
    EXPECT_THAT(problemWords(), HasSubstr("is a run database of Heddle"));
    EXPECT_THAT(problemWords(), HasSubstr("open it beside"));
}

TEST_F(ImportTest, AFailureOfTheDatabaseStaysInTheDialog) {
    studio_->services().changerOf = [](const QString&) {
        return [](const EngineServices::Change&) {
            throw storage::StorageError(storage::StorageError::Kind::Locked, "the database is in use by heddle train", "r",
                                        "wait for it to end");
        };
    };
    import(write("t.csv", "run,step,val_loss\na,1,3\n"));
    store().click();
    ASSERT_TRUE(waitUntil([&] { return problem().isVisible(); }));
    EXPECT_THAT(problemWords(), HasSubstr("in use by heddle train"));
    EXPECT_TRUE(store().isEnabled()) << "to be tried again";
    EXPECT_TRUE(newRuns().empty());
}

TEST_F(ImportTest, TheMetricDoesNotDependOnTheWayToTheChoice) {
    import(write("t.csv", "run,step,eval_loss,steps_per_s\na,1,3,7\nb,1,4,8\n"));
    auto& metric = named<QLineEdit>(dialog(), "importMetric");
    for (const ColumnUse before : {ColumnUse::Found, ColumnUse::Run, ColumnUse::Seed, ColumnUse::LeftOut}) {
        take("eval_loss", before);  // and at once, before an answer
        take("eval_loss", ColumnUse::Valid);
        EXPECT_EQ(metric.text(), text("loss")) << int(before);
        take("steps_per_s", before);
        take("steps_per_s", ColumnUse::Valid);
        EXPECT_EQ(metric.text(), text("steps_per_s")) << int(before);
    }
    EXPECT_TRUE(becomes("eval_loss", "valid loss"));
}

TEST_F(ImportTest, NamesWithEqualsSignsAreColumnsAndMetricsToo) {
    import(write("t.csv", "run,step,a=b:c\na,1,3\na,2,4\n"));
    take("a=b:c", ColumnUse::Valid);
    EXPECT_TRUE(becomes("a=b:c", "valid a=b:c")) << problemWords();
    auto& metric = named<QLineEdit>(dialog(), "importMetric");
    metric.setText(text("p=q:r"));
    Q_EMIT metric.textEdited(metric.text());
    EXPECT_FALSE(store().isEnabled()) << "nothing can be imported until it is understood";
    EXPECT_TRUE(becomes("a=b:c", "valid p=q:r")) << problemWords();
}

TEST_F(ImportTest, WhileRunsAreStoredNothingElseCanBeDone) {
    std::promise<void> goOn;
    const auto isAllowed = goOn.get_future().share();
    studio_->services().changerOf = [this, isAllowed](const QString&) {
        return [this, isAllowed](const EngineServices::Change& change) {
            isAllowed.wait();
            database_.change(change);
        };
    };
    import(write("t.csv", "run,step,val_loss\na,1,3\n"));
    store().click();
    EXPECT_EQ(store().text(), text("Importing…"));
    dialog().reject();
    dialog().close();
    EXPECT_NE(shown(), nullptr) << "it cannot be called back";
    EXPECT_FALSE(store().isEnabled() || columns().isEnabled() || named<QPushButton>(dialog(), "importCancel").isEnabled() ||
                 named<QCheckBox>(dialog(), "importPaired").isEnabled());
    goOn.set_value();
    ASSERT_TRUE(waitUntil([&] { return !shown(); }));
    EXPECT_EQ(newRuns().size(), 1U);
}

TEST_F(ImportTest, NothingIsImportedIntoADatabaseThatWasClosed) {
    import(write("t.csv", "run,step,val_loss\na,1,3\n"));
    ASSERT_TRUE(store().isEnabled());
    const QPointer<ImportDialog> open(&dialog());
    studio_->databases().closeAll();
    ASSERT_NE(open.data(), nullptr);
    const auto& button = named<QPushButton>(*open, "importStore");
    EXPECT_FALSE(button.isEnabled());
    EXPECT_EQ(button.text(), text("Import"));
}

TEST_F(ImportTest, AFolderThatWasDroppedHasItsName) {
    import(text(HEDDLE_SOURCE_DIR "/tests/unit/app/foreign/cases/board/"));
    EXPECT_THAT(named<QLabel>(dialog(), "importSource").text().toStdString(), testing::StartsWith("board: "));
}

TEST_F(ImportTest, AMessageOfRunsThatAreThereAlreadyNamesTheTrash) {
    const QString file = write("t.csv", "run,step,val_loss\na,1,3\nb,1,4\n");
    import(file);
    store().click();
    ASSERT_TRUE(waitUntil([&] { return !shown(); }));
    database_.change([&](storage::RunStore& into) {
        auto run = *storage::RunQuery::open(database_.file())->run(newRuns()[0]);
        run.trashed = 1.7e9;
        into.updateRun(run);
    });
    import(file);
    store().click();
    ASSERT_TRUE(waitUntil([&] { return problem().isVisible(); }));
    EXPECT_THAT(problemWords(), HasSubstr("2 of its runs are in the database, 1 of them in its trash"));
    EXPECT_THAT(problemWords(), HasSubstr("delete them permanently on Library"));
    EXPECT_THAT(problemWords(), testing::Not(HasSubstr("heddle runs")));
}

/// The literals of app/foreign with an option of the command line, adjacent ones joined.
QStringList wordsWithOptions() {
    static const QRegularExpression literals(text(R"re((?:"(?:[^"\\\n]|\\.)*"\s*)+)re")), seam(text(R"re("\s*")re"));
    QStringList found;
    QDirIterator files(text(HEDDLE_SOURCE_DIR "/app/foreign"), {text("*.cpp")}, QDir::Files);
    while (files.hasNext()) {
        QFile file(files.next());
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        auto matches = literals.globalMatch(QString::fromUtf8(file.readAll()));
        while (matches.hasNext()) {
            const QString words = matches.next().captured().trimmed().replace(seam, QString());
            const bool isOption = !words.contains(QLatin1Char(' '));  // the place of an option that names no column
            if ((words.contains(text("--")) && !isOption) || words.contains(text("heddle "))) found << words;
        }
    }
    return found;
}

TEST(InDialogWords, NameNoOptionOfTheCommandLine) {
    const QStringList all = wordsWithOptions();
    ASSERT_GE(all.size(), 12);
    for (const QString& words : all) {
        const std::string told = inDialogWords(words).toStdString();
        EXPECT_NE(told, words.toStdString());
        for (const char* wrong : {"--", "COLUMN", "heddle ", "with take", "one take"})
            EXPECT_THAT(told, testing::Not(HasSubstr(wrong)));
    }
    EXPECT_EQ(inDialogWords(text("correct it, or ignore the column with --ignore a b\nc")),
              text("correct it, or ignore the column: take it for “left out” above"));
    const QString file = text("/data/exp--paired.csv, line 3");
    EXPECT_EQ(inDialogWords(Problem{text("is empty"), file, {}, {}}).where, file) << "a name of a file is no option";
}

TEST_F(ImportTest, AsksForAFileOrAFolderAndShowsSeveralOneAfterTheOther) {
    const auto chooses = [&](const char* verb, QFileDialog::FileMode mode) {
        action(verb).trigger();
        auto* files = page_->findChild<QFileDialog*>();
        ASSERT_NE(files, nullptr) << verb;
        EXPECT_EQ(files->fileMode(), mode);
        files->reject();
        ASSERT_TRUE(waitUntil([&] { return page_->findChild<QFileDialog*>() == nullptr; }));
    };
    chooses("importRuns", QFileDialog::ExistingFiles);
    chooses("importFolder", QFileDialog::Directory);
    EXPECT_TRUE(page_->fileActions().contains(&action("importRuns"))) << "in the menu and the palette";
    studio_->importRuns({write("one.csv", "run,step,val_loss\na,1,3\n"), write("two.csv", "run,step,val_loss\nb,1,4\n")});
    EXPECT_THAT(named<QLabel>(dialog(), "importSource").text().toStdString(), HasSubstr("one.csv"));
    dialog().reject();
    ASSERT_TRUE(waitUntil([&] { return shown() && named<QLabel>(dialog(), "importSource").text().contains(text("two.csv")); }));
    EXPECT_EQ(namelessWidgets(dialog()), "");
    dialog().reject();
    EXPECT_TRUE(waitUntil([&] { return !shown(); }));
}

/// Pictures to look at: HEDDLE_SHOTS=DIR … --gtest_also_run_disabled_tests --gtest_filter=*Shots
TEST_F(ImportTest, DISABLED_Shots) {
    const QString folder = qEnvironmentVariable("HEDDLE_SHOTS", text("."));
    import(write("wer.csv", kTable));
    dialog().grab().save(folder + text("/import-problem.png"));
    take("iteration", ColumnUse::Step);
    ASSERT_TRUE(becomes("iteration", "step"));
    take("optimizer", ColumnUse::Group);
    ASSERT_TRUE(waitUntil([&] { return store().isEnabled(); }));
    dialog().grab().save(folder + text("/import.png"));
}

}  // namespace
}  // namespace heddle::ui::test
