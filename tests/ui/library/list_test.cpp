// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of runs and of databases: what is in which view, order, editing; both models under the tester. Words and sizes.
#include "tests/ui/support/offscreen.h"
#include "ui/pages/library/database_list.h"
#include "ui/pages/library/run_list_model.h"
#include "ui/pages/library/words.h"
#include "ui/text/units.h"
#include "ui/widgets/mark_delegate.h"

#include <gmock/gmock.h>
#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QPersistentModelIndex>
#include <QSignalSpy>
#include <QTemporaryDir>

namespace heddle::ui::test {
namespace {

using testing::ElementsAre;

RunLine line(const char* id, const char* name, Mark mark, double created) {
    RunLine line;
    line.id = id;
    line.name = text(name);
    line.mark = mark;
    line.created = created;
    line.seed = 4;
    line.variant = "5098a7b986a9";
    return line;
}

std::vector<RunLine> someLines() {
    auto lines = std::vector<RunLine>{line("a", "base", Mark::Completed, 1), line("b", "Full", Mark::Running, 2),
                                      line("c", "base", Mark::Failed, 3), line("d", "old", Mark::Completed, 4)};
    lines[0].tags = {text("paper"), text("table 3")};
    lines[0].step = 9;
    lines[1].step = 10;
    lines[3].trashed = 1000;
    return lines;
}

std::vector<std::string> ids(const std::vector<RunLine>& lines) {
    std::vector<std::string> ids;
    for (const auto& each : lines) ids.push_back(each.id);
    return ids;
}

std::vector<std::string> listed(const ListOptions& options) { return ids(listRuns(someLines(), options)); }

TEST(ListRuns, ViewsSeparateLiveAttentionAndDeleted) {
    EXPECT_THAT(listed({}), ElementsAre("c", "b", "a")) << "newest first, the deleted one is elsewhere";
    EXPECT_THAT(listed({RunView::Live}), ElementsAre("b"));
    EXPECT_THAT(listed({RunView::Attention}), ElementsAre("c"));
    EXPECT_THAT(listed({RunView::Deleted}), ElementsAre("d"));
}

TEST(ListRuns, EachMetricHasItsColumn) {
    const auto row = [](const char* split, const char* metric, std::int64_t step, double value) {
        return storage::EvaluationRecord{"a", 1, step, 1, split, metric, "sig", value, 200, 1};
    };
    std::vector<storage::EvaluationRecord> rows{row("valid", "loss", 10, 3), row("valid", "loss", 20, 2),
                                                row("valid", "loss", 30, 2.5), row("valid", "accuracy", 30, 0.4567)};
    RunScores scores = scoresOf(rows);
    EXPECT_EQ(scores.loss->best, 2);
    EXPECT_EQ(scores.loss->bestStep, 20);
    EXPECT_FALSE(scores.bleu);
    auto lines = someLines();
    lines[0].scores = scores;
    rows.push_back(row("valid", "bleu", 30, 30.5));
    rows.push_back(row("test", "bleu", 30, 31.25));
    lines[1].scores = scoresOf(rows);
    EXPECT_EQ(lines[1].scores.bleu->best, 31.25) << "of the test split alone";
    lines[1].scores.loss->best = 1;
    EXPECT_THAT(ids(listRuns(lines, {RunView::All, {}, RunColumn::Loss, Qt::DescendingOrder})), ElementsAre("c", "a", "b"));
    RunListModel model;
    model.setLines({lines[0], lines[1], lines[2]});
    const auto cell = [&](int line, RunColumn column) { return model.index(line, int(column)).data().toString(); };
    EXPECT_EQ(cell(0, RunColumn::Loss), text("2.000"));
    EXPECT_EQ(cell(0, RunColumn::Accuracy), text("45.67 %"));
    EXPECT_EQ(cell(0, RunColumn::Bleu), text("–"));
    EXPECT_EQ(cell(1, RunColumn::Bleu), text("31.25"));
    EXPECT_EQ(cell(2, RunColumn::Accuracy), text("–"));
    EXPECT_TRUE(model.index(0, int(RunColumn::Loss)).data(Qt::ToolTipRole).toString().contains(text("best, at step 20")));
    rows[0].damaged = true;
    EXPECT_FALSE(scoresOf(rows).loss) << "the best might be another";
}

TEST(ListRuns, EveryWordOfTheFilterMustFit) {
    EXPECT_THAT(listed({RunView::All, text("BASE paper")}), ElementsAre("a"));
    EXPECT_THAT(listed({RunView::All, text("running")}), ElementsAre("b"));
    EXPECT_EQ(listed({RunView::All, text("s4 5098a7")}).size(), 3U);
    EXPECT_TRUE(listed({RunView::All, text("base nothing")}).empty());
}

TEST(ListRuns, SortsByValueNotByText) {
    EXPECT_THAT(listed({RunView::All, {}, RunColumn::Step, Qt::DescendingOrder}), ElementsAre("b", "a", "c"));
    EXPECT_THAT(listed({RunView::All, {}, RunColumn::Name, Qt::AscendingOrder}), ElementsAre("a", "c", "b"));
}

TEST(RunListModel, UpdatesInPlaceAndMovesWhatAViewHolds) {
    RunListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setLines(someLines());
    EXPECT_EQ(model.index(1, int(RunColumn::State)).data(kMarkRole).toInt(), int(Mark::Running));
    EXPECT_EQ(model.index(0, int(RunColumn::Tags)).data().toString(), text("paper, table 3"));
    const QPersistentModelIndex second = model.index(1, 0);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset), changed(&model, &QAbstractItemModel::dataChanged);
    auto lines = someLines();
    lines[1].step = 11;
    model.setLines(lines);
    EXPECT_EQ(changed.size(), 1);
    std::swap(lines[0], lines[1]);
    model.setLines(lines);
    EXPECT_EQ(second.row(), 0);
    EXPECT_EQ(reset.size(), 0);
    lines.pop_back();
    model.setLines(lines);
    EXPECT_EQ(reset.size(), 1);
}

TEST(RunListModel, EditingAsksAndLeavesTheAnswerToTheDatabase) {
    RunListModel model;
    model.setLines(someLines());
    QSignalSpy renamed(&model, &RunListModel::renamed), tagged(&model, &RunListModel::tagged);
    model.setData(model.index(0, int(RunColumn::Name)), text("  new name "), Qt::EditRole);
    ASSERT_EQ(renamed.size(), 1);
    EXPECT_EQ(renamed[0][1].toString(), text("new name"));
    EXPECT_EQ(model.index(0, int(RunColumn::Name)).data().toString(), text("base")) << "until the database says so";
    model.setData(model.index(0, int(RunColumn::Name)), text("base"), Qt::EditRole);
    model.setData(model.index(0, int(RunColumn::Name)), text("  "), Qt::EditRole);
    EXPECT_EQ(renamed.size(), 1);
    model.setData(model.index(1, int(RunColumn::Tags)), text("x, y ,, x"), Qt::EditRole);
    ASSERT_EQ(tagged.size(), 1);
    EXPECT_EQ(tagged[0][1].toStringList(), (QStringList{text("x"), text("y")}));
    EXPECT_FALSE(model.index(3, int(RunColumn::Name)).flags() & Qt::ItemIsEditable) << "a deleted run";
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
                                     factsOf({open, there, gone})));
    const auto kind = [&](int row) { return DatabaseEntry::Kind(model.index(row).data(DatabaseListModel::KindRole).toInt()); };
    ASSERT_EQ(model.rowCount(), 5) << "two sections, the open one not twice";
    EXPECT_EQ(kind(1), DatabaseEntry::Kind::Current);
    EXPECT_EQ(kind(3), DatabaseEntry::Kind::Recent);
    EXPECT_TRUE(model.index(3).data(DatabaseListModel::NoteRole).toString().contains(text("2.00 KiB")));
    EXPECT_EQ(kind(4), DatabaseEntry::Kind::Missing);
    EXPECT_TRUE(model.index(4).data(Qt::AccessibleTextRole).toString().contains(text("not found")));
    EXPECT_FALSE(model.index(0).flags() & Qt::ItemIsSelectable);
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
