// SPDX-License-Identifier: GPL-3.0-or-later
// One session from end to end with the real engine: compose, plan, train, watch, scrub, inspect, intervene, rank, compare,
// export.
#include "app/session/process/engine_loader.h"
#include "tests/ui/studio/tour_fixture.h"
#include "ui/panels/head_grid_panel.h"
#include "ui/panels/head_panel.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sentence_panel.h"

#include <QtTest/qtestkeyboard.h>
#include <QFile>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableWidget>

#include <gmock/gmock.h>

namespace heddle::studio::test {

using namespace std::chrono_literals;

TEST_F(Tour, FromASpecToWhatAHeadIsWorth) {
    if (const auto report = app::inspectEngine(); !report.problem.empty()) GTEST_SKIP() << report.problem;
    startOn(folder_ / "tour.heddle");
    const std::string first = train("train.lr=0.003");
    ASSERT_TRUE(settles());
    station("watch");
    const std::string second = train("train.lr=0.006");
    ASSERT_TRUE(settles());
    auto& watchScrub = the<ScrubBar>();
    ASSERT_GE(watchScrub.scrubber().snapshots().size(), 5U);
    const int newest = watchScrub.step();
    watchScrub.scrubber().setFocus();
    QTest::keyClick(&watchScrub.scrubber(), Qt::Key_Left);
    EXPECT_LT(watchScrub.step(), newest);
    station("scrub");

    showPage(Qt::Key_3, PageId::Inspect);
    auto& grid = the<HeadGridPanel>().grid();
    ASSERT_TRUE(waitUntil([&] { return grid.data().rows.size() == 6; }, 30s)) << "two layers: self, self and cross";
    auto& b = named<QComboBox>(page(), "runB");
    b.setCurrentIndex(b.findData(record(first)->ref.key()));
    Q_EMIT b.activated(b.currentIndex());
    ASSERT_TRUE(settles());
    grid.setFocus();
    QTest::keyClick(&grid, Qt::Key_4);
    QTest::keyClick(&grid, Qt::Key_Right);
    EXPECT_TRUE(the<HeadPanel>().mapDifference().isVisible());
    EXPECT_FALSE(the<SentencePanel>().outputText().isEmpty());
    station("inspect");

    auto& field = named<QLineEdit>(page(), "sentence");
    field.setText(text("the cat sleeps ."));
    QTest::keyClick(&field, Qt::Key_Return);
    ASSERT_TRUE(settles());
    EXPECT_THAT(the<SentencePanel>().outputText().toStdString(), ::testing::HasSubstr("the cat sleeps ."));

    named<QSpinBox>(page(), "validationExamples").setValue(20);
    grid.setFocus();
    QTest::keyClick(&grid, Qt::Key_M);
    press("measure");
    auto& effects = named<QTableWidget>(page(), "effects");
    ASSERT_TRUE(waitUntil([&] { return effects.rowCount() >= 2; }, 60s));
    ASSERT_TRUE(settles());
    EXPECT_NE(effects.item(0, 1)->text(), effects.item(0, 2)->text()) << "a muted head changes the loss";
    station("intervene");
    press("rank");
    auto& ranking = named<QTableWidget>(page(), "ranking");
    ASSERT_TRUE(waitUntil([&] { return ranking.rowCount() == 24; }, 90s)) << "six attentions of four heads";
    ASSERT_TRUE(settles());
    station("rank");

    const QString file = QString::fromStdString(folder_ / "grid.svg");
    writePlot(grid, file);
    EXPECT_GT(QFile(file).size(), 10'000);

    showPage(Qt::Key_4, PageId::Compare);
    station("compare");
    showPage(Qt::Key_5, PageId::Library);
    station("library");
    EXPECT_EQ(record(second)->state, "completed") << "what was asked changed nothing";
}

}  // namespace heddle::studio::test
