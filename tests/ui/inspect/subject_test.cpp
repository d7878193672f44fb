// SPDX-License-Identifier: GPL-3.0-or-later
// Which run, step and checkpoint the page shows, says and acts on.
#include "tests/ui/inspect/inspect_page_fixture.h"

#include <QtTest/qtestkeyboard.h>
#include <QTableWidget>

using namespace heddle::ui;
using namespace heddle::ui::test;
using testing::HasSubstr;

/// The records of runs are read anew all the time; the page may show another one by the time of the answer.
TEST_F(InspectPageTest, TheQuestionBeforeAChangeOfTheTrainingMayWait) {
    setState(kA, "running");
    open();
    grid().setFocus();
    QTest::keyClick(&grid(), Qt::Key_M);
    press("Change the training");
    auto* question = page_->findChild<QMessageBox*>();
    ASSERT_NE(question, nullptr) << "the page is not held while the user thinks";
    setState(kA, "paused");
    ASSERT_TRUE(waitUntil([&] { return studio_->databases().withId(kA)->state == "paused"; }));
    chooseA(kB);
    answerDialog("Change the training");
    EXPECT_TRUE(waitUntil([&] { return flagsOf(kA) == 1; })) << "the run that was asked about";
    EXPECT_EQ(flagsOf(kB), 0);
}

TEST_F(InspectPageTest, TheRankingOfAnotherRunOrCheckpointIsNotShown) {
    open();
    press("Rank all");
    auto& table = the<QTableWidget>("Ranking");
    ASSERT_TRUE(waitUntil([&] { return table.rowCount() == 4; }));
    const QString a = runLabel(*studio_->databases().withId(kA));
    EXPECT_TRUE(says((a + text(", checkpoint of step 400: 4 of 4")).toUtf8()));
    scrub().goPrevious();
    ASSERT_TRUE(settle());
    EXPECT_EQ(table.rowCount(), 0) << "it is of a later checkpoint";
    EXPECT_TRUE(table.isHidden());
    scrub().follow();
    ASSERT_TRUE(settle());
    EXPECT_EQ(table.rowCount(), 4);
    chooseA(kB);
    EXPECT_EQ(table.rowCount(), 0);
    EXPECT_TRUE(table.isHidden());
    EXPECT_FALSE(says((a + text(", checkpoint")).toUtf8())) << "nothing of the former run is left";
}

TEST_F(InspectPageTest, EveryPanelNamesItsRunAndStep) {
    open();
    chooseB(kB);
    const std::string a = runLabel(*studio_->databases().withId(kA)).toStdString();
    const std::string b = runLabel(*studio_->databases().withId(kB)).toStdString();
    head().setView(HeadView::Both);
    EXPECT_TRUE(says(("A: " + a + ", step 400, probe 0").c_str())) << "the grid";
    EXPECT_TRUE(says(("A: " + a + ", step 400").c_str())) << "the head";
    EXPECT_TRUE(says(("B: " + b + ", step 400").c_str()));
    EXPECT_THAT(sentence().outputText().toStdString(), HasSubstr("A: " + a + ", checkpoint of step 400"));
    EXPECT_EQ(bars("Loss by label").plot().data().runName.toStdString(), "A: " + a + ", checkpoint of step 400");
    EXPECT_EQ(bars("Mean gate").plot().data().runName.toStdString(), "A: " + a + ", checkpoint of step 400");
    EXPECT_TRUE(says(("measured on a copy of " + a + ", checkpoint of step 400").c_str()));
}
