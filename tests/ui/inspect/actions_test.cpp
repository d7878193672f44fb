// SPDX-License-Identifier: GPL-3.0-or-later
// What the menus of Inspect do, one by one: views, steps, interventions, decoding.
#include "tests/ui/inspect/inspect_page_fixture.h"

#include <QtTest/qtestkeyboard.h>
#include <QAction>
#include <QCheckBox>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QSpinBox>
#include <QToolButton>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using testing::ElementsAre;

namespace {

class InspectActions : public InspectPageTest {
protected:
    std::vector<std::string> ticked() {
        std::vector<std::string> texts;
        for (const Intervention& one : interventions().list().active()) texts.push_back(textOf(one));
        return texts;
    }
    /// The menu of one kind of intervention, in the order of the button's menu.
    QMenu& menuOf(int kind) { return *named<QToolButton>("addIntervention").menu()->actions().at(kind)->menu(); }
    void answer(double value) {
        auto& dialog = test::the<QInputDialog>(*page_);
        dialog.setDoubleValue(value);
        dialog.accept();
        ASSERT_TRUE(waitUntil([&] { return page_->findChild<QInputDialog*>() == nullptr; }));
    }
};

}  // namespace

TEST_F(InspectActions, TheActionsShowAOrBOrBothAndValuesInPlaceOfAMap) {
    open();
    chooseB(kB);
    action("showB").trigger();
    EXPECT_EQ(head().view(), HeadView::B);
    EXPECT_FALSE(head().mapA().isVisible());
    action("showBoth").trigger();
    EXPECT_EQ(head().view(), HeadView::Both);
    EXPECT_TRUE(head().mapA().isVisible());
    EXPECT_FALSE(head().mapDifference().isVisible());
    action("showA").trigger();
    EXPECT_EQ(head().view(), HeadView::A);
    EXPECT_TRUE(head().mapA().isVisible());
    action("valuesOrMap").trigger();
    EXPECT_EQ(head().mapA().mode(), PlotMode::Table);
    action("valuesOrMap").trigger();
    EXPECT_EQ(head().mapA().mode(), PlotMode::Chart);
}

TEST_F(InspectActions, StepsAreWalkedPlayedAndFollowed) {
    open();
    ASSERT_EQ(scrub().step(), 400);
    action("earlierStep").trigger();
    EXPECT_EQ(scrub().step(), 200);
    action("firstStep").trigger();
    EXPECT_EQ(scrub().step(), 1);
    action("laterStep").trigger();
    EXPECT_EQ(scrub().step(), 100);
    action("followSteps").trigger();
    EXPECT_EQ(scrub().step(), 400);
    action("playSteps").trigger();
    EXPECT_EQ(scrub().step(), 1) << "from the first";
    ASSERT_TRUE(waitUntil([&] { return scrub().step() == 100; }));
    action("playSteps").trigger();
    EXPECT_FALSE(waitUntil([&] { return scrub().step() != 100; }, std::chrono::milliseconds(900))) << "it stopped";
    ASSERT_TRUE(settle());
}

TEST_F(InspectActions, AGateIsClampedToTheValueThatIsTyped) {
    open();
    ASSERT_EQ(chosenSublayer(), text("decoder.layers.0.cross"));
    action("clampGate").trigger();
    answer(0.25);
    EXPECT_THAT(ticked(), ElementsAre("decoder.layers.0.cross.residual.gate=0.25"));
    QTest::keyClick(&grid(), Qt::Key_Up);
    action("clampGate").trigger();
    EXPECT_TRUE(says("encoder.layers.0.self has no gate."));
    EXPECT_EQ(page_->findChild<QInputDialog*>(), nullptr);
}

TEST_F(InspectActions, InterventionsAreAddedFromTheMenuAndUnticked) {
    open();
    enum Kind { Mute, Mean, Resample, Clamp, Scale, CutCarry, Identity, Neutral };
    menuOf(Mute).actions().front()->menu()->actions().at(1)->trigger();
    EXPECT_THAT(ticked(), ElementsAre("encoder.layers.0.self:1"));
    menuOf(Scale).actions().front()->trigger();
    answer(0.5);
    menuOf(Identity).actions().front()->trigger();
    ASSERT_EQ(ticked().size(), 3U);
    EXPECT_EQ(ticked()[2], "encoder.layers.0.self");
    EXPECT_FALSE(menuOf(CutCarry).isEnabled()) << "this model carries no scores";
    interventions().list().topLevelItem(0)->setCheckState(0, Qt::Unchecked);
    EXPECT_EQ(ticked().size(), 2U);
    press("removeInterventions");
    EXPECT_TRUE(ticked().empty());
}

TEST_F(InspectActions, BeamSearchDecodingAndTheNumberOfExamplesAreAskedFor) {
    open();
    test::the<QComboBox>(sentence()).setCurrentIndex(1);
    auto& field = named<QLineEdit>("sentence");
    field.setText(text("two dogs"));
    QTest::keyClick(&field, Qt::Key_Return);
    ASSERT_TRUE(settle());
    const ObservationRequest observed = asked_.copyOf(&Asked::observed).back();
    EXPECT_EQ(observed.search.method, SearchOptions::Method::Beam);
    EXPECT_EQ(observed.search.beam, 4);
    named<QSpinBox>("validationExamples").setValue(64);
    test::the<QCheckBox>(interventions()).setChecked(true);
    action("muteHead").trigger();
    press("measure");
    ASSERT_TRUE(waitUntil([&] { return !asked_.copyOf(&Asked::effects).empty(); }));
    ASSERT_TRUE(settle());
    const EffectRequest measured = asked_.copyOf(&Asked::effects).back();
    EXPECT_EQ(measured.depth, EffectRequest::Depth::Decoded);
    EXPECT_EQ(measured.on.examples, 64);
    EXPECT_EQ(measured.interventions.size(), 1U);
}

TEST_F(InspectActions, LogitsAreShownOfAModelThatCarriesScores) {
    open();
    EXPECT_FALSE(button("logits").isEnabled()) << "this model carries none";
    asked_.hasLogits = true;
    scrub().goPrevious();
    ASSERT_TRUE(settle());
    press("logits");
    ASSERT_TRUE(settle());
    ASSERT_EQ(grid().data().rows.size(), 1U);
    EXPECT_EQ(grid().data().rows[0].path, text("decoder.layers.0.cross.score"));
    EXPECT_EQ(grid().data().scale.map, MapId::Signed);
}

TEST_F(InspectActions, GatesAreRankedLikeHeads) {
    open();
    auto &ranked = named<QComboBox>("ranked"), &ablation = named<QComboBox>("ablation");
    ranked.setCurrentText(text("gates"));
    EXPECT_EQ(ablation.itemText(0), text("held at 1")) << "which is no gate";
    press("rank");
    ASSERT_TRUE(waitUntil([&] { return !asked_.copyOf(&Asked::ranked).empty(); }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(asked_.copyOf(&Asked::ranked).back().what, RankRequest::What::Gates);
    EXPECT_EQ(asked_.copyOf(&Asked::ranked).back().ablation, RankRequest::Ablation::Value);
    ranked.setCurrentText(text("heads"));
    EXPECT_EQ(ablation.itemText(0), text("zero"));
}
