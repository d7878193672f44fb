// SPDX-License-Identifier: GPL-3.0-or-later
// Empty cards fold away, and the user chooses which cards are shown.
#include "tests/ui/watch/watch_fixture.h"
#include "ui/pages/layout_box.h"
#include "ui/pages/watch/cards.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/curve_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sparsity_panel.h"
#include "ui/widgets/panel_title.h"

#include <QtTest/qtestkeyboard.h>
#include <QAction>
#include <QToolButton>

using namespace heddle::ui;
using namespace heddle::ui::test;
using namespace heddle::ui::watch;

namespace {

QAction& panelAction(const WatchPage& page, const char* name) { return actionNamed(page.panelActions(), name); }

QList<QToolButton*> entries(WatchPage& page) {
    QList<QToolButton*> shown;
    for (auto* entry : the<CardChoice>(page).findChildren<QToolButton*>())
        if (entry->isVisible()) shown << entry;
    return shown;
}

QString note(const Panel& card) { return the<PanelTitle>(card).note(); }

TEST_F(WatchTest, CardsAboutWhichARunHasNothingAreFoldedAndOpenByKey) {
    add({.snapshots = false});
    WatchPage& page = open();
    auto& gates = the<GatesPanel>(page);
    EXPECT_TRUE(waitUntil([&] { return !gates.isVisible() && !the<SparsityPanel>(page).isVisible(); }));
    EXPECT_FALSE(the<AttentionPanel>(page).isVisible());
    EXPECT_FALSE(gates.parentWidget()->isVisible()) << "the curves have its room";
    ASSERT_EQ(entries(page).size(), 3);
    QToolButton* const entry = entries(page)[1];
    EXPECT_EQ(entry->text(), text("Gates: No gates in this run"));
    EXPECT_TRUE(entry->focusPolicy() & Qt::TabFocus);
    entry->setFocus(Qt::TabFocusReason);
    QTest::keyClick(entry, Qt::Key_Space);
    EXPECT_TRUE(gates.isVisible());
    EXPECT_EQ(entries(page).size(), 2);
}

TEST_F(WatchTest, ACardUnfoldsWhenTheRunHasSomethingForIt) {
    add({.snapshots = false});
    WatchPage& page = open();
    auto& gates = the<GatesPanel>(page);
    ASSERT_TRUE(waitUntil([&] { return !gates.isVisible(); }));
    store_->add(gateOf("aaaaaaaaaaaa", 300));
    EXPECT_TRUE(waitUntil([&] { return gates.isVisible(); }, std::chrono::seconds(20)));
}

TEST_F(WatchTest, AStepWithoutARecordFoldsNothing) {
    add({});
    WatchPage& page = open();
    for (Panel* card : the<Cards>(page).group().panels()) EXPECT_TRUE(card->isVisible()) << card->title().toStdString();
    the<ScrubBar>(page).goFirst();  // before the first evaluation
    auto& sparsity = the<SparsityPanel>(page);
    ASSERT_TRUE(waitUntil([&] { return !sparsity.bars().isVisible(); }));
    EXPECT_TRUE(sparsity.isVisible());
    EXPECT_FALSE(the<CardChoice>(page).isVisible());
}

TEST_F(WatchTest, TheMenuHidesCardsAndTheSessionKeepsTheChoice) {
    add({});
    WatchPage& page = open();
    auto& attention = the<AttentionPanel>(page);
    panelAction(page, "attention").trigger();
    EXPECT_FALSE(attention.isVisible());
    EXPECT_TRUE(entries(page).isEmpty()) << "hidden is not folded";
    panelAction(page, "loss").trigger();
    page.saveSession(*settings_);
    WatchPage again(*studio_);
    again.restoreSession(*settings_);
    EXPECT_FALSE(panelAction(again, "attention").isChecked());
    EXPECT_FALSE(panelAction(again, "loss").isChecked());
    EXPECT_TRUE(panelAction(again, "gates").isChecked());
    EXPECT_TRUE(the<AttentionPanel>(again).isHidden());
    again.resetLayout();
    EXPECT_FALSE(the<AttentionPanel>(again).isHidden());
    EXPECT_NO_THROW(panelAction(again, "watch_queue")) << "docks are in the menu, too";
}

TEST_F(WatchTest, ANamedLayoutHoldsWhichCardsAreShown) {
    add({.snapshots = false});
    WatchPage& page = open();
    auto& gates = the<GatesPanel>(page);
    ASSERT_TRUE(waitUntil([&] { return entries(page).size() == 3; }));
    auto& layouts = the<LayoutBox>(page);
    panelAction(page, "accuracy").trigger();
    entries(page)[1]->click();
    ASSERT_TRUE(gates.isVisible());
    layouts.save(text("loss and gates"));
    layouts.apply({});
    EXPECT_TRUE(panelAction(page, "accuracy").isChecked());
    EXPECT_FALSE(gates.isVisible()) << "folded: the run has none";
    layouts.apply(text("loss and gates"));
    EXPECT_FALSE(panelAction(page, "accuracy").isChecked());
    EXPECT_TRUE(panelAction(page, "loss").isChecked());
    EXPECT_TRUE(gates.isVisible()) << "it was opened";
    EXPECT_EQ(entries(page).size(), 2);
}

TEST_F(WatchTest, ALowCardScrollsItsRowsOfWeights) {
    add({});
    WatchPage& page = open();
    auto& sparsity = the<SparsityPanel>(page);
    ASSERT_TRUE(waitUntil([&] { return sparsity.bars().isVisible(); }));
    sparsity.setFixedHeight(80);
    ASSERT_TRUE(waitUntil([&] { return sparsity.height() == 80; }));
    EXPECT_GE(sparsity.bars().height(), sparsity.bars().leastHeight());
}

}  // namespace

TEST_F(WatchTest, AxesSayWhatTheSignaturesSay) {
    add({});
    store_->add(heddle::storage::EvaluationRecord{"aaaaaaaaaaaa", 1, 100, 1, "train", "objective",
                                                  "ce:nats|smoothing:0.1|per:token", 5, 10, 1});
    add({"bbbbbbbbbbbb", "numbers", "completed", "h2", 0, 500});
    store_->add(
        heddle::storage::EvaluationRecord{"bbbbbbbbbbbb", 1, 100, 1, "valid", "loss", "mse|per:example", 2.9e29, 10, 1});
    auto& page = open();
    auto& loss = named<CurvePanel>(page, "loss");
    auto& accuracy = named<CurvePanel>(page, "accuracy");
    EXPECT_EQ(note(loss), text("nats per token; train with label smoothing 0.10, valid without"));
    EXPECT_EQ(note(accuracy), text("share of tokens right, teacher forcing, %"));
    studio_->setCurrentRun(studio_->databases().runWithId("bbbbbbbbbbbb")->ref);
    ASSERT_TRUE(settle());
    EXPECT_EQ(note(loss), text("squared error per example"));
    EXPECT_EQ(note(accuracy), QString());
}

TEST_F(WatchTest, GatesKeepOnlyTheSnapshotsOfTheirPicture) {
    add({.snapshots = false});
    for (std::int64_t step = 1; step <= 400; step += 2) store_->add(gateOf("aaaaaaaaaaaa", step));
    WatchPage& page = open();
    auto& gates = the<GatesPanel>(page);
    ASSERT_TRUE(waitUntil([&] { return gates.isVisible() && gates.held() > 0; }));
    ASSERT_TRUE(settle());
    const std::size_t before = gates.held();
    for (int i = 0; i < 24; ++i) {
        the<ScrubBar>(page).goPrevious();
        ASSERT_TRUE(settle());
    }
    EXPECT_LE(gates.held(), before + 1);
}
