// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/inspect/inspect_page_fixture.h"
#include "ui/panels/head_grid_panel.h"
#include "ui/panels/head_panel.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sentence_panel.h"
#include "ui/panels/token_bars_panel.h"

#include "storage/run_query.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QTableWidget>
#include <QTimer>

#include <algorithm>
#include <string>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(InspectPageTest, EveryHeadOfTheRunIsInTheGrid) {
    open();
    ASSERT_EQ(grid().data().rows.size(), 2U);
    EXPECT_EQ(grid().data().rows[0].label, text("enc.0.self"));
    EXPECT_EQ(grid().data().rows[1].label, text("dec.0.cross"));
    EXPECT_EQ(grid().data().columns(), 2);
    EXPECT_EQ(chosenSublayer(), text("decoder.layers.0.cross")) << "the last cross attention is chosen at first";
    EXPECT_EQ(head().mapA().data().columnLabels, QStringList({text("a"), text("man"), text("<eos>")}));
}

TEST_F(InspectPageTest, AHeadUnderThePointerIsShownAndAClickKeepsIt) {
    open();
    QWidget* area = grid().findChild<QAbstractScrollArea*>()->viewport();
    const auto isShown = [&](const char* words) {
        const auto labels = head().titleRow()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](QLabel* label) { return label->toolTip() == text(words); });
    };
    EXPECT_TRUE(isShown("decoder.layers.0.cross 0"));
    QTest::mouseMove(area, grid().rectOf({0, 1}).center());
    EXPECT_TRUE(waitUntil([&] { return isShown("encoder.layers.0.self 1"); }));
    EXPECT_EQ(grid().current()->row, 1) << "the chosen head stays";
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(area, &leave);
    EXPECT_TRUE(isShown("decoder.layers.0.cross 0"));
    QTest::mouseClick(area, Qt::LeftButton, {}, grid().rectOf({0, 1}).center());
    EXPECT_EQ(*grid().current(), (HeadPlace{0, 1}));
}

TEST_F(InspectPageTest, TheSliderMovesMapsAndModel) {
    open();
    EXPECT_EQ(scrub().scrubber().snapshots(), (std::vector<int>{1, 100, 200, 400}));
    EXPECT_THAT(sentence().outputText().toStdString(), HasSubstr("Schritt 400"));
    const float before = head().mapA().data().at(0, 0);
    scrub().goPrevious();
    ASSERT_TRUE(settle());
    EXPECT_THAT(sentence().outputText().toStdString(), HasSubstr("Schritt 200"));
    EXPECT_NEAR(head().mapA().data().at(0, 0), before - 0.05F, 1e-3);
    scrub().goPrevious();
    ASSERT_TRUE(settle());
    EXPECT_THAT(sentence().outputText().toStdString(), HasSubstr("No checkpoint up to step 100"));
    EXPECT_EQ(grid().data().rows.size(), 2U) << "recorded maps need no checkpoint";
}

TEST_F(InspectPageTest, ScoresComeFromTheModelAlone) {
    open();
    press("scores");
    ASSERT_TRUE(settle());
    ASSERT_EQ(grid().data().rows.size(), 1U);
    EXPECT_EQ(grid().data().rows[0].path, text("decoder.layers.0.cross.scorer"));
    EXPECT_EQ(grid().data().scale.map, MapId::Signed);
    EXPECT_FALSE(button("gates").isEnabled()) << "this model has no gates over pairs";
}

TEST_F(InspectPageTest, BesideAnotherRunAndAsDifference) {
    open();
    EXPECT_TRUE(head().mapDifference().isHidden() || !head().mapDifference().isVisible());
    chooseB(kB);
    page_->setFocus();
    action("showDifference").trigger();
    ASSERT_EQ(head().view(), HeadView::Difference);
    EXPECT_TRUE(head().mapDifference().isVisible());
    EXPECT_NEAR(head().mapDifference().data().at(0, 0), 0, 1e-6) << "both recorded the same maps";
    EXPECT_EQ(the<LabelLossPanel>().plot().data().bars.size(), 2);
    EXPECT_NEAR(*the<LabelLossPanel>().plot().data().bars[1].reference, 2.55, 1e-6);
    EXPECT_THAT(sentence().outputText().toStdString(), ContainsRegex("B: .*, checkpoint of step 400"));
}

TEST_F(InspectPageTest, HeadsOfOtherSeedsAreNotSubtracted) {
    add("cccccccccccc", "eau-base", 5, 500);
    studio_.reset();
    open();
    ASSERT_TRUE(waitUntil([&] { return studio_->databases().runs().size() == 3; }));
    chooseB("cccccccccccc");
    action("showDifference").trigger();
    EXPECT_FALSE(head().mapDifference().isVisible());
    EXPECT_TRUE(says("the runs began with seeds 4 and 5"));
}

TEST_F(InspectPageTest, HeadsOfOtherShapesAreNotSubtractedWhateverTheSeed) {
    add("cccccccccccc", "eau-small", 4, 500, R"({"preset":"eau-full","dims":{"layers_enc":2}})");
    open();
    ASSERT_TRUE(waitUntil([&] { return studio_->databases().runs().size() == 3; }));
    chooseB("cccccccccccc");
    action("showDifference").trigger();
    EXPECT_FALSE(head().mapDifference().isVisible());
    EXPECT_TRUE(says("the models differ in layers, sublayers, heads or widths"));
    chooseB(kB);
    EXPECT_TRUE(head().mapDifference().isVisible()) << "of one seed and shape";
}

TEST_F(InspectPageTest, TwoStepsOfOneRun) {
    open();
    chooseB(kA);
    action("linkRuns").setChecked(false);
    scrub().goPrevious();
    ASSERT_TRUE(settle());
    EXPECT_THAT(sentence().outputText().toStdString(), ContainsRegex("A: .*, checkpoint of step 200"));
    EXPECT_THAT(sentence().outputText().toStdString(), ContainsRegex("B: .*, checkpoint of step 400"));
    action("showDifference").trigger();
    EXPECT_NEAR(head().mapDifference().data().at(0, 0), -0.05F, 1e-3);
}

TEST_F(InspectPageTest, AFreeSentenceIsReadByTheModel) {
    open();
    auto& field = named<QLineEdit>("sentence");
    field.setText(text("two dogs"));
    QTest::keyClick(&field, Qt::Key_Return);
    ASSERT_TRUE(settle());
    EXPECT_EQ(asked_.copyOf(&Asked::observed).back().text, "two dogs");
    EXPECT_THAT(sentence().outputText().toStdString(), HasSubstr("two dogs"));
    EXPECT_EQ(grid().data().rows.size(), 2U);
    field.setText(text("too long"));
    QTest::keyClick(&field, Qt::Key_Return);
    ASSERT_TRUE(settle());
    EXPECT_THAT(sentence().outputText().toStdString(), HasSubstr("the text has 99 tokens (text): shorten it"));
    named<QListWidget>("probeSentences").setCurrentRow(1);
    ASSERT_TRUE(settle());
    EXPECT_EQ(asked_.copyOf(&Asked::observed).back().example, 1);
}

TEST_F(InspectPageTest, GatesAndLossesByToken) {
    open();
    const BarData& gates = the<MeanGatePanel>().plot().data();
    ASSERT_EQ(gates.bars.size(), 2);
    EXPECT_DOUBLE_EQ(gates.bars[1].value, 0.75);
    QTest::keyClick(&grid(), Qt::Key_Up);
    EXPECT_EQ(chosenSublayer(), text("encoder.layers.0.self"));
    const BarData& losses = the<LabelLossPanel>().plot().data();
    ASSERT_EQ(losses.bars.size(), 2);
    EXPECT_EQ(losses.bars[1].label, text("Mann"));
    EXPECT_DOUBLE_EQ(losses.bars[1].value, 2.5);
}

/// What a loss is and its unit are what the run's evaluations say, not what most tasks have.
TEST_F(InspectPageTest, LossesAreCalledWhatTheirSignatureSays) {
    const auto evaluate = [&](const char* run, const char* signature, std::int64_t step) {
        store_->add(storage::EvaluationRecord{run, 1, step, 1, "valid", "loss", signature, 2.0, 100, 0.5});
    };
    evaluate(kA, "ce:nats|per:token", 400);
    evaluate(kB, "hinge:crammer|per:example", 400);
    open();
    const auto& panel = the<LabelLossPanel>();
    EXPECT_EQ(panel.plot().data().title, text("−ln p, nats"));
    EXPECT_TRUE(says("sum 4.00 nats"));
    chooseB(kB);
    EXPECT_FALSE(panel.plot().data().bars[0].reference) << "other losses stand on no common axis";
    chooseA(kB);
    EXPECT_EQ(panel.plot().data().title, text("hinge loss"));
    EXPECT_FALSE(says("nats"));
}

TEST_F(InspectPageTest, ALossThatIsNoSumOverLabelsIsSaidToBeSo) {
    store_->add(storage::EvaluationRecord{kA, 1, 400, 1, "valid", "loss", "mse|per:example", 2.0, 100, 0.5});
    asked_.hasLosses = false;
    open();
    EXPECT_TRUE(says("The loss of this task (squared error) is not a sum over labels."));
    EXPECT_FALSE(says("nats"));
    EXPECT_FALSE(says("has no labels"));
}

TEST_F(InspectPageTest, AMutedHeadIsMeasured) {
    open();
    grid().setFocus();
    QTest::keyClick(&grid(), Qt::Key_M);
    EXPECT_THAT(interventions().list().mutedHeads(), ElementsAre(text("decoder.layers.0.cross:0")));
    press("measure");
    ASSERT_TRUE(waitUntil([&] { return !asked_.copyOf(&Asked::effects).empty(); }));
    ASSERT_TRUE(settle());
    const EffectRequest asked = asked_.copyOf(&Asked::effects).back();
    EXPECT_EQ(asked.on.examples, 256);
    ASSERT_EQ(asked.interventions.size(), 1U);
    EXPECT_EQ(textOf(asked.interventions[0]), "decoder.layers.0.cross:0");
    const auto& table = named<QTableWidget>("effects");
    ASSERT_EQ(table.rowCount(), 1);
    EXPECT_EQ(table.item(0, 1)->text(), text("1.8000"));
    EXPECT_EQ(table.item(0, 3)->text(), text("+0.1710 [+0.1610, +0.1810]"));
    EXPECT_EQ(asked_.copyOf(&Asked::texts).back().text, "a man") << "the sentence that is shown is written again";
    QTest::keyClick(&grid(), Qt::Key_M);
    EXPECT_TRUE(interventions().list().mutedHeads().isEmpty()) << "M takes it back";
}

TEST_F(InspectPageTest, ARunInTrainingGoesOnWithWhatIsTicked) {
    setState(kA, "running");
    open();
    auto& train = button("changeTraining");
    EXPECT_FALSE(train.isEnabled()) << "nothing is ticked";
    grid().setFocus();
    QTest::keyClick(&grid(), Qt::Key_M);
    ASSERT_TRUE(train.isEnabled());
    train.click();
    dialog().reject();
    EXPECT_EQ(flagsOf(kA), 0);
    train.click();
    test::named<QAbstractButton>(dialog(), "confirmChange").click();
    ASSERT_TRUE(waitUntil([&] { return flagsOf(kA) == 1; }));
    ASSERT_TRUE(waitUntil([&] { return !train.isEnabled(); })) << "the training goes on with what is ticked";
    EXPECT_TRUE(labelled("In training with 1 intervention"));

    interventions().list().toggle(MuteHead{"decoder.layers.0.cross", 0});
    ASSERT_TRUE(train.isEnabled());
    train.click();  // the run is not comparable any more: nothing is asked again
    ASSERT_TRUE(waitUntil([&] { return labelled("In training, unchanged"); }));
    EXPECT_EQ(flagsOf(kA), 2);
}

TEST_F(InspectPageTest, WhatIsInForceComesTickedAndARefusalIsSaid) {
    setState(kA, "running");
    control_->ask(kA, interventionQuestion({{MuteHead{"encoder.layers.0.self", 1}}, {}}), [](bool, const Json&) {});
    open();
    EXPECT_THAT(interventions().list().mutedHeads(), ElementsAre(text("encoder.layers.0.self:1")));
    EXPECT_FALSE(button("changeTraining").isEnabled());
    press("removeInterventions");
    control_->refuses = true;
    QString said;
    QObject::connect(&studio_->commander(), &Commander::failed, page_.get(),
                     [&](const heddle::ui::Problem& problem) { said = problem.what; });
    press("changeTraining");
    ASSERT_TRUE(waitUntil([&] { return said == text("the run takes no further step"); }));
    EXPECT_TRUE(labelled("In training with 1 intervention"));
}

TEST_F(InspectPageTest, AFinishedRunIsNotTrained) {
    open();
    grid().setFocus();
    QTest::keyClick(&grid(), Qt::Key_M);
    EXPECT_FALSE(button("changeTraining").isEnabled());
    EXPECT_EQ(button("changeTraining").toolTip(), text("The run is not in training."));
}

TEST_F(InspectPageTest, HeadsAreRankedAndChosen) {
    open();
    press("rank");
    auto& table = named<QTableWidget>("ranking");
    ASSERT_TRUE(waitUntil([&] { return table.rowCount() == 4; }));
    EXPECT_EQ(table.item(0, 3)->text(), text("0.0080")) << "the corrected p";
    table.selectRow(2);
    EXPECT_EQ(chosenSublayer(), text("encoder.layers.0.self"));
}

TEST_F(InspectPageTest, HeadsAreRankedByTheirMeanOrAnotherExample) {
    open();
    auto& ablation = named<QComboBox>("ablation");
    auto& table = named<QTableWidget>("ranking");
    auto& kept = named<QComboBox>("keptMeasurements");
    EXPECT_EQ(ablation.itemText(0), text("zero"));
    for (const char* how : {"zero", "mean", "resample"}) {
        ablation.setCurrentText(text(how));
        press("rank");
        ASSERT_TRUE(waitUntil([&] { return says((std::string(how) + " ablation").c_str()); })) << how;
        ASSERT_TRUE(settle());
    }
    EXPECT_EQ(kept.count(), 3) << "neither takes the place of another";
    EXPECT_EQ(kept.currentText(), text("Ranking of heads by resample · valid, 256 examples"));
    EXPECT_EQ(table.item(0, 2)->text(), text("+0.1000 [+0.0980, +0.1020]")) << "the interval that holds for all four";
    EXPECT_THAT(table.horizontalHeaderItem(2)->toolTip().toStdString(), HasSubstr("all 4 changes"));
    table.selectRow(2);
    EXPECT_EQ(chosenSublayer(), text("encoder.layers.0.self"));
}

TEST_F(InspectPageTest, AMeanIsMeasuredAndNotTrained) {
    setState(kA, "running");
    open();
    interventions().list().add(ResampleOutput{"decoder.layers.0.cross", 0});
    EXPECT_THAT(interventions().list().mutedHeads(), ElementsAre(text("decoder.layers.0.cross:0")));
    EXPECT_FALSE(button("changeTraining").isEnabled());
    EXPECT_THAT(button("changeTraining").toolTip().toStdString(), HasSubstr("which a training has not"));
    press("measure");
    ASSERT_TRUE(waitUntil([&] { return !asked_.copyOf(&Asked::effects).empty(); }));
    ASSERT_TRUE(settle());
    EXPECT_TRUE(asked_.copyOf(&Asked::texts).empty()) << "one sentence has no other";
    interventions().list().removeAll();
    interventions().list().add(MeanOutput{"decoder.layers.0.cross"});
    press("measure");
    ASSERT_TRUE(waitUntil([&] { return asked_.copyOf(&Asked::texts).size() == 1; }));
    EXPECT_EQ(asked_.copyOf(&Asked::texts).back().on.examples, 256) << "its mean is over the examples that are measured";
}

TEST_F(InspectPageTest, AFailedRankingSaysWhatToDoNext) {
    open();
    asked_.cannotRank = true;
    press("rank");
    EXPECT_TRUE(waitUntil([&] { return labelled("the split is empty (valid): give sentences"); }));
}

TEST_F(InspectPageTest, ACancelledRankingKeepsWhatItHas) {
    open();
    asked_.ranksForever = true;
    press("rank");
    ASSERT_TRUE(waitUntil([&] { return asked_.isRanking.load(); }));
    EXPECT_FALSE(page_->isSettled());
    press("measure");  // it cancels now
    auto& table = named<QTableWidget>("ranking");
    ASSERT_TRUE(waitUntil([&] { return table.rowCount() == 1; }));
    EXPECT_TRUE(settle());
}

TEST_F(InspectPageTest, WhileRankingRunsThePageCanGo) {
    open();
    asked_.ranksForever = true;
    press("rank");
    ASSERT_TRUE(waitUntil([&] { return asked_.isRanking.load(); }));
    page_.reset();
    EXPECT_FALSE(asked_.isRanking);
}

TEST_F(InspectPageTest, NotShownItAsksNoModel) {
    open();
    const std::size_t before = asked_.copyOf(&Asked::observed).size();
    page_->setShown(false);
    scrub().goPrevious();
    EXPECT_FALSE(waitUntil([&] { return asked_.copyOf(&Asked::observed).size() > before; }, std::chrono::milliseconds(600)));
    page_->setShown(true);
    EXPECT_TRUE(waitUntil([&] { return asked_.copyOf(&Asked::observed).size() > before; }));
}

TEST_F(InspectPageTest, TheRunMenuActsOnRunA) {
    open();
    const QString label = runLabel(*studio_->databases().runWithId(kA)), other = runLabel(*studio_->databases().runWithId(kB));
    const auto offers = [&](const QString& words) {
        for (const QAction* action : page_->runActions())
            if (action->text() == words && action->isEnabled()) return true;
        return false;
    };
    EXPECT_TRUE(offers(text("Clone ") + label));
    EXPECT_TRUE(offers(text("Fork ") + label + text("…")));
    EXPECT_FALSE(offers(text("Clone ") + other));
    chooseB(kB);
    action("swapRuns").trigger();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(offers(text("Clone ") + other));
}

TEST_F(InspectPageTest, AFullSizeIsNotStoredAsTheArrangement) {
    open();
    const auto isShown = [this](const char* dock) { return !named<QDockWidget>(dock).isHidden(); };
    grid().setFocus();
    action("fullSize").trigger();
    ASSERT_FALSE(isShown("inspect_sentence"));
    page_->saveSession(*settings_);
    page_.reset();
    open([this] { page_->restoreSession(*settings_); });
    EXPECT_TRUE(isShown("inspect_sentence"));
    EXPECT_TRUE(isShown("inspect_head"));
    action("fullSize").trigger();
    page_->resetLayout();
    EXPECT_TRUE(isShown("inspect_sentence"));
}

TEST_F(InspectPageTest, ChoicesComeBack) {
    open();
    grid().setCurrent({0, 1});
    head().setView(HeadView::A);
    named<QListWidget>("probeSentences").setCurrentRow(1);
    page_->saveSession(*settings_);
    page_.reset();
    const auto restored = [this] { page_->restoreSession(*settings_); };
    open(restored);
    EXPECT_EQ(grid().current()->head, 1);
    EXPECT_EQ(sentence().probe(), 1) << "chosen before the probes are read";
}
