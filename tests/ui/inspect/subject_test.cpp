// SPDX-License-Identifier: GPL-3.0-or-later
// Which run, step and checkpoint the page shows, says and acts on.
#include "tests/ui/inspect/inspect_page_fixture.h"
#include "ui/pages/inspect/inspect_bar.h"
#include "ui/theme/theme.h"
#include "ui/widgets/panel_title.h"

#include <QtTest/qtestkeyboard.h>
#include <QAbstractItemView>
#include <QAction>
#include <QCompleter>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTableWidget>
#include <QToolButton>

#include <algorithm>

using namespace heddle::ui;
using namespace heddle::ui::test;
using testing::HasSubstr;

/// The records of runs are read anew all the time; the page may show another one by the time of the answer.
TEST_F(InspectPageTest, TheQuestionBeforeAChangeOfTheTrainingMayWait) {
    setState(kA, "running");
    open();
    grid().setFocus();
    QTest::keyClick(&grid(), Qt::Key_M);
    press("changeTraining");
    auto* question = page_->findChild<QMessageBox*>();
    ASSERT_NE(question, nullptr) << "the page is not held while the user thinks";
    setState(kA, "paused");
    ASSERT_TRUE(waitUntil([&] { return studio_->databases().runWithId(kA)->state == "paused"; }));
    chooseA(kB);
    test::named<QAbstractButton>(dialog(), "confirmChange").click();
    EXPECT_TRUE(waitUntil([&] { return flagsOf(kA) == 1; })) << "the run that was asked about";
    EXPECT_EQ(flagsOf(kB), 0);
}

TEST_F(InspectPageTest, TheRankingOfAnotherRunOrCheckpointIsNotShown) {
    open();
    press("rank");
    auto& table = named<QTableWidget>("ranking");
    ASSERT_TRUE(waitUntil([&] { return table.rowCount() == 4; }));
    const QString a = runLabel(*studio_->databases().runWithId(kA));
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

TEST_F(InspectPageTest, RichTextTakesTheColoursOfAnotherAppearance) {
    open();
    const QString light = Theme::color(Token::Text2).name();
    const auto countOfLight = [&] {
        const auto labels = page_->findChildren<QLabel*>();
        return std::count_if(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text().contains(light); });
    };
    EXPECT_GT(countOfLight(), 0);
    Theme::instance().setAppearance(Appearance::Dark);
    EXPECT_EQ(countOfLight(), 0);
}

TEST_F(InspectPageTest, EveryPanelNamesItsRunAndStep) {
    open();
    chooseB(kB);
    const std::string a = runLabel(*studio_->databases().runWithId(kA)).toStdString();
    const std::string b = runLabel(*studio_->databases().runWithId(kB)).toStdString();
    head().setView(HeadView::Both);
    EXPECT_TRUE(says(("A: " + a + ", step 400, probe 0").c_str())) << "the grid";
    EXPECT_TRUE(says(("A: " + a + ", step 400").c_str())) << "the head";
    EXPECT_TRUE(says(("B: " + b + ", step 400").c_str()));
    EXPECT_THAT(sentence().outputText().toStdString(), HasSubstr("A: " + a + ", checkpoint of step 400"));
    EXPECT_EQ(the<LabelLossPanel>().plot().data().runName.toStdString(), "A: " + a + ", checkpoint of step 400");
    EXPECT_EQ(the<MeanGatePanel>().plot().data().runName.toStdString(), "A: " + a + ", checkpoint of step 400");
    EXPECT_TRUE(says(("measured on a copy of " + a + ", checkpoint of step 400").c_str()));
}

/// Nothing of the run before stands under the name of one that cannot be read.
TEST_F(InspectPageTest, WhatIsShownOfTheRunBeforeGoesAtOnce) {
    open();
    auto& probes = named<QListWidget>("probeSentences");
    ASSERT_EQ(probes.count(), 2);
    ASSERT_EQ(grid().data().rows.size(), 2U);
    auto& box = named<QComboBox>("runA");
    box.setCurrentIndex(box.findData(studio_->databases().runWithId(kB)->ref.key()));
    Q_EMIT box.activated(box.currentIndex());  // its details are on their way
    EXPECT_EQ(probes.count(), 0);
    EXPECT_FALSE(grid().isVisible());
    EXPECT_FALSE(the<LabelLossPanel>().plot().isVisible());
    EXPECT_FALSE(sentence().outputText().contains(text("Schritt")));
    EXPECT_EQ(scrub().step(), 400) << "the chosen step stays";
    ASSERT_TRUE(settle());
    EXPECT_EQ(probes.count(), 2);
    EXPECT_TRUE(grid().isVisible());
}

TEST_F(InspectPageTest, MapsThatWereAskedForOfTheRunBeforeAreNotShown) {
    open();
    auto& box = named<QComboBox>("runA");
    scrub().scrubber().setValue(200);  // its maps are being read
    box.setCurrentIndex(box.findData(studio_->databases().runWithId(kB)->ref.key()));
    Q_EMIT box.activated(box.currentIndex());
    EXPECT_FALSE(grid().isVisible());
    ASSERT_TRUE(settle());
    EXPECT_TRUE(grid().isVisible());
    EXPECT_TRUE(says(runLabel(*studio_->databases().runWithId(kB)).toUtf8().constData()));
}

TEST_F(InspectPageTest, MapsOfTheSentenceBeforeGoAtOnceThoseOfTheStepBeforeStay) {
    open();
    named<QListWidget>("probeSentences").setCurrentRow(1);
    EXPECT_FALSE(grid().isVisible()) << "those of probe 0";
    ASSERT_TRUE(settle());
    EXPECT_TRUE(grid().isVisible());
    EXPECT_TRUE(says("probe 1"));
    scrub().goPrevious();
    EXPECT_TRUE(grid().isVisible()) << "until those of the step are read";
    ASSERT_TRUE(settle());
    auto& field = named<QLineEdit>("sentence");
    field.setText(text("two dogs"));
    QTest::keyClick(&field, Qt::Key_Return);
    EXPECT_FALSE(grid().isVisible()) << "those of probe 1";
    ASSERT_TRUE(settle());
    EXPECT_TRUE(grid().isVisible());
    EXPECT_TRUE(says("free text"));
}

TEST_F(InspectPageTest, ThatTheModelReadsIsSaidOnlyWhileItReads) {
    auto later = heddle::storage::RunQuery::open(file_)->map(kA, {"weight", "decoder.layers.0.cross", 200, 0});
    ASSERT_TRUE(later);
    later->step = 300;  // its model is the checkpoint of step 200, too
    store_->add(*later);
    settings_->setValue(text("inspect/family"), int(MapFamily::Gates));  // which the model does not have
    open([this] { page_->restoreSession(*settings_); });
    for (const int step : {200, 300}) {
        scrub().scrubber().setValue(step);
        ASSERT_TRUE(settle());
        EXPECT_FALSE(says("The model reads the sentence")) << step;
        EXPECT_TRUE(says("Maps are stored at steps 1, 2, 4")) << step;
    }
}

TEST_F(InspectPageTest, NoNoteStaysBesideWhatIsNotShown) {
    open();
    const auto noteOf = [](TokenBarsPanel& bars) { return dynamic_cast<PanelTitle&>(*bars.titleRow()).note(); };
    TokenBarsPanel &losses = the<LabelLossPanel>(), &gates = the<MeanGatePanel>();
    EXPECT_FALSE(noteOf(losses).isEmpty());
    EXPECT_FALSE(noteOf(gates).isEmpty());
    scrub().scrubber().setValue(100);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(says("No checkpoint up to step 100"));
    EXPECT_EQ(noteOf(losses), QString());
    EXPECT_EQ(noteOf(gates), QString());
}

TEST_F(InspectPageTest, ALateAnswerOfTheRunBeforeDoesNotSayWhatCanBeChanged) {
    open();
    Inspector inspector(opener());
    InspectedRun run(studio_->databases(), inspector, nullptr);
    const auto choose = [&](const char* id) {
        run.setRun(readDetail(*heddle::storage::RunQuery::open(file_), studio_->databases().runWithId(id)->ref));
    };
    run.setActive(true);
    run.setStep(400);
    const std::size_t before = asked_.copyOf(&Asked::observed).size();
    asked_.readsForever = true;
    choose(kB);
    ASSERT_TRUE(waitUntil([&] { return asked_.copyOf(&Asked::observed).size() > before; }));
    choose(kA);
    asked_.readsForever = false;
    ASSERT_TRUE(waitUntil([&] { return !inspector.isBusy(); }));
    EXPECT_TRUE(!run.targets() || run.targets()->attentions.size() == 2) << "those of run B";
    ASSERT_TRUE(waitUntil([&] { return run.isSettled(); }));
    ASSERT_TRUE(run.targets());
    EXPECT_EQ(run.targets()->attentions.size(), 2U);
}

TEST_F(InspectPageTest, RunsArePickedByTypedWordsAndSayTheirState) {
    setState(kB, "running");
    open();
    auto& box = named<QComboBox>("runA");
    const QString b = runLabel(*studio_->databases().runWithId(kB));
    EXPECT_TRUE(waitUntil([&] { return box.findText(b + text(" · Running")) >= 0; }));
    QLineEdit& field = *box.lineEdit();
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, text("runn"));
    ASSERT_EQ(box.completer()->completionCount(), 1) << "of the state, too";
    EXPECT_EQ(box.completer()->currentCompletion(), b + text(" · Running"));
    QTest::keyClick(box.completer()->popup(), Qt::Key_Down);
    QTest::keyClick(box.completer()->popup(), Qt::Key_Return);
    EXPECT_EQ(the<InspectBar>().runA().id, kB);
    field.setText(text("nothing like it"));
    Q_EMIT field.editingFinished();
    EXPECT_EQ(box.currentText(), b + text(" · Running")) << "words that choose nothing go";
}

TEST_F(InspectPageTest, InterventionsThatTheNextModelAllowsStayAsTheyAre) {
    open();
    InterventionList& list = interventions().list();
    list.add(heddle::MuteHead{"encoder.layers.0.self", 1});
    list.add(heddle::MuteHead{"decoder.layers.0.cross", 0});
    list.toggle(heddle::MuteHead{"decoder.layers.0.cross", 0});
    chooseA(kB);  // its encoder has no attention
    EXPECT_EQ(list.topLevelItemCount(), 1);
    EXPECT_TRUE(list.active().empty()) << "what is left is still switched off";
}

TEST_F(InspectPageTest, OnlyPanelsWithPlotsHaveButtonsForPlots) {
    open();
    EXPECT_TRUE(sentence().titleRow()->findChildren<QToolButton*>().isEmpty());
    EXPECT_EQ(head().titleRow()->findChildren<QToolButton*>().size(), 3) << "export, full size, menu";
    named<QLineEdit>("sentence").setFocus();
    action("tableOrChart").trigger();
    EXPECT_EQ(grid().mode(), PlotMode::Table) << "the first plot, where the panel with the focus has none";
}

TEST_F(InspectPageTest, MeasurementsAreKeptComparedAndExported) {
    open();
    auto& table = named<QTableWidget>("ranking");
    auto& kept = *page_->findChild<QComboBox*>(text("keptMeasurements"));
    auto& exported = *page_->findChild<QAbstractButton*>(text("exportMeasurement"));
    EXPECT_TRUE(kept.isHidden() && exported.isHidden()) << "nothing has been measured";
    press("rank");
    ASSERT_TRUE(waitUntil([&] { return table.rowCount() == 4; }));
    chooseA(kB);
    press("rank");
    ASSERT_TRUE(waitUntil([&] { return table.rowCount() == 4; }));
    grid().setFocus();
    QTest::keyClick(&grid(), Qt::Key_M);
    press("measure");
    ASSERT_TRUE(waitUntil([&] { return kept.count() == 2; })) << "a ranking and an effect";
    ASSERT_TRUE(waitUntil([&] {
        const auto query = heddle::storage::RunQuery::open(file_);
        return query->items("measurement " + std::string(kA)).size() == 1 &&
               query->items("measurement " + std::string(kB)).size() == 2;
    }));
    page_.reset();

    open();  // another session: the newest run is A
    chooseA(kA);
    EXPECT_EQ(named<QTableWidget>("ranking").rowCount(), 4) << "it was kept in the database";
    EXPECT_TRUE(named<QTableWidget>("ranking").isColumnHidden(4)) << "there is no B";
    chooseB(kB);
    ASSERT_FALSE(named<QTableWidget>("ranking").isColumnHidden(4));
    EXPECT_EQ(named<QTableWidget>("ranking").item(0, 4)->text(), named<QTableWidget>("ranking").item(0, 2)->text())
        << "both models answer alike";
    const QString file = folder_.filePath(text("ranking.csv"));
    interventions().exportTo(file);
    ASSERT_TRUE(waitUntil([&] { return QFileInfo(file).size() > 0; }));
    QFile csv(file);
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    const QByteArray written = csv.readAll();
    EXPECT_EQ(written.count('\n'), 5) << "a header and four heads";
    EXPECT_TRUE(written.contains("decoder.layers.0.cross:0,100,1.8,1.9,0.1,0.098,0.102,0.008,0.1,0.098,0.102\n"))
        << written.data();
    chooseA(kB);
    auto& box = *page_->findChild<QComboBox*>(text("keptMeasurements"));
    ASSERT_EQ(box.count(), 2);
    EXPECT_EQ(named<QTableWidget>("effects").rowCount(), 1) << "the newest one";
    box.setCurrentIndex(1);
    Q_EMIT box.activated(1);
    EXPECT_EQ(named<QTableWidget>("ranking").rowCount(), 4) << "the other one was chosen";
    EXPECT_EQ(named<QTableWidget>("effects").rowCount(), 0);
}
