// SPDX-License-Identifier: GPL-3.0-or-later
// Use of the page: pointer, keyboard, undo, text, plan, saving, session.
#include "engine/analysis/run_group.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"
#include "tests/ui/compose/open_page.h"
#include "ui/pages/compose/plan/plan_table.h"
#include "ui/theme/icons.h"

#include <QtTest/qtestkeyboard.h>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>

namespace heddle::ui::test {

TEST_F(ComposeTest, TheFirstStartShowsAVariantAndItsBaseline) {
    page().show();
    page().setShown(true);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(draft().problems().empty());
    EXPECT_FALSE(draft().isModified());
    EXPECT_FALSE(draft().baselineName().isEmpty());
    EXPECT_GT(draft().differences().size(), 0U);
    EXPECT_EQ(page().diagram().diagram().frames.size(), 2U);
    ASSERT_TRUE(draft().site()) << "the inspector shows a slot";
    EXPECT_TRUE(draft().differs(modulePath(*draft().site(), 0)));
}

TEST_F(OpenPage, AClickSelectsAndAChoiceChangesTheCounts) {
    click("encoder.self.adjuster");
    ASSERT_TRUE(draft().site());
    EXPECT_EQ(draft().site()->slot, "adjuster");
    EXPECT_EQ(draft().site()->last, 1) << "a folded frame is all its layers";
    const auto before = draft().facts()->cost.parameters;
    ChoiceRow* none = choice("none");
    ASSERT_NE(none, nullptr);
    QTest::mouseClick(none, Qt::LeftButton);
    EXPECT_EQ(idAt("encoder.layers.1.self.adjuster"), "none");
    EXPECT_LT(draft().facts()->cost.parameters, before);
    EXPECT_TRUE(draft().site()) << "the selection is kept";
    page().editActions().front()->trigger();  // undo; its text names the step
    EXPECT_EQ(draft().facts()->cost.parameters, before);
}

TEST_F(OpenPage, TheKeyboardSelectsInspectsAndFolds) {
    DiagramView& view = page().diagram();
    view.setFocus(Qt::TabFocusReason);
    click("encoder.self.adjuster");
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(draft().site()->slot, "dropout");
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(draft().site()->slot, "residual");
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_EQ(draft().site()->stack, "decoder");
    QTest::keyClick(&view, Qt::Key_Return);
    EXPECT_NE(qobject_cast<ChoiceRow*>(QApplication::focusWidget()), nullptr);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Space);
    EXPECT_EQ(view.diagram().frames.size(), 3U);
    EXPECT_EQ(draft().site()->first, draft().site()->last);
    QTest::keyClick(&view, Qt::Key_Space);
    EXPECT_EQ(view.diagram().frames.size(), 2U);
    QTest::keyClick(&view, Qt::Key_Escape);
    EXPECT_FALSE(draft().site());
}

TEST_F(OpenPage, ScoreCarriesCanBeHidden) {
    page().drafts().open(Json{{"preset", "thesis-G2"}}, text("g2"));
    ASSERT_TRUE(waitUntil([&] { return draft().isSettled() && draft().name() == text("g2"); }));
    actionNamed(page().viewActions(), "unfoldLayers").setChecked(false);
    actionNamed(page().viewActions(), "unfoldLayers").trigger();
    EXPECT_EQ(arcs(), 10);
    QAction* carries = &actionNamed(page().viewActions(), "showCarries");
    carries->trigger();
    EXPECT_EQ(arcs(), 0);
    carries->trigger();
    EXPECT_EQ(arcs(), 10);
}

TEST_F(OpenPage, UnfoldedLayersAreEditedOneByOne) {
    QAction* unfold = &actionNamed(page().viewActions(), "unfoldLayers");
    unfold->trigger();
    EXPECT_EQ(page().diagram().diagram().frames.size(), 4U);
    click("encoder.layers.1.self.adjuster");
    ASSERT_EQ(draft().site()->first, 1);
    QTest::mouseClick(choice("none"), Qt::LeftButton);
    EXPECT_EQ(idAt("encoder.layers.0.self.adjuster"), "eau");
    EXPECT_EQ(idAt("encoder.layers.1.self.adjuster"), "none");
    unfold->trigger();
    EXPECT_EQ(page().diagram().diagram().frames.size(), 3U) << "unequal layers are not folded";
}

TEST_F(OpenPage, TheFormEditsParametersAndShowsErrors) {
    click("encoder.self.adjuster");
    auto* hidden = findNamed<QLineEdit>(page(), "hidden");
    ASSERT_NE(hidden, nullptr);
    hidden->setFocus();
    hidden->setText(text("16"));
    QTest::keyClick(hidden, Qt::Key_Return);
    EXPECT_EQ(choiceAt(draft().facts()->variant, site("encoder.self.adjuster"))->params["hidden"], 16);
    hidden->setText(text("many"));
    QTest::keyClick(hidden, Qt::Key_Return);
    EXPECT_FALSE(hidden->accessibleDescription().isEmpty());
    EXPECT_EQ(choiceAt(draft().facts()->variant, site("encoder.self.adjuster"))->params["hidden"], 16);
    hidden->clear();
    QTest::keyClick(hidden, Qt::Key_Return);
    EXPECT_TRUE(choiceAt(draft().facts()->variant, site("encoder.self.adjuster"))->params["hidden"].is_null());
    auto* heads = findNamed<QSpinBox>(page(), "heads");
    ASSERT_NE(heads, nullptr);
    heads->setValue(7);
    EXPECT_EQ(draft().problems().size(), 1U);
    EXPECT_EQ(heads->value(), 7) << "the field keeps what was entered";
    EXPECT_TRUE(total("parametersValue").contains(text(","))) << "the counts are kept";
}

TEST_F(OpenPage, TextIsAppliedAsOneStepAndMistakesAreLocated) {
    auto* edit = findNamed<QPlainTextEdit>(page(), "jsonText");
    QString json = edit->toPlainText();
    EXPECT_TRUE(json.contains(text("\"preset\": \"eau-full\"")));
    edit->setPlainText(json.replace(text("\"f\": 256"), text("\"f\": 300")));
    ASSERT_TRUE(named<QPushButton>(page(), "applyJson").isEnabled());
    named<QPushButton>(page(), "applyJson").click();
    EXPECT_EQ(draft().facts()->variant.dims.f, 300);
    EXPECT_EQ(draft().history().count(), 1);
    EXPECT_FALSE(named<QPushButton>(page(), "applyJson").isEnabled());
    edit->setPlainText(text("{\n  \"variant\": {,}\n}"));
    named<QPushButton>(page(), "applyJson").click();
    EXPECT_EQ(draft().history().count(), 1);
    EXPECT_EQ(edit->textCursor().blockNumber(), 1) << "the cursor is at the mistake";
    draft().apply({"dims.f=400"}, text("f"));
    EXPECT_TRUE(edit->toPlainText().contains(text("{,}"))) << "unapplied text is kept";
    named<QPushButton>(page(), "revertJson").click();
    EXPECT_TRUE(edit->toPlainText().contains(text("400")));
}

TEST_F(OpenPage, ThePlanQueuesARunForEachSeedAndOpensWatch) {
    openDatabase();
    auto* data = findNamed<QComboBox>(page(), "dataChoice");
    EXPECT_FALSE(named<QPushButton>(page(), "startRuns").isEnabled()) << "no data yet";
    data->setCurrentIndex(0);
    Q_EMIT data->activated(0);
    draft().setSeeds(text("3,1"));
    auto& start = named<QPushButton>(page(), "startRuns");
    ASSERT_TRUE(start.isEnabled());
    EXPECT_TRUE(start.text().contains(text("2"))) << "the number of runs";
    QSignalSpy gone(&studio_, &Studio::pageRequested);
    start.click();
    ASSERT_TRUE(waitUntil([&] { return gone.size() == 1 && control_.specs().size() == 2; }));
    EXPECT_EQ(gone[0][0].value<PageId>(), PageId::Watch);
    EXPECT_EQ(studio_.currentRun().id, "run1");
    EXPECT_EQ(control_.specs()[0].seed, 3U);
    EXPECT_EQ(control_.specs()[1].seed, 1U);
    EXPECT_EQ(control_.specs()[0].name, "full");
    EXPECT_TRUE(QString::fromStdString(control_.specs()[0].data.train.source).endsWith(text("sample/train.en")));
}

TEST_F(OpenPage, AMissingFileIsReportedAndNothingIsQueued) {
    draft().apply({"data.train.source=/nowhere/a", "data.train.target=/nowhere/b"}, text("files"));
    QSignalSpy said(&studio_, &Studio::messageRequested);
    named<QPushButton>(page(), "startRuns").click();
    ASSERT_TRUE(waitUntil([&] { return said.size() == 1; }));
    EXPECT_TRUE(said[0][0].value<MessageStrip::Message>().text.contains(text("/nowhere/a")));
    EXPECT_TRUE(control_.specs().empty());
}

TEST_F(OpenPage, SavingWritesTheDocumentToTheDatabase) {
    openDatabase();
    draft().apply({"dims.f=300"}, text("f"));
    EXPECT_TRUE(draft().isModified());
    actionNamed(page().editActions(), "saveVariant").trigger();
    ASSERT_TRUE(waitUntil([&] { return !draft().isModified(); }));
    const auto edits = control_.edits();
    const auto saved = std::find_if(edits.begin(), edits.end(), [](const Edit& edit) {
        const auto* item = std::get_if<PutItem>(&edit);
        return item && item->kind == "variant";
    });
    ASSERT_NE(saved, edits.end());
    EXPECT_EQ(std::get<PutItem>(*saved).key, "full");
    EXPECT_EQ(std::get<PutItem>(*saved).body, draft().document());
}

TEST_F(OpenPage, AMessageReturnsToTheReplacedDraft) {
    draft().apply({"dims.f=300"}, text("f"));
    studio_.compose(Json{{"preset", "eau-base"}}, text("other"));
    EXPECT_EQ(draft().name(), text("other"));
    named<QPushButton>(page(), "returnToDraft").click();
    EXPECT_EQ(draft().name(), text("full"));
    EXPECT_EQ(draft().facts()->variant.dims.f, 300);
}

TEST_F(OpenPage, ThePinnedDraftIsTheBaseline) {
    page().diagram().setFocus();
    QTest::keyClick(&page().diagram(), Qt::Key_B);
    EXPECT_EQ(draft().baselineName(), text("full"));
    EXPECT_TRUE(draft().differences().empty());
    EXPECT_EQ(studio_.colours().baseline(), plannedKey(RunSpec::parse(draft().document(), builtinCatalogue()).toJson().dump()));
}

TEST_F(OpenPage, ALargeDraftIsPinnedBeforeItIsEvaluated) {
    draft().apply({"dims.layers_enc=40"}, text("deep"));
    ASSERT_TRUE(settle());
    page().drafts().pinShown();
    EXPECT_EQ(studio_.colours().baseline(), plannedKey(RunSpec::parse(draft().document(), builtinCatalogue()).toJson().dump()));
}

TEST_F(OpenPage, AVariantWithInvalidTrainingIsPinnedWithAMessage) {
    QSignalSpy told(&studio_, &Studio::messageRequested);
    PresetEntry entry;
    entry.name = text("mine");
    entry.document = {{"variant", small()}, {"train", {{"epochs", 0}}}};
    page().drafts().pinEntry(entry);
    EXPECT_EQ(told.size(), 1);
    EXPECT_EQ(draft().baselineName(), text("mine"));
}

TEST_F(OpenPage, TheMatchedControlIsTheBaselineAtNearlyEqualSize) {
    const auto wanted = draft().facts()->cost.parameters;
    page().diagram().setFocus();
    QTest::keyClick(&page().diagram(), Qt::Key_M);
    ASSERT_TRUE(waitUntil([&] { return draft().name() != text("full"); }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(idAt("encoder.self.adjuster"), "none");
    const auto perWidth = 4 * (2 * 64 + 1);  // one unit of f in each of 4 layers
    EXPECT_LE(std::abs(draft().facts()->cost.parameters - wanted), perWidth / 2 + 1);
    ASSERT_NE(findNamed<QPushButton>(page(), "returnToDraft"), nullptr);
}

TEST_F(OpenPage, TheMatchedControlKeepsTheExperiment) {
    draft().setBaseline(Json{{"schema", 1},
                             {"name", "old"},
                             {"variant", {{"preset", "eau-base"}, {"dims", small()["dims"]}}},
                             {"train", {{"epochs", 3}, {"lr", 0.5}}},
                             {"seed", 9}},
                        text("base"));
    draft().apply({"train.steps=60", "train.batch.tokens=512", "train.device=cpu", "record.histograms_every=5", "seed=4",
                   "data.train.source=/corpus/a", "data.train.target=/corpus/b"},
                  text("plan"));
    const Json experiment = draft().document();
    page().diagram().setFocus();
    QTest::keyClick(&page().diagram(), Qt::Key_M);
    ASSERT_TRUE(waitUntil([&] { return draft().name() != text("full"); }));
    const Json control = draft().document();
    EXPECT_EQ(control["variant"]["preset"], "eau-base");
    for (const char* part : {"train", "data", "record", "seed"}) EXPECT_EQ(control[part], experiment[part]) << part;
    EXPECT_FALSE(control.contains("name")) << "the plan sets the name";
}

TEST_F(OpenPage, TheSessionKeepsDraftBaselineAndFolds) {
    draft().apply({"dims.f=300"}, text("f"));
    actionNamed(page().viewActions(), "unfoldLayers").trigger();
    save(page(), settings_);
    ComposePage again(studio_);
    again.restoreSession(settings_);
    ASSERT_TRUE(waitUntil([&] { return again.isSettled(); }));
    EXPECT_EQ(again.draft().name(), text("full"));
    EXPECT_EQ(again.draft().document(), draft().document());
    EXPECT_TRUE(again.draft().isModified());
    EXPECT_EQ(again.draft().baselineName(), text("base"));
    EXPECT_EQ(again.diagram().diagram().frames.size(), 4U);
}

TEST_F(OpenPage, AProblemSelectsItsSlot) {
    draft().apply({"decoder.cross.adjuster.hidden=-1"}, text("wrong"));
    auto* problems = findNamed<QTreeView>(page(), "problems");
    ASSERT_NE(problems, nullptr);
    Q_EMIT problems->clicked(problems->model()->index(0, 0));
    ASSERT_TRUE(draft().site());
    EXPECT_EQ(draft().site()->sublayer, "cross");
    EXPECT_EQ(draft().site()->slot, "adjuster");
}

TEST_F(OpenPage, EveryFocusableWidgetHasAName) {
    for (auto* widget : page().findChildren<QWidget*>()) {
        if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisibleTo(&page())) continue;
        auto* label = qobject_cast<QAbstractButton*>(widget);
        auto* area = qobject_cast<QAbstractScrollArea*>(widget->parentWidget());
        const bool inner = (area && area->viewport() == widget) || widget->objectName().startsWith(text("qt_")) ||
                           qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) ||
                           qobject_cast<QComboBox*>(widget->parentWidget()) || qobject_cast<QTabBar*>(widget) ||
                           qobject_cast<QTabWidget*>(widget);
        EXPECT_TRUE(inner || !widget->accessibleName().isEmpty() || (label && !label->text().isEmpty()))
            << widget->metaObject()->className() << " in " << widget->parentWidget()->metaObject()->className();
    }
}

TEST_F(OpenPage, NoActionHasThePlusIcon) {
    const auto picture = [](const QIcon& icon) { return icon.pixmap(32).toImage(); };
    const QImage plus = picture(themeIcon(Icon::Plus));
    for (const QAction* one : page().findChildren<QAction*>())
        EXPECT_TRUE(one->icon().isNull() || picture(one->icon()) != plus) << one->text().toStdString();
}

TEST_F(OpenPage, TheOutlineAndTheSelectionAreInStep) {
    auto* outline = findNamed<QTreeView>(page(), "outline");
    auto* tabs = findNamed<QTabWidget>(page(), "partsTabs");
    ASSERT_TRUE(outline && tabs);
    click("encoder.ffn.residual");
    tabs->setCurrentIndex(2);
    EXPECT_TRUE(outline->currentIndex().data().toString().startsWith(text("residual")));
    draft().apply({"encoder.ffn.residual=add"}, text("add"));
    EXPECT_EQ(outline->currentIndex().data().toString(), text("residual  add"));
    outline->setCurrentIndex(outline->model()->index(0, 0));
    EXPECT_EQ(draft().site()->slot, "embed");
}

/// Writes pictures of the page to $HEDDLE_SHOTS, each theme from a new page.
class Shots : public OpenPage, public testing::WithParamInterface<Appearance> {
protected:
    void SetUp() override {
        Theme::instance().setAppearance(GetParam());
        OpenPage::SetUp();
    }
    void TearDown() override { Theme::instance().setAppearance(Appearance::Light); }
    void shoot(const char* what) {
        QTest::qWait(60);
        const QString theme = GetParam() == Appearance::Light ? text("light") : text("dark");
        const QString folder = qEnvironmentVariable("HEDDLE_SHOTS", text("/tmp"));
        ASSERT_TRUE(page().grab().save(QStringLiteral("%1/%2-%3.png").arg(folder, text(what), theme)));
    }
};

TEST_P(Shots, DISABLED_OfThePage) {
    draft().select(site("encoder.self.adjuster"));
    shoot("compose");
    for (const auto& [words, before] :
         {std::pair{"compose-over", Json{{"preset", "realformer"}}},
          std::pair{"compose-over-base", Json{{"preset", "eau-base"}, {"dims", small()["dims"]}}}}) {
        draft().setBaseline(before, text("other"));
        auto* menu = findNamed<QToolButton>(page(), "overButton")->menu();
        Q_EMIT menu->aboutToShow();
        menu->actions()[1]->trigger();
        page().diagram().fit();
        shoot(words);
        menu->actions()[0]->trigger();
    }
    page().diagram().fit();
    QAction* unfold = &actionNamed(page().viewActions(), "unfoldLayers");
    unfold->trigger();
    draft().apply({"dims.heads=7"}, text("heads"));
    draft().apply({"encoder.layers.1.self.adjuster.hidden=-1"}, text("hidden"));
    page().diagram().fit();
    shoot("compose-problems");
    draft().history().undo();
    draft().history().undo();
    unfold->trigger();
    actionNamed(page().runActions(), "planExperiment").trigger();
    draft().setSeeds(text("1,2,3"));
    studio_.services().stepTimer = [](const Json&, const std::function<bool()>&) { return StepTime{0.0588, 0.058, 0.06}; };
    studio_.services().stepMeter = [](const VariantSpec& spec, const BatchShape&) {
        StepMemory memory;
        memory.peakBytes = 4e9 + 1e6 * double(spec.compact().dump().size());
        return memory;
    };
    draft().apply({"data.train.source=a.en", "data.train.target=a.de", "dims.f=200"}, text("data"));
    draft().setBaseline(Json{{"preset", "eau-base"}, {"dims", draft().document()["variant"]["dims"]}}, text("base"));
    auto* plan = page().findChild<PlanTable*>();
    named<QAction>(*plan, "addControl").trigger();
    ASSERT_TRUE(waitUntil([&] { return plan->model().rowCount() == 2; }));
    named<QAction>(*plan, "addDraft").trigger();
    plan->model().setData(plan->model().index(2, int(PlanColumn::Settings)), text("train.lr=0.001 train.steps=4000"),
                          Qt::EditRole);
    ASSERT_TRUE(settle());
    named<QAction>(*plan, "timeSteps").trigger();
    ASSERT_TRUE(settle());
    shoot("compose-plan");
}

INSTANTIATE_TEST_SUITE_P(Themes, Shots, testing::Values(Appearance::Light, Appearance::Dark));

}  // namespace heddle::ui::test
