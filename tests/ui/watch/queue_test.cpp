// SPDX-License-Identifier: GPL-3.0-or-later
// The queue of the Watch page: its order, and how it is changed by mouse and keyboard.
#include "tests/ui/watch/watch_fixture.h"
#include "ui/pages/watch/queue_model.h"
#include "ui/panels/log_view.h"

#include <QtTest/qtestkeyboard.h>
#include <QListView>
#include <QMimeData>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTreeView>

#include <limits>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using namespace heddle::ui::watch;
using testing::ElementsAre;

namespace {

/// Counts the events of one type that an object gets.
class EventCount : public QObject {
public:
    EventCount(QObject* watched, QEvent::Type type) : type_(type) { watched->installEventFilter(this); }
    int count() const { return count_; }
    /// What is done once so many have come.
    void at(int count, std::function<void()> action) { limit_ = count, action_ = std::move(action); }
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == type_ && ++count_ == limit_) action_();
        return false;
    }

private:
    QEvent::Type type_;
    int count_ = 0, limit_ = -1;
    std::function<void()> action_;
};

class QueueTest : public WatchTest {
protected:
    /// One run in training and three that wait; c was queued first, a last.
    void addQueue() {
        add({.id = "d00000000000", .snapshots = false});
        double place = 30;
        for (const char* id : {"a00000000000", "b00000000000", "c00000000000"}) {
            storage::RunRecord run;
            run.id = run.name = id;
            run.state = "queued";
            run.spec = R"({"schema":1,"variant":{"preset":"eau-base"}})";
            run.created = 1000;
            run.queued = place -= 10;
            store_->addRun(run);
        }
    }
    QListView& view() { return named<QListView>(*page_, "queue"); }
    LogView& logView() { return the<LogView>(*page_); }
    QAbstractItemModel& model() { return *view().model(); }
    QStringList order() {
        QStringList runs;
        for (int row = 0; row < model().rowCount(); ++row)
            runs << QString::fromStdString(RunRef::fromKey(model().index(row, 0).data(QueueModel::RunRole).toString()).id);
        return runs;
    }
    bool selects(const char* run) {
        studio_->setCurrentRun(refOf(run));
        return waitUntil(
            [&] { return RunRef::fromKey(view().currentIndex().data(QueueModel::RunRole).toString()) == refOf(run); });
    }
};

}  // namespace

TEST_F(QueueTest, WaitingRunsStandInTheOrderInWhichTheyStart) {
    addQueue();
    open();
    EXPECT_THAT(order(), ElementsAre(text("d00000000000"), text("c00000000000"), text("b00000000000"), text("a00000000000")));
    auto moved = *query()->run("a00000000000");
    moved.queued = -1;
    store_->updateRun(moved);
    EXPECT_TRUE(waitUntil([&] { return order().value(1) == text("a00000000000"); })) << "what the file says is shown";
}

TEST_F(QueueTest, ARunInTrainingSaysTheTimeThatIsLeft) {
    addQueue();
    open();
    const auto says = [&](int row, QueueModel::Role role) { return model().index(row, 0).data(role).toString(); };
    EXPECT_TRUE(waitUntil([&] { return says(0, QueueModel::RightRole) == text("1 min 0 s left"); }))
        << says(0, QueueModel::RightRole).toStdString();
    EXPECT_TRUE(says(1, QueueModel::DetailRole).contains(text("1 min 0 s"))) << "it starts then";
}

TEST_F(QueueTest, AStepWithoutATimeDoesNotHideTheTimeThatIsLeft) {
    addQueue();
    storage::SeriesAppend row;
    row.run = "d00000000000";
    row.name = "step_seconds";
    row.firstStep = 401;
    row.values = {std::numeric_limits<float>::quiet_NaN()};
    store_->append(row);
    auto run = *query()->run(row.run);
    run.step = 401;
    store_->updateRun(run);
    open();
    const auto left = [&] { return model().index(0, 0).data(QueueModel::RightRole).toString(); };
    EXPECT_TRUE(waitUntil([&] { return left() == text("1 min 0 s left"); })) << left().toStdString();
}

TEST_F(QueueTest, AltUpAndDownMoveTheRun) {
    addQueue();
    open();
    ASSERT_TRUE(selects("b00000000000"));
    view().setFocus();
    QTest::keyClick(&view(), Qt::Key_Up, Qt::AltModifier);
    QTest::keyClick(&view(), Qt::Key_Down, Qt::AltModifier);
    EXPECT_TRUE(waitUntil([&] { return control_.calls().size() == 2; }));
    EXPECT_THAT(control_.calls(), ElementsAre(R"(move b00000000000 {"by":-1})", R"(move b00000000000 {"by":1})"));
    ASSERT_TRUE(selects("c00000000000"));
    QTest::keyClick(&view(), Qt::Key_Up, Qt::AltModifier);
    ASSERT_TRUE(selects("d00000000000"));
    QTest::keyClick(&view(), Qt::Key_Down, Qt::AltModifier);
    QTest::keyClick(&view(), Qt::Key_Up, Qt::AltModifier);
    QCoreApplication::processEvents();
    EXPECT_EQ(control_.calls().size(), 2U) << "the first one is first, and what is in training does not wait";
}

TEST_F(QueueTest, OnlyWaitingRunsAreDraggedAndOnlyAmongThemselves) {
    addQueue();
    open();
    const auto drags = [&](int row) { return bool(model().flags(model().index(row, 0)) & Qt::ItemIsDragEnabled); };
    EXPECT_FALSE(drags(0));
    EXPECT_TRUE(drags(1) && drags(2) && drags(3));
    const QMimeData data;
    const auto takes = [&](int row) { return model().canDropMimeData(&data, Qt::MoveAction, row, 0, {}); };
    EXPECT_FALSE(takes(0));
    EXPECT_TRUE(takes(1) && takes(2) && takes(3) && takes(4));
    QSignalSpy asked(&dynamic_cast<QueueModel&>(model()), &QueueModel::moveRequested);
    EXPECT_TRUE(model().moveRow({}, 1, {}, 4)) << "to the end";
    EXPECT_TRUE(model().moveRow({}, 3, {}, 1)) << "to the beginning";
    EXPECT_FALSE(model().moveRow({}, 2, {}, 0)) << "before what is in training";
    ASSERT_EQ(asked.size(), 2);
    EXPECT_EQ(asked[0][0].value<RunRef>(), refOf("c00000000000"));
    EXPECT_EQ(asked[0][1], 2);
    EXPECT_EQ(asked[1][0].value<RunRef>(), refOf("a00000000000"));
    EXPECT_EQ(asked[1][1], -2);
}

TEST_F(QueueTest, ASingleWaitingRunIsNotMoved) {
    addQueue();
    for (const char* id : {"a00000000000", "b00000000000"}) store_->setState(id, "completed", "");
    open();
    EXPECT_FALSE(model().flags(model().index(1, 0)) & Qt::ItemIsDragEnabled);
}

TEST_F(QueueTest, LinesOfTheLogAreAsWideAsTheirWords) {
    add({});
    open();
    QTreeView* const log = &logView();
    ASSERT_NE(log, nullptr);
    ASSERT_GT(log->model()->rowCount(), 0);
    for (int row = 0; row < log->model()->rowCount(); ++row)
        for (const int column : {0, 1}) {
            const QModelIndex cell = log->model()->index(row, column);
            const int words = QFontMetrics(cell.data(Qt::FontRole).value<QFont>()).horizontalAdvance(cell.data().toString());
            EXPECT_GE(log->columnWidth(column), words) << row << ' ' << column;
            if (column == 0) {
                EXPECT_LE(log->columnWidth(column), words + 20);
            }
        }
}

// Before: where the last line that is seen was the longest, the scroll bar came and went without end, and no timer of the
// window fired.
TEST_F(QueueTest, TheLogComesToRestAtEverySize) {
    QStandardItemModel lines;
    for (int line = 0; line < 30; ++line)  // longer from top to bottom
        lines.appendRow({new QStandardItem(text("12:00:00")), new QStandardItem(QString(20 + line, QLatin1Char('m')))});
    LogView log;
    log.setModel(&lines);
    log.show();
    for (int height = 100; height < 130; height += 4)
        for (int width = 200; width < 500; width += 4) {
            EventCount resizes(log.viewport(), QEvent::Resize);
            resizes.at(20, [&] { log.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); });  // or it would never end
            log.resize(width, height);
            for (int turn = 0; turn < 10; ++turn) QCoreApplication::processEvents();
            ASSERT_LT(resizes.count(), 20) << width << " x " << height;
        }
}
