// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of runs and the list of databases: what is in which view, order, editing; models under the tester. Words, sizes.
#include "tests/ui/compare/facts.h"
#include "tests/ui/library/page_fixture.h"
#include "tests/ui/support/bare_studio.h"
#include "ui/pages/library/database_list.h"
#include "ui/panels/table/filter_line.h"
#include "ui/text/units.h"
#include "ui/widgets/column_fit.h"
#include "ui/widgets/mark_delegate.h"

#include <gmock/gmock.h>
#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QHeaderView>
#include <QMenu>
#include <QPersistentModelIndex>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStyledItemDelegate>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

namespace heddle::ui::test {
namespace {

using testing::ElementsAre;
using K = Column::Kind;

enum Place { kState, kName, kSteps, kLoss, kAccuracy, kBleu, kCreated, kTags };

RunPointer run(const char* id, const char* name, const char* state, double created) {
    RunPointer facts = factsOf({id, name, "5098a7b986a9", state, 4});
    change(facts, [&](RunFacts& each) { each.record.created = created; });
    return facts;
}

RunTable someRuns() {
    RunTable table;
    table.runs = {run("a", "base", "completed", 1), run("b", "Full", "running", 2), run("c", "base", "failed", 3)};
    table.deleted = {run("d", "old", "completed", 4)};
    change(table.runs[0], [](RunFacts& facts) {
        facts.record.tags = {"paper", "table 3"};
        facts.searchText += text("\npaper");
        facts.record.step = 9;
    });
    change(table.runs[1], [](RunFacts& facts) { facts.record.step = 10; });
    change(table.deleted[0], [](RunFacts& facts) { facts.record.trashed = 1000; });
    return table;
}

ArrangeOptions managing(RunView view = RunView::All, const char* filter = "", int sorted = kCreated,
                        Qt::SortOrder order = Qt::DescendingOrder) {
    ArrangeOptions options;
    options.columns = {
        {K::State, ""},         {K::Run, ""},     {K::Steps, ""}, {K::Best, "valid.loss"}, {K::Best, "valid.accuracy"},
        {K::Best, "test.bleu"}, {K::Created, ""}, {K::Tags, ""}};
    options.filter = text(filter);
    options.grouping = Grouping::None;
    options.sortColumn = sorted;
    options.order = order;
    options.use = TableUse::Manage;
    options.view = view;
    return options;
}

std::vector<std::string> listed(const ArrangeOptions& options, const RunTable& table = someRuns()) {
    std::vector<std::string> ids;
    for (const auto& group : arrange(table, options).groups) ids.push_back(group.rows.front().run->record.id);
    return ids;
}

TEST(ManagedRuns, ViewsSeparateLiveAttentionAndDeleted) {
    EXPECT_THAT(listed(managing()), ElementsAre("c", "b", "a")) << "newest first, the deleted one is elsewhere";
    EXPECT_THAT(listed(managing(RunView::Live)), ElementsAre("b"));
    EXPECT_THAT(listed(managing(RunView::Attention)), ElementsAre("c"));
    EXPECT_THAT(listed(managing(RunView::Deleted)), ElementsAre("d"));
}

TEST(ManagedRuns, EachMetricHasItsColumn) {
    RunTable table = someRuns();
    change(table.runs[0], [](RunFacts& facts) { facts.metrics["valid.accuracy"] = {0.4567, 0.4, 30, 40, 200, "sig"}; });
    change(table.runs[1], [](RunFacts& facts) {
        facts.metrics["valid.loss"].best = 1;
        facts.metrics["test.bleu"] = {31.25, 30, 30, 40, 200, "sig"};
    });
    change(table.runs[2], [](RunFacts& facts) { facts.metrics.clear(); });
    EXPECT_THAT(listed(managing(RunView::All, "", kLoss), table), ElementsAre("a", "b", "c")) << "no value is last either way";
    BareStudio bare;
    RunTableModel model(bare.studio);
    model.setArrangement(std::make_shared<const Arrangement>(arrange(table, managing(RunView::All, "", kLoss))));
    const auto cell = [&](int line, int column) { return model.index(line, column).data().toString(); };
    EXPECT_EQ(cell(0, kLoss), text("2.000"));
    EXPECT_EQ(cell(0, kAccuracy), text("45.7")) << "as many digits as the table of metrics says";
    EXPECT_EQ(model.headerData(kAccuracy, Qt::Horizontal, Qt::DisplayRole).toString(), text("Valid accuracy, %"));
    EXPECT_EQ(cell(0, kBleu), text("–"));
    EXPECT_EQ(cell(1, kBleu), text("31.25"));
    EXPECT_EQ(cell(2, kAccuracy), text("–"));
    EXPECT_TRUE(model.index(0, kLoss).data(Qt::ToolTipRole).toString().contains(text("best, at step 100")));
}

TEST(ManagedRuns, EveryWordOfTheFilterMustFit) {
    EXPECT_THAT(listed(managing(RunView::All, "BASE paper")), ElementsAre("a"));
    EXPECT_THAT(listed(managing(RunView::All, "state:run")), ElementsAre("b"));
    EXPECT_TRUE(listed(managing(RunView::All, "base nothing")).empty());
}

TEST(ManagedRuns, AreSortedByValueNotByText) {
    EXPECT_THAT(listed(managing(RunView::All, "", kSteps)), ElementsAre("c", "b", "a"));
    EXPECT_THAT(listed(managing(RunView::All, "", kName, Qt::AscendingOrder)), ElementsAre("a", "c", "b"));
}

class ManagedModelTest : public ::testing::Test {
protected:
    void show(RunView view) {
        model_.setArrangement(
            std::make_shared<const Arrangement>(arrange(someRuns(), managing(view, "", kCreated, Qt::AscendingOrder))));
    }
    BareStudio bare_;
    RunTableModel model_{bare_.studio};
    QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(ManagedModelTest, ShowsStatesNamesAndTags) {
    show(RunView::All);
    EXPECT_EQ(model_.index(1, kState).data(kMarkRole).toInt(), int(Mark::Running));
    EXPECT_EQ(model_.index(1, kState).data().toString(), text("Running"));
    EXPECT_EQ(model_.index(1, kName).data().toString(), text("Full")) << "the seed has its own column";
    EXPECT_EQ(model_.index(0, kTags).data().toString(), text("paper, table 3"));
    EXPECT_FALSE(model_.index(0, kName).data(Qt::CheckStateRole).isValid()) << "there is nothing to tick";
}

TEST_F(ManagedModelTest, EditingAsksAndLeavesTheAnswerToTheDatabase) {
    show(RunView::All);
    QSignalSpy renamed(&model_, &RunTableModel::renamed), tagged(&model_, &RunTableModel::tagged);
    model_.setData(model_.index(0, kName), text("  new name "), Qt::EditRole);
    ASSERT_EQ(renamed.size(), 1);
    EXPECT_EQ(renamed[0][1].toString(), text("new name"));
    EXPECT_EQ(model_.index(0, kName).data().toString(), text("base")) << "until the database says so";
    model_.setData(model_.index(0, kName), text("base"), Qt::EditRole);
    model_.setData(model_.index(0, kName), text("  "), Qt::EditRole);
    EXPECT_EQ(renamed.size(), 1);
    model_.setData(model_.index(1, kTags), text("x, y ,, x"), Qt::EditRole);
    ASSERT_EQ(tagged.size(), 1);
    EXPECT_EQ(tagged[0][1].toStringList(), (QStringList{text("x"), text("y")}));
    EXPECT_FALSE(model_.setData(model_.index(1, kSteps), text("7"), Qt::EditRole));
    show(RunView::Deleted);
    EXPECT_FALSE(model_.index(0, kName).flags() & Qt::ItemIsEditable) << "a deleted run";
}

TEST_F(LibraryPageTest, TheFilterSpeaksTheLanguageOfCompare) {
    runs().filter().setText(text("state:running dims.d=64 valid.loss<3"));
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 1; }));
    EXPECT_EQ(cell("c10000000000", RunColumn::Name), text("live"));
    runs().filter().setText(text("stat:running"));
    ASSERT_TRUE(waitUntil([&] { return runs().filterError().has_value(); }));
    EXPECT_EQ(model().rowCount(), 1) << "the rows of the last correct filter stay";
    EXPECT_EQ(runs().filterError()->suggestion, text("state:running"));
}

TEST_F(LibraryPageTest, WithAWrongFilterTheTrashListsNoRunThatIsKept) {
    runs().filter().setText(text("nme:x"));
    runs().setView(RunView::Deleted);
    EXPECT_EQ(model().rowCount(), 0);
    EXPECT_FALSE(action("deletePermanently").isEnabled());
    runs().setView(RunView::Live);
    EXPECT_EQ(model().rowCount(), 1);
    EXPECT_EQ(rowOf("c10000000000"), 0);
}

TEST_F(LibraryPageTest, RowsOfTheFormerDatabaseGoWhateverTheFilterSays) {
    runs().filter().setText(text("valid.loss<3"));
    ASSERT_EQ(model().rowCount(), 3);
    LibraryDatabase empty;
    studio_->open(QString::fromStdString(empty.file()));
    ASSERT_TRUE(waitUntil(
        [&] { return studio_->databases().currentFile() == QString::fromStdString(empty.file()) && page_->isSettled(); }));
    EXPECT_EQ(model().rowCount(), 0);
}

TEST_F(LibraryPageTest, TheDefaultColumnsNeedNoScrollBar) {
    database_.add("e10000000000", "a much longer name than those of the other runs", "completed", 5000);
    ASSERT_TRUE(waitUntil([&] { return rowOf("e10000000000") >= 0 && page_->isSettled(); }));
    page_->resize(1440 - 64, 800);  // beside the rail
    auto& view = runs().view();
    ASSERT_TRUE(waitUntil([&] { return view.viewport()->width() >= view.header()->length(); }))
        << view.header()->length() << " of " << view.viewport()->width();
    EXPECT_FALSE(view.horizontalScrollBar()->isVisible());
    EXPECT_TRUE(view.isColumnHidden(int(RunColumn::Size)));
    EXPECT_NE(view.isColumnHidden(int(RunColumn::Bleu)), view.isColumnHidden(int(RunColumn::Accuracy))) << "one of the two";
}

TEST_F(LibraryPageTest, TheMenuOfTheHeaderShowsAndHidesColumns) {
    auto& view = runs().view();
    Q_EMIT view.header()->customContextMenuRequested({5, 5});
    auto& menu = named<QMenu>(runs(), "columnMenu");
    menu.actions().at(int(RunColumn::Size))->trigger();
    EXPECT_FALSE(view.isColumnHidden(int(RunColumn::Size)));
    EXPECT_FALSE(menu.actions().at(int(RunColumn::Name))->isEnabled()) << "a row needs a name";
    EXPECT_TRUE(runs().columns().dragged().isEmpty()) << "hiding is no width that the user has set";
    page_->saveSession(*settings_);
    LibraryPage again(*studio_);
    again.restoreSession(*settings_);
    auto& other = again.findChild<LibraryRuns*>()->view();
    EXPECT_FALSE(other.isColumnHidden(int(RunColumn::Size)));
    EXPECT_TRUE(other.isColumnHidden(int(RunColumn::Variant)));
}

TEST_F(LibraryPageTest, TheMenuOfTheHeaderOffersColumnsOfTags) {
    const int own = model().columnCount();
    model().setData(model().index(rowOf("a10000000000"), int(RunColumn::Tags)), QStringList{text("lr=0.01"), text("a&b")},
                    Qt::EditRole);
    ASSERT_TRUE(waitUntil([&] { return tagKeys(*runs().table()).contains("lr"); }));
    Q_EMIT runs().view().header()->customContextMenuRequested({5, 5});
    auto& menu = named<QMenu>(runs(), "columnMenu");
    const auto offered = menu.actions().mid(own);
    ASSERT_EQ(offered.size(), 3);
    EXPECT_TRUE(offered[0]->isSeparator());
    EXPECT_EQ(offered[1]->text(), text("a&&b"));
    EXPECT_EQ(offered[2]->text(), text("lr"));
    offered[2]->trigger();
    ASSERT_EQ(model().columnCount(), own + 1);
    EXPECT_EQ(model().headerData(own, Qt::Horizontal, Qt::DisplayRole).toString(), text("lr"));
    EXPECT_EQ(model().index(rowOf("a10000000000"), own).data().toString(), text("0.01"));
    EXPECT_EQ(model().index(rowOf("b10000000000"), own).data().toString(), QString());
    EXPECT_TRUE(runs().view().isColumnHidden(int(RunColumn::Size))) << "what was hidden stays so";
    runs().setSort(own, Qt::AscendingOrder);
    EXPECT_EQ(rowOf("a10000000000"), 0) << "a value stands before none";
    page_->saveSession(*settings_);
    LibraryPage again(*studio_);
    again.restoreSession(*settings_);
    auto& other = *again.findChild<LibraryRuns*>();
    EXPECT_EQ(other.options().columns, runs().options().columns);
    EXPECT_TRUE(other.view().isColumnHidden(int(RunColumn::Size)));
    EXPECT_FALSE(other.view().isColumnHidden(own));
    offered[2]->trigger();
    EXPECT_EQ(model().columnCount(), own);
    EXPECT_EQ(runs().options().sortColumn, 0) << "the column that it was sorted by is gone";
    menu.close();
}

TEST_F(LibraryPageTest, TheDefaultColumnsAreMeasuredNoMoreOftenThanChosenOnes) {
    struct Counting : QStyledItemDelegate {
        using QStyledItemDelegate::QStyledItemDelegate;
        QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
            ++measured;
            return QStyledItemDelegate::sizeHint(option, index);
        }
        mutable int measured = 0;
    };
    auto& view = runs().view();
    auto* counting = new Counting(&view);
    view.setItemDelegateForColumn(int(RunColumn::Name), counting);
    const auto measuredByArranging = [&] {
        QCoreApplication::processEvents();
        const int before = counting->measured;
        for (const RunView one : {RunView::Live, RunView::All}) runs().setView(one);
        QCoreApplication::processEvents();
        return counting->measured - before;
    };
    measuredByArranging();
    const int ofDefaults = measuredByArranging();
    EXPECT_GT(ofDefaults, 0);
    Q_EMIT view.header()->customContextMenuRequested({5, 5});
    auto& menu = named<QMenu>(runs(), "columnMenu");
    for (int click = 0; click < 2; ++click) menu.actions().at(int(RunColumn::Size))->trigger();  // the same columns, chosen
    menu.close();
    EXPECT_EQ(measuredByArranging(), ofDefaults);
}

TEST_F(LibraryPageTest, WidthsOfOlderVersionsAreThoseOfTheirColumns) {
    settings_->setValue(text("library/dragged"), QVariantMap{{text("11"), 77}, {text("seed"), 99}});
    page_->restoreSession(*settings_);
    EXPECT_EQ(runs().view().columnWidth(int(RunColumn::Tags)), 77);
    EXPECT_EQ(runs().view().columnWidth(int(RunColumn::Seed)), 99);
}

TEST_F(LibraryPageTest, RunsThatAreChosenAreShownUnlessTheUserChoosesOthersBefore) {
    runs().filter().setText(text("base"));
    ASSERT_EQ(model().rowCount(), 1);
    runs().choose({refOf("b10000000000")});
    EXPECT_EQ(model().rowCount(), 3) << "the filter hid it";
    EXPECT_EQ(runs().selected(), std::vector<std::string>{"b10000000000"});

    runs().choose({refOf("d10000000000")});  // is not there yet
    QTreeView& view = runs().view();
    const QRect row = view.visualRect(model().indexOf(refOf("a10000000000")).siblingAtColumn(int(RunColumn::Name)));
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, row.center());
    ASSERT_EQ(runs().selected(), std::vector<std::string>{"a10000000000"});
    database_.add("d10000000000", "late", "completed", 4000);
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 4; }));
    EXPECT_EQ(runs().selected(), std::vector<std::string>{"a10000000000"});
}

TEST_F(LibraryPageTest, IsNotSettledWhileTheChosenRunIsRead) {
    choose({"b10000000000"});
    EXPECT_FALSE(page_->isSettled());
    EXPECT_TRUE(waitUntil([&] { return page_->isSettled() && details().lines().contains(text("Run b10000000000")); }));
}

TEST_F(LibraryPageTest, AnAverageIsListedByItsKindWhichHasItsSteps) {
    storage::CheckpointRecord average;
    average.run = "b10000000000";
    average.step = 900;
    average.kind = "average-800-850-900";
    average.folder = storage::checkpointFolder(average.run, average.step, average.kind);
    database_.add(average);
    choose({"b10000000000"});
    EXPECT_TRUE(waitUntil([&] { return details().lines().contains(text("Checkpoints last 1, average-800-850-900")); }))
        << details().lines().join(QLatin1Char('\n')).toStdString();
}

TEST_F(LibraryPageTest, WhyARunCannotBeShownIsToldOnce) {
    constexpr std::size_t kLongerThanAnyThatIsRead = std::size_t{17} << 20;
    choose({"a10000000000"});
    ASSERT_TRUE(waitUntil([&] { return page_->isSettled(); }));
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    database_.edit(AnnotateRun{"a10000000000", std::string(kLongerThanAnyThatIsRead, 'x')});
    for (int reading = 0; reading < 2; ++reading) {
        details().setRun(refOf("a10000000000"));
        ASSERT_TRUE(waitUntil([&] { return page_->isSettled(); }));
        EXPECT_EQ(said.size(), 1);
    }
}

TEST(DatabaseList, OpenRecentAndMissing) {
    QTemporaryDir folder;
    const QString there = folder.filePath(text("there.heddle")), gone = folder.filePath(text("gone.heddle")),
                  open = text("/x/open.heddle");
    QFile file(there);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(2048, 'x'));
    file.close();
    DatabaseListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setEntries(databaseEntries({{DatabaseEntry::Kind::Current, text("open.heddle"), open, text("3 runs")}},
                                     heddle::ui::factsOf({open, there, gone})));
    const auto kind = [&](int row) {
        return DatabaseEntry::Kind(model.index(row, 0).data(DatabaseListModel::KindRole).toInt());
    };
    ASSERT_EQ(model.rowCount(), 5) << "two sections, the open one not twice";
    EXPECT_EQ(kind(1), DatabaseEntry::Kind::Current);
    EXPECT_EQ(kind(3), DatabaseEntry::Kind::Recent);
    EXPECT_TRUE(model.index(3, 0).data(DatabaseListModel::NoteRole).toString().contains(text("2.00 KiB")));
    EXPECT_EQ(kind(4), DatabaseEntry::Kind::Missing);
    EXPECT_TRUE(model.index(4, 0).data(Qt::AccessibleTextRole).toString().contains(text("not found")));
    EXPECT_FALSE(model.index(0, 0).flags() & Qt::ItemIsSelectable);
    EXPECT_EQ(model.rowOf(gone), 4);
}

TEST(Words, SizesTimesAndFolders) {
    EXPECT_EQ(byteSize(0), text("0 B"));
    EXPECT_EQ(byteSize(1023), text("1,023 B"));
    EXPECT_EQ(byteSize(1024), text("1.00 KiB"));
    EXPECT_EQ(byteSize(224395264), text("214 MiB"));
    EXPECT_EQ(duration(59.4), text("59 s"));
    EXPECT_EQ(duration(425), text("7 min 5 s"));
    EXPECT_EQ(duration(7325), text("2 h 2 min"));
    const QDateTime now(QDate(2026, 11, 21), QTime(12, 0));
    const auto when = [&](int day, int hour) {
        return whenText(double(QDateTime(QDate(2026, 11, day), QTime(hour, 5)).toSecsSinceEpoch()), now);
    };
    EXPECT_EQ(when(21, 9), text("today 09:05"));
    EXPECT_EQ(when(20, 23), text("yesterday 23:05"));
    EXPECT_EQ(when(3, 9), text("3 Nov 2026"));
    EXPECT_EQ(withTilde(QDir::homePath() + text("/a")), text("~/a"));
    EXPECT_EQ(withTilde(QDir::homePath() + text("x/a")), QDir::homePath() + text("x/a"));
}

TEST(FolderSizes, AddsUpWhatLiesBelowEachRun) {
    QTemporaryDir folder;
    QDir(folder.path()).mkpath(text("run1/step-1"));
    for (const char* name : {"run1/a", "run1/step-1/b"}) {
        QFile file(folder.filePath(text(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(100, 'x'));
    }
    QDir(folder.path()).mkpath(text("run2"));
    EXPECT_EQ(folderSizes(folder.path()), (std::map<std::string, qint64>{{"run1", 200}, {"run2", 0}}));
    EXPECT_TRUE(folderSizes(folder.filePath(text("none"))).empty());
}

}  // namespace
}  // namespace heddle::ui::test
