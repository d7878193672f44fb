// SPDX-License-Identifier: GPL-3.0-or-later
// The page as a user has it: pointer, keyboard, undo, text, plan, saving, session.
#include "tests/ui/compose/compose_fixture.h"
#include "ui/pages/compose/choice_row.h"
#include "ui/pages/compose/plan_panel.h"
#include "ui/pages/compose/plan_table.h"
#include "ui/pages/compose/totals_strip.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QtTest/qtestsystem.h>
#include <QAbstractScrollArea>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTreeView>

namespace heddle::ui::test {
namespace {

QString text(const char* words) { return QString::fromUtf8(words); }

template <class Widget>
Widget* named(QWidget& parent, const char* accessibleName) {
    for (auto* widget : parent.findChildren<Widget*>())
        if (widget->accessibleName() == text(accessibleName)) return widget;
    return nullptr;
}

QPushButton* button(QWidget& parent, const char* words) {
    for (auto* widget : parent.findChildren<QPushButton*>())
        if (widget->text() == text(words)) return widget;
    return nullptr;
}

QAction* action(const QList<QAction*>& actions, const char* words) {
    for (QAction* each : actions)
        if (each->text() == text(words)) return each;
    return nullptr;
}

}  // namespace

class OpenPage : public ComposeTest {
protected:
    void SetUp() override {
        page().resize(1376, 852);
        page().show();
        page().setShown(true);
        page().activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&page()));
        ASSERT_TRUE(settle());
        draft().setBaseline(Json{{"preset", "eau-base"}, {"dims", small()["dims"]}}, text("base"));
        page().openDraft(small(), text("full"));
        ASSERT_TRUE(settle());
    }
    SlotSite site(const char* path) { return siteOfPath(path, draft().facts()->variant).value(); }
    void click(const char* path) {
        const auto& diagram = page().diagram().diagram();
        const QPointF center = diagram.boxes[std::size_t(diagram.boxOf(site(path)))].rect.center();
        QTest::mouseClick(page().diagram().viewport(), Qt::LeftButton, {}, page().diagram().mapFromScene(center));
    }
    std::string idAt(const char* path) { return choiceAt(draft().facts()->variant, site(path))->id; }
    ChoiceRow* choice(const char* name) {
        for (auto* row : page().findChildren<ChoiceRow*>())
            if (row->isVisibleTo(&page()) && row->accessibleName().startsWith(text(name))) return row;
        return nullptr;
    }
};

TEST_F(ComposeTest, TheFirstStartShowsAVariantBesideItsBaseline) {
    page().show();
    page().setShown(true);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(draft().problems().empty());
    EXPECT_FALSE(draft().isModified());
    EXPECT_FALSE(draft().baselineName().isEmpty());
    EXPECT_GT(draft().differences().size(), 0U);
    EXPECT_EQ(page().diagram().diagram().frames.size(), 2U);
    ASSERT_TRUE(page().site()) << "the inspector has something to show";
    EXPECT_TRUE(draft().differs(modulePath(*page().site(), 0)));
}

TEST_F(OpenPage, AClickSelectsAndAChoiceChangesTheCounts) {
    click("encoder.self.adjuster");
    ASSERT_TRUE(page().site());
    EXPECT_EQ(page().site()->slot, "adjuster");
    EXPECT_EQ(page().site()->last, 1) << "a folded frame stands for all its layers";
    const auto before = draft().facts()->cost.parameters;
    ChoiceRow* none = choice("none");
    ASSERT_NE(none, nullptr);
    QTest::mouseClick(none, Qt::LeftButton);
    EXPECT_EQ(idAt("encoder.layers.1.self.adjuster"), "none");
    EXPECT_LT(draft().facts()->cost.parameters, before);
    EXPECT_TRUE(page().site()) << "the selection stays";
    page().editActions().front()->trigger();  // its text names what it takes back
    EXPECT_EQ(draft().facts()->cost.parameters, before);
}

TEST_F(OpenPage, TheMemoryOfAStepStandsBesideTheCounts) {
    auto* totals = page().findChild<TotalsStrip*>();
    EXPECT_EQ(totals->memoryText(), QString()) << "without an engine nothing is said";
    std::atomic<int> measured = 0;
    studio_.setStepMeter([&](const VariantSpec& spec, const BatchShape& shape) {
        ++measured;
        const Dims dims = spec.resolve().dims;
        if (dims.vocabSrc <= 0 || dims.vocabTgt <= 0 || shape.source != dims.maxLen)
            throw std::runtime_error("sizes are missing");
        StepMemory memory;
        memory.peakBytes = double(dims.d) * 1024 * 1024;
        return memory;
    });
    draft().apply({"dims.d=32"}, text("width"));
    EXPECT_TRUE(waitUntil([&] { return totals->memoryText() == text("32.0 MiB"); })) << totals->memoryText().toStdString();
    draft().apply({"dims.d=48"}, text("width"));
    draft().apply({"dims.d=64"}, text("width"));
    EXPECT_TRUE(waitUntil([&] { return totals->memoryText() == text("64.0 MiB"); })) << totals->memoryText().toStdString();
    EXPECT_EQ(measured, 2) << "what is edited on is not measured";
}

TEST_F(OpenPage, TheKeyboardWalksInspectsAndFolds) {
    DiagramView& view = page().diagram();
    view.setFocus(Qt::TabFocusReason);
    click("encoder.self.adjuster");
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(page().site()->slot, "dropout");
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(page().site()->slot, "residual");
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_EQ(page().site()->stack, "decoder");
    QTest::keyClick(&view, Qt::Key_Return);
    EXPECT_NE(qobject_cast<ChoiceRow*>(QApplication::focusWidget()), nullptr);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Space);
    EXPECT_EQ(view.diagram().frames.size(), 3U);
    EXPECT_EQ(page().site()->first, page().site()->last);
    QTest::keyClick(&view, Qt::Key_Space);
    EXPECT_EQ(view.diagram().frames.size(), 2U);
    QTest::keyClick(&view, Qt::Key_Escape);
    EXPECT_FALSE(page().site());
}

TEST_F(OpenPage, UnfoldedLayersAreEditedOneByOne) {
    QAction* unfold = action(page().viewActions(), "Unfold layers");
    unfold->trigger();
    EXPECT_EQ(page().diagram().diagram().frames.size(), 4U);
    click("encoder.layers.1.self.adjuster");
    ASSERT_EQ(page().site()->first, 1);
    QTest::mouseClick(choice("none"), Qt::LeftButton);
    EXPECT_EQ(idAt("encoder.layers.0.self.adjuster"), "eau");
    EXPECT_EQ(idAt("encoder.layers.1.self.adjuster"), "none");
    unfold->trigger();
    EXPECT_EQ(page().diagram().diagram().frames.size(), 3U) << "unequal layers stay apart";
}

TEST_F(OpenPage, TheFormEditsParametersAndShowsWhatIsWrong) {
    click("encoder.self.adjuster");
    auto* hidden = named<QLineEdit>(page(), "hidden");
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
    auto* heads = named<QSpinBox>(page(), "heads");
    ASSERT_NE(heads, nullptr);
    heads->setValue(7);
    EXPECT_EQ(draft().problems().size(), 1U);
    EXPECT_EQ(heads->value(), 7) << "the field keeps what was entered";
    EXPECT_TRUE(page().findChild<TotalsStrip*>()->parametersText().contains(text(","))) << "counts stay";
}

TEST_F(OpenPage, TextIsAppliedAsOneStepAndMistakesAreLocated) {
    auto* edit = named<QPlainTextEdit>(page(), "Specification as JSON");
    QString json = edit->toPlainText();
    EXPECT_TRUE(json.contains(text("\"preset\": \"eau-full\"")));
    edit->setPlainText(json.replace(text("\"f\": 256"), text("\"f\": 300")));
    ASSERT_TRUE(button(page(), "Apply")->isEnabled());
    button(page(), "Apply")->click();
    EXPECT_EQ(draft().facts()->variant.dims.f, 300);
    EXPECT_EQ(draft().history().count(), 1);
    EXPECT_FALSE(button(page(), "Apply")->isEnabled());
    edit->setPlainText(text("{\n  \"variant\": {,}\n}"));
    button(page(), "Apply")->click();
    EXPECT_EQ(draft().history().count(), 1);
    EXPECT_EQ(edit->textCursor().blockNumber(), 1) << "the cursor stands on the mistake";
    draft().apply({"dims.f=400"}, text("f"));
    EXPECT_TRUE(edit->toPlainText().contains(text("{,}"))) << "text in work is not lost";
    button(page(), "Revert")->click();
    EXPECT_TRUE(edit->toPlainText().contains(text("400")));
}

TEST_F(OpenPage, ThePlanQueuesOneRunASeedAndGoesToWatch) {
    auto* plan = page().findChild<PlanPanel*>();
    auto* data = named<QComboBox>(page(), "Data");
    EXPECT_FALSE(button(page(), "Start run")->isEnabled()) << "no data yet";
    data->setCurrentIndex(0);
    Q_EMIT data->activated(0);
    plan->setSeeds(text("3,1"));
    auto* start = button(page(), "Start 2 runs");
    ASSERT_NE(start, nullptr);
    ASSERT_TRUE(start->isEnabled());
    QSignalSpy gone(&studio_, &Studio::pageRequested);
    start->click();
    ASSERT_TRUE(waitUntil([&] { return gone.size() == 1 && control_.specs().size() == 2; }));
    EXPECT_EQ(gone[0][0].value<PageId>(), PageId::Watch);
    EXPECT_EQ(studio_.currentRun(), "run1");
    EXPECT_EQ(control_.specs()[0].seed, 3U);
    EXPECT_EQ(control_.specs()[1].seed, 1U);
    EXPECT_EQ(control_.specs()[0].name, "full");
    EXPECT_TRUE(QString::fromStdString(control_.specs()[0].data.train.source).endsWith(text("sample/train.en")));
}

/// A plan of the draft with two seeds, a cloned row with another setting, and the control.
class OpenPlan : public OpenPage {
protected:
    void SetUp() override {
        OpenPage::SetUp();
        action(page().runActions(), "Plan experiment…")->trigger();
        draft().apply({"data.train.source=a.en", "data.train.target=a.de", "train.steps=200"}, text("data"));
        page().findChild<PlanPanel*>()->setSeeds(text("1,2"));
        ASSERT_TRUE(settle());
    }
    PlanTable& table() { return *page().findChild<PlanTable*>(); }
    PlanModel& plan() { return table().model(); }
    QAction* verb(const char* words) { return action(table().findChildren<QAction*>(), words); }
    QString cell(int row, PlanColumn column) { return plan().index(row, int(column)).data().toString(); }
    void edit(int row, PlanColumn column, const char* words) {
        ASSERT_TRUE(plan().setData(plan().index(row, int(column)), text(words), Qt::EditRole));
    }
};

TEST_F(OpenPlan, RowsTellWhatTheyTake) {
    EXPECT_EQ(cell(0, PlanColumn::Name), text("full"));
    EXPECT_EQ(cell(0, PlanColumn::Seeds), text("1,2"));
    EXPECT_EQ(cell(0, PlanColumn::Parameters), QLocale().toString(qint64(draft().facts()->cost.parameters)));
    EXPECT_TRUE(cell(0, PlanColumn::Disk).contains(text("MiB")));
    EXPECT_EQ(cell(0, PlanColumn::Step), text("–")) << "steps are timed when that is asked for";
    verb("Clone")->trigger();
    edit(1, PlanColumn::Settings, R"(dims.f=512 score={"rule":"add"} train.steps=1000)");
    edit(1, PlanColumn::Seeds, "3-6");
    ASSERT_TRUE(settle());
    EXPECT_NE(cell(1, PlanColumn::Parameters), cell(0, PlanColumn::Parameters));
    EXPECT_EQ(plan().row(1).set.size(), 3U);
    EXPECT_EQ(cell(1, PlanColumn::Seeds), text("3-6"));
    EXPECT_EQ(cell(1, PlanColumn::Name), text("full-2"));
    EXPECT_TRUE(plan().totals().startsWith(text("2 rows, 6 runs"))) << plan().totals().toStdString();
    edit(1, PlanColumn::Settings, "dims.ff=512");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(plan().obstacle().startsWith(text("full-2: "))) << "the wrong key is named";
    EXPECT_FALSE(verb("Save as sweep…")->isEnabled());
    plan().setData(plan().index(1, 0), Qt::Unchecked, Qt::CheckStateRole);
    EXPECT_TRUE(plan().obstacle().isEmpty());
    EXPECT_FALSE(plan().setData(plan().index(1, int(PlanColumn::Seeds)), text("1,x"), Qt::EditRole));
    verb("Remove")->trigger();
    EXPECT_EQ(plan().rowCount(), 1);
}

TEST_F(OpenPlan, TheControlIsARowOfTheSameSizeAndBudget) {
    verb("Add control")->trigger();
    ASSERT_TRUE(waitUntil([&] { return plan().rowCount() == 2 && settle(); }));
    EXPECT_TRUE(cell(1, PlanColumn::Name).startsWith(text("base-f")));
    EXPECT_TRUE(cell(1, PlanColumn::Note).startsWith(text("control: ")));
    EXPECT_EQ(cell(1, PlanColumn::Seeds), text("1,2"));
    const auto runs = runsOf(plan().row(1), builtinCatalogue());
    EXPECT_EQ(runs.front().train.steps, 200);
}

TEST_F(OpenPlan, StepsAreTimedRowByRowAndCanBeCancelled) {
    EXPECT_FALSE(verb("Time steps")->isEnabled()) << "this studio cannot";
    std::atomic<int> timed = 0;
    std::atomic<bool> hangs = false;
    studio_.setStepTimer([&](const Json& run, const std::function<bool()>& stop) {
        while (hangs && !stop()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (stop()) throw std::runtime_error("cancelled");
        EXPECT_TRUE(run.at("variant").at("dims").at("vocab_src").is_number());
        ++timed;
        return StepTime{0.5, 0.4, 0.6};
    });
    verb("Clone")->trigger();
    edit(1, PlanColumn::Settings, "train.steps=0 train.epochs=3");
    ASSERT_TRUE(settle());
    verb("Time steps")->trigger();
    ASSERT_TRUE(waitUntil([&] { return timed == 2 && table().isSettled(); }));
    EXPECT_EQ(cell(0, PlanColumn::Step), text("500 ms"));
    EXPECT_EQ(cell(0, PlanColumn::Time), text("about 3 min 20 s")) << "200 steps of 0.5 s, two seeds";
    EXPECT_EQ(cell(1, PlanColumn::Time), text("8 min 20 s / 1,000 steps")) << "how long an epoch is, is not known";
    hangs = true;
    edit(1, PlanColumn::Settings, "dims.f=300");
    ASSERT_TRUE(settle());
    verb("Time steps")->trigger();
    ASSERT_TRUE(waitUntil([&] { return verb("Cancel timing") != nullptr; }));
    verb("Cancel timing")->trigger();
    ASSERT_TRUE(waitUntil([&] { return table().isSettled(); }));
    EXPECT_EQ(cell(1, PlanColumn::Step), text("–"));
}

TEST_F(OpenPlan, TheSavedFileMakesTheRunsThatStartingQueues) {
    for (const char* name : {"a.en", "a.de"}) {
        QFile file(folder_.filePath(text(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    }
    const std::string folder = folder_.path().toStdString();
    draft().apply({"data.train.source=" + folder + "/a.en", "data.train.target=" + folder + "/a.de"}, text("data"));
    verb("Add draft")->trigger();
    edit(1, PlanColumn::Name, "fast");
    edit(1, PlanColumn::Settings, "train.lr=0.01");
    ASSERT_TRUE(settle());
    QSignalSpy saved(&table(), &PlanTable::saved);
    const QString file = folder_.filePath(text("plan.json"));
    table().saveAs(file);
    ASSERT_TRUE(waitUntil([&] { return saved.size() == 1; }));
    button(page(), "Start 4 runs")->click();
    ASSERT_TRUE(waitUntil([&] { return control_.specs().size() == 4; }));
    std::vector<std::string> queued, read;
    for (const RunSpec& spec : control_.specs()) queued.push_back(canonicalJson(spec.toJson()));
    for (const PlanRow& row : Plan::parse(readJsonFile(file.toStdString()), "plan").rows)
        for (const RunSpec& spec : runsOf(row, builtinCatalogue(), "/elsewhere")) read.push_back(canonicalJson(spec.toJson()));
    EXPECT_EQ(read, queued);
    QSettings other(folder_.filePath(text("other.ini")), QSettings::IniFormat);
    page().saveSession(other);
    ComposePage again(studio_);
    again.restoreSession(other);
    EXPECT_EQ(again.findChild<PlanTable*>()->model().beside(), plan().beside());
}

TEST_F(OpenPage, AMissingFileIsSaidAndNothingIsQueued) {
    draft().apply({"data.train.source=/nowhere/a", "data.train.target=/nowhere/b"}, text("files"));
    QSignalSpy said(&studio_, &Studio::messageRequested);
    button(page(), "Start run")->click();
    ASSERT_TRUE(waitUntil([&] { return said.size() == 1; }));
    EXPECT_TRUE(said[0][0].value<MessageStrip::Message>().text.contains(text("/nowhere/a")));
    EXPECT_TRUE(control_.specs().empty());
}

TEST_F(OpenPage, SavingPutsTheDocumentIntoTheDatabase) {
    draft().apply({"dims.f=300"}, text("f"));
    EXPECT_TRUE(draft().isModified());
    action(page().editActions(), "Save variant")->trigger();
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

TEST_F(OpenPage, AReplacedDraftIsOneClickAway) {
    draft().apply({"dims.f=300"}, text("f"));
    studio_.compose(Json{{"preset", "eau-base"}}, text("other"));
    EXPECT_EQ(draft().name(), text("other"));
    ASSERT_NE(button(page(), "Return to it"), nullptr);
    button(page(), "Return to it")->click();
    EXPECT_EQ(draft().name(), text("full"));
    EXPECT_EQ(draft().facts()->variant.dims.f, 300);
}

TEST_F(OpenPage, ThePinnedDraftIsTheBaseline) {
    page().diagram().setFocus();
    QTest::keyClick(&page().diagram(), Qt::Key_B);
    EXPECT_EQ(draft().baselineName(), text("full"));
    EXPECT_TRUE(draft().differences().empty());
    EXPECT_EQ(studio_.baseline(), draft().facts()->hash);
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
    ASSERT_NE(button(page(), "Return to it"), nullptr);
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
    EXPECT_FALSE(control.contains("name")) << "the plan names it";
}

TEST_F(OpenPage, TheSessionKeepsDraftBaselineAndFolds) {
    draft().apply({"dims.f=300"}, text("f"));
    action(page().viewActions(), "Unfold layers")->trigger();
    page().saveSession(settings_);
    ComposePage again(studio_);
    again.restoreSession(settings_);
    ASSERT_TRUE(waitUntil([&] { return again.isSettled(); }));
    EXPECT_EQ(again.draft().name(), text("full"));
    EXPECT_EQ(again.draft().document(), draft().document());
    EXPECT_TRUE(again.draft().isModified());
    EXPECT_EQ(again.draft().baselineName(), text("base"));
    EXPECT_EQ(again.diagram().diagram().frames.size(), 4U);
}

TEST_F(OpenPage, AProblemLeadsToItsSlot) {
    draft().apply({"decoder.cross.adjuster.hidden=-1"}, text("wrong"));
    auto* problems = named<QTreeView>(page(), "Problems");
    ASSERT_NE(problems, nullptr);
    Q_EMIT problems->clicked(problems->model()->index(0, 0));
    ASSERT_TRUE(page().site());
    EXPECT_EQ(page().site()->sublayer, "cross");
    EXPECT_EQ(page().site()->slot, "adjuster");
}

TEST_F(OpenPage, EverythingThatTakesTheKeyboardHasAName) {
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

TEST_F(OpenPage, TheOutlineFollowsTheSelectionAndLeadsIt) {
    auto* outline = named<QTreeView>(page(), "Outline");
    auto* tabs = named<QTabWidget>(page(), "Presets, blocks and outline");
    ASSERT_TRUE(outline && tabs);
    click("encoder.ffn.residual");
    tabs->setCurrentIndex(2);
    EXPECT_TRUE(outline->currentIndex().data().toString().startsWith(text("residual")));
    draft().apply({"encoder.ffn.residual=add"}, text("add"));
    EXPECT_EQ(outline->currentIndex().data().toString(), text("residual  add"));
    outline->setCurrentIndex(outline->model()->index(0, 0));
    EXPECT_EQ(page().site()->slot, "embed");
}

/// Pictures to look at, in $HEDDLE_SHOTS: each theme from a page that was made in it.
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
    page().setSite(site("encoder.self.adjuster"));
    shoot("compose");
    QAction* unfold = action(page().viewActions(), "Unfold layers");
    unfold->trigger();
    draft().apply({"dims.heads=7"}, text("heads"));
    draft().apply({"encoder.layers.1.self.adjuster.hidden=-1"}, text("hidden"));
    page().diagram().fit();
    shoot("compose-problems");
    draft().history().undo();
    draft().history().undo();
    unfold->trigger();
    action(page().runActions(), "Plan experiment…")->trigger();
    page().findChild<PlanPanel*>()->setSeeds(text("1,2,3"));
    draft().apply({"data.train.source=a.en", "data.train.target=a.de"}, text("data"));
    studio_.setStepTimer([](const Json&, const std::function<bool()>&) { return StepTime{0.0588, 0.058, 0.06}; });
    auto* plan = page().findChild<PlanTable*>();
    action(plan->findChildren<QAction*>(), "Add control")->trigger();
    ASSERT_TRUE(waitUntil([&] { return plan->model().rowCount() == 2; }));
    action(plan->findChildren<QAction*>(), "Add draft")->trigger();
    plan->model().setData(plan->model().index(2, int(PlanColumn::Settings)), text("train.lr=0.001 train.steps=4000"),
                          Qt::EditRole);
    ASSERT_TRUE(settle());
    action(plan->findChildren<QAction*>(), "Time steps")->trigger();
    ASSERT_TRUE(settle());
    shoot("compose-plan");
}

INSTANTIATE_TEST_SUITE_P(Themes, Shots, testing::Values(Appearance::Light, Appearance::Dark));

}  // namespace heddle::ui::test
