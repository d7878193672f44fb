// SPDX-License-Identifier: GPL-3.0-or-later
// What the buttons and keys of Library do, one by one.
#include "tests/ui/library/page_fixture.h"
#include "ui/pages/library/library_actions.h"
#include "ui/pages/library/verify.h"
#include "ui/widgets/segments.h"

#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QFileDialog>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <vector>

namespace heddle::ui::test {
namespace {

class LibraryActionsTest : public LibraryPageTest {
protected:
    /// The file dialog that is open; it is closed by rejected().
    QFileDialog& dialog() { return the<QFileDialog>(*page_); }
    void reject() {
        dialog().reject();
        ASSERT_TRUE(waitUntil([&] { return page_->findChild<QFileDialog*>() == nullptr; }));
    }
    /// Chooses the format in the dialog of exports, and goes on to the file dialog.
    void openExport(const char* format) {
        action("exportRuns").trigger();
        auto& dialog = named<QDialog>(*page_, "exportDialog");
        auto& formats = named<QComboBox>(dialog, "exportFormat");
        formats.setCurrentIndex(formats.findText(text(format)));
        named<QPushButton>(dialog, "exportNext").click();
    }
};

TEST_F(LibraryActionsTest, RunsAreExportedIntoTheFolderThatIsChosen) {
    choose({"a10000000000"});
    openExport("Text files");
    EXPECT_EQ(dialog().fileMode(), QFileDialog::Directory);
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    const QString folder = QString::fromStdString(database_.folder());
    Q_EMIT dialog().fileSelected(folder);
    reject();
    ASSERT_TRUE(waitUntil([&] { return said.size() == 2; })) << "that it began, that it ended";
    EXPECT_EQ(said[1][0].value<MessageStrip::Message>().kind, StripKind::Ok);
    EXPECT_TRUE(QFile::exists(folder + text("/base-a10000000000/run.json")));
}

TEST_F(LibraryActionsTest, RunsAreExportedInTheFormatThatIsChosen) {
    choose({"a10000000000", "c10000000000"});
    openExport("CSV tables");
    EXPECT_EQ(dialog().acceptMode(), QFileDialog::AcceptSave);
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    const QString place = QString::fromStdString(database_.folder()) + text("/tables");
    Q_EMIT dialog().fileSelected(place);
    reject();
    ASSERT_TRUE(waitUntil([&] { return said.size() == 2; }));
    EXPECT_EQ(said[1][0].value<MessageStrip::Message>().kind, StripKind::Ok);
    EXPECT_TRUE(QFile::exists(place + text("/points.csv")) && QFile::exists(place + text("/runs.csv")));
    page_->findChild<LibraryActions*>()->exportTo(place, {app::ExportFormat::JsonLines, {}, {}});
    ASSERT_TRUE(waitUntil([&] { return said.size() == 4; }));
    EXPECT_EQ(said[3][0].value<MessageStrip::Message>().kind, StripKind::Bad) << "nothing is replaced";
    EXPECT_TRUE(said[3][0].value<MessageStrip::Message>().text.contains(text("Nothing was written")));
    EXPECT_TRUE(QFile::exists(place + text("/points.csv")));
}

TEST_F(LibraryActionsTest, AStudyOfOptunaHasTheMetricThatIsChosen) {
    choose({"a10000000000"});
    action("exportRuns").trigger();
    auto& dialog = named<QDialog>(*page_, "exportDialog");
    auto& metric = named<QComboBox>(dialog, "exportMetric");
    EXPECT_FALSE(metric.isVisibleTo(&dialog));
    auto& formats = named<QComboBox>(dialog, "exportFormat");
    formats.setCurrentIndex(formats.findText(text("Optuna study")));
    EXPECT_TRUE(metric.isVisibleTo(&dialog));
    ASSERT_TRUE(waitUntil([&] { return metric.count() > 0; }));
    EXPECT_EQ(metric.currentText(), text("valid:loss"));
    EXPECT_TRUE(named<QPushButton>(dialog, "exportNext").isEnabled());
    dialog.reject();
}

TEST_F(LibraryActionsTest, AnExportIsCancelledByItsMessage) {
    database_.change([](storage::RunStore& into) {  // whichever comes first takes longer than the click on Cancel
        for (const char* run : {"a10000000000", "c10000000000"})
            into.append({run, 1, "lr", "", 1, 1, std::vector<float>(300'000, 0.001F), true});
    });
    choose({"a10000000000", "c10000000000"});
    openExport("Text files");
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    Q_EMIT dialog().fileSelected(QString::fromStdString(database_.folder()));
    ASSERT_EQ(said[0][0].value<MessageStrip::Message>().actions.size(), 1);
    EXPECT_FALSE(action("exportRuns").isEnabled()) << "one at a time";
    said[0][0].value<MessageStrip::Message>().actions.front()->trigger();
    ASSERT_TRUE(waitUntil([&] { return said.size() == 2; }));
    const QString title = said[1][0].value<MessageStrip::Message>().title;
    EXPECT_TRUE(title.contains(text("cancelled"))) << title.toStdString();
    EXPECT_TRUE(action("exportRuns").isEnabled());
}

TEST_F(LibraryActionsTest, TheButtonsBelowTheDatabasesAskForAFile) {
    LibraryDatabase other;
    other.add("d10000000000", "there", "completed", 4000);
    named<QPushButton>(*page_, "newFile").click();
    EXPECT_EQ(dialog().acceptMode(), QFileDialog::AcceptSave);
    EXPECT_EQ(dialog().defaultSuffix(), text("heddle"));
    EXPECT_TRUE(dialog().testOption(QFileDialog::DontConfirmOverwrite)) << "an existing database is opened";
    reject();
    named<QPushButton>(*page_, "openFile").click();
    EXPECT_EQ(dialog().acceptMode(), QFileDialog::AcceptOpen);
    EXPECT_EQ(dialog().fileMode(), QFileDialog::ExistingFile);
    Q_EMIT dialog().fileSelected(QString::fromStdString(other.file()));
    reject();
    EXPECT_TRUE(waitUntil([&] { return model().rowCount() == 1 && rowOf("d10000000000") == 0; }));
}

TEST_F(LibraryActionsTest, TheSlashLeadsIntoTheFilterAndReturnBackToTheRows) {
    page_->activateWindow();
    runs().view().setFocus();
    ASSERT_TRUE(waitUntil([&] { return runs().view().hasFocus(); }));
    QTest::keyClick(&runs().view(), Qt::Key_Slash);
    ASSERT_TRUE(runs().filter().hasFocus());
    EXPECT_TRUE(runs().filter().text().isEmpty()) << "the key is no text";
    QTest::keyClick(&runs().filter(), Qt::Key_Return);
    EXPECT_TRUE(runs().view().hasFocus());
}

TEST_F(LibraryActionsTest, TheButtonsOfTheViewsCountAndChoose) {
    auto& views = the<Segments>(runs());
    EXPECT_EQ(views.button(int(RunView::All)).text(), text("All 3"));
    EXPECT_EQ(views.button(int(RunView::Live)).text(), text("Live 1"));
    views.button(int(RunView::Live)).click();
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 1; }));
    EXPECT_EQ(rowOf("c10000000000"), 0);
    views.button(int(RunView::Deleted)).click();
    EXPECT_TRUE(waitUntil([&] { return model().rowCount() == 0; }));
    views.button(int(RunView::All)).click();
    EXPECT_TRUE(waitUntil([&] { return model().rowCount() == 3; }));
}

TEST_F(LibraryActionsTest, ACheckThatIsStoppedSaysNothing) {
    const TaskControl stopped;
    stopped.cancel();
    EXPECT_FALSE(verify(QString::fromStdString(database_.file()), stopped).has_value());
    const TaskControl whole;
    ASSERT_TRUE(verify(QString::fromStdString(database_.file()), whole).has_value());
    EXPECT_GT(whole.all(), 0);
    EXPECT_EQ(whole.done(), whole.all());
    auto& button = named<QPushButton>(*page_, "verify");
    const QString words = button.text();
    button.click();
    EXPECT_NE(button.text(), words) << "it stops the check now";
    EXPECT_FALSE(action("verifyDatabase").isEnabled());
    button.click();
    EXPECT_TRUE(waitUntil([&] { return button.text() == words && action("verifyDatabase").isEnabled(); }));
}

}  // namespace
}  // namespace heddle::ui::test
