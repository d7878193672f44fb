// SPDX-License-Identifier: GPL-3.0-or-later
// The lists on the left.
#include "tests/ui/watch/watch_fixture.h"
#include "ui/pages/watch/curve_list.h"
#include "ui/pages/watch/queue_model.h"
#include "ui/panels/log_view.h"

#include <QtTest/qtestmouse.h>
#include <QAbstractItemModelTester>
#include <QListWidget>
#include <QSignalSpy>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using namespace heddle::ui::watch;

namespace {

Run run(const char* id, const char* state, double created, std::int64_t step = 0) {
    storage::RunRecord record;
    record.id = id;
    record.name = id;
    record.state = state;
    record.created = record.queued = created;
    record.step = step;
    record.totalSteps = 1000;
    return Run(record, 1);
}

QStringList titles(const QAbstractItemModel& model) {
    QStringList list;
    for (int row = 0; row < model.rowCount(); ++row)
        list << model.index(row, 0).data().toString().section(QLatin1Char(','), 0, 0);
    return list;
}

}  // namespace

TEST(QueueModel, StandsInTheOrderOfWhatMatters) {
    QueueModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const std::vector<heddle::ui::Run> runs{run("done", "completed", 1, 1000), run("later", "queued", 5),
                                            run("next", "queued", 4), run("works", "running", 3, 250),
                                            run("rests", "paused", 2, 10)};
    model.setRuns(pointersTo(runs));
    EXPECT_EQ(titles(model),
              (QStringList{text("works"), text("rests"), text("next"), text("later"), text("Finished"), text("done")}));
    EXPECT_EQ(model.index(1).data(QueueModel::VerbRole).toString(), text("Resume"));
    EXPECT_TRUE(model.index(4).data(QueueModel::HeaderRole).toBool());
    EXPECT_FALSE(model.flags(model.index(4)) & Qt::ItemIsSelectable);
    EXPECT_DOUBLE_EQ(model.index(0).data(QueueModel::ProgressRole).toDouble(), 0.25);
    EXPECT_EQ(model.index(0).data(QueueModel::RightRole).toString(), QString()) << "no rate, no promise";

    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged), reset(&model, &QAbstractItemModel::modelReset);
    model.setRuns(pointersTo(runs), {.secondsPerStep = {{refOf("works"), 0.1}}});
    EXPECT_EQ(model.index(0).data(QueueModel::RightRole).toString(), text("1 min 15 s left"));
    EXPECT_TRUE(model.index(2).data(QueueModel::DetailRole).toString().contains(text("1 min 15 s")));
    EXPECT_EQ(reset.size(), 0) << "live values change in place";
    EXPECT_EQ(changed.size(), 2);
    EXPECT_EQ(model.rowOf(refOf("rests")), 1);
    EXPECT_EQ(model.rowOf(refOf("gone")), -1);
    model.setRuns({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(QueueModel, EachDatabaseHasAQueueOfItsOwn) {
    const auto waits = [](const char* id, double queued, int database) {
        auto made = run(id, "queued", queued);
        made.ref.database = database;
        made.origin = QStringLiteral("%1.heddle").arg(database);
        return made;
    };
    auto trained = run("works", "running", 9, 250);
    trained.ref.database = 2;
    QueueModel model;
    const std::vector<heddle::ui::Run> runs{trained, waits("b", 1, 2), waits("a", 2, 1), waits("c", 3, 1), waits("d", 4, 2)};
    model.setRuns(pointersTo(runs));
    EXPECT_EQ(titles(model), (QStringList{text("works"), text("a"), text("c"), text("b"), text("d")}));
    EXPECT_TRUE(model.index(1).data().toString().endsWith(text("1.heddle")));
    EXPECT_EQ(model.movable(1), std::pair(0, 1));
    EXPECT_EQ(model.movable(2), std::pair(-1, 0)) << "not among those of the other database";
    EXPECT_EQ(model.movable(3), std::pair(0, 1));
    EXPECT_FALSE(model.moveRow({}, 1, {}, 4)) << "into the other queue";
    model.setRuns(pointersTo(runs), {.secondsPerStep = {{trained.ref, 0.1}}});
    EXPECT_TRUE(model.index(3).data(QueueModel::DetailRole).toString().contains(text("1 min 15 s")));
    EXPECT_FALSE(model.index(1).data(QueueModel::DetailRole).toString().contains(text("1 min 15 s")))
        << "it waits for nothing of that database";
}

TEST(QueueModel, OffersToCompareWhatIsNotDrawnYet) {
    QueueModel model;
    model.setRuns(pointersTo({run("done", "completed", 1, 1000)}));
    EXPECT_EQ(model.index(1).data(QueueModel::VerbRole).toString(), text("Compare"));
    model.setRuns(pointersTo({run("done", "completed", 1, 1000)}), {.compared = refsOf({"done"})});
    EXPECT_EQ(model.index(1).data(QueueModel::VerbRole).toString(), QString());
}

TEST_F(WatchTest, HiddenRunsStandBehindAHeader) {
    add({.id = kOther, .name = "eau-base", .state = "completed", .hash = "h2", .steps = 160, .created = 500});
    add({});
    WatchPage& page = open();
    studio_->setComparedRuns(refsOf({kOther}));
    ASSERT_TRUE(settle());
    QListWidget& view = the<CurveList>(page).view();
    const QAbstractItemModel& model = *view.model();
    EXPECT_EQ(titles(model), (QStringList{text("eau-full s4"), text("eau-base s4")}));
    const auto clickEye = [&](int row) {
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(model.index(row, 0)).topLeft() + QPoint(12, 12));
    };
    clickEye(1);
    EXPECT_EQ(titles(model), (QStringList{text("eau-full s4"), text("Hidden  1"), text("eau-base s4")}));
    EXPECT_FALSE(model.flags(model.index(1, 0)) & Qt::ItemIsSelectable);
    EXPECT_EQ(model.index(0, 0).data(CurveList::ValueRole).toString(), text("4.600"));
    EXPECT_EQ(model.index(2, 0).data(CurveList::ValueRole).toString(), text("–")) << "it ended before the step of the other";
    EXPECT_EQ(model.index(2, 0).data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
    EXPECT_EQ(the<CurveList>(page).drawn(), refsOf({kRun}));
    clickEye(1);
    EXPECT_EQ(model.rowCount(), 3) << "a header has no eye";
    clickEye(2);
    EXPECT_EQ(model.rowCount(), 2);
}

TEST_F(WatchTest, LogGrowsAtTheTop) {
    add({});
    LogModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setDetail(readDetail(*query(), refOf("aaaaaaaaaaaa")));
    const int before = model.rowCount();
    EXPECT_EQ(before, 5) << "one state, four evaluations";
    EXPECT_TRUE(model.text().contains(text("running: started")));
    EXPECT_TRUE(model.text().contains(text("epoch 1, valid loss 4.900, accuracy 25.00 %")));
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted), reset(&model, &QAbstractItemModel::modelReset);
    store_->add(storage::EventRecord{"aaaaaaaaaaaa", 1, 410, 5, 2000, "warning", "disk is slow", ""});
    model.setDetail(readDetail(*query(), refOf("aaaaaaaaaaaa")));
    EXPECT_EQ(inserted.size(), 1);
    EXPECT_EQ(reset.size(), 0);
    EXPECT_EQ(model.index(0, LogModel::Text).data().toString(), text("disk is slow"));
    model.setDetail(nullptr);
    EXPECT_EQ(model.rowCount(), 0);
}
