// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment plan: cost of its rows, the control, timed steps, and the file that makes the same runs.
#include "app/study/asked_study.h"
#include "engine/base/json.h"
#include "engine/spec/catalogue.h"
#include "tests/ui/compose/open_page.h"
#include "ui/pages/compose/plan/plan_table.h"
#include "ui/pages/compose/plan/study_dialog.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include <atomic>
#include <set>
#include <thread>

namespace heddle::ui::test {

/// A plan of the draft with two seeds, a cloned row with another setting, and the control.
class OpenPlan : public OpenPage {
protected:
    void SetUp() override {
        OpenPage::SetUp();
        actionNamed(page().runActions(), "planExperiment").trigger();
        draft().apply({"data.train.source=a.en", "data.train.target=a.de", "train.steps=200"}, text("data"));
        draft().setSeeds(text("1,2"));
        ASSERT_TRUE(settle());
    }
    PlanTable& table() { return *page().findChild<PlanTable*>(); }
    PlanModel& plan() { return table().model(); }
    QAction* verb(const char* name) { return &named<QAction>(table(), name); }
    QString cell(int row, PlanColumn column) { return plan().index(row, int(column)).data().toString(); }
    /// Asks for validation BLEU with a margin of 0.5 and the claim that "fast" is equivalent.
    void askThroughTheDialog(const QString& file) {
        verb("askStudy")->trigger();
        auto& dialog = *table().findChild<StudyDialog*>();
        named<QComboBox>(dialog, "studyMetric").setCurrentText(text("valid bleu"));
        named<QComboBox>(dialog, "studyClaimed").setCurrentText(text("fast"));
        named<QComboBox>(dialog, "studyClaim").setCurrentIndex(2);
        auto& save = named<QPushButton>(dialog, "saveStudy");
        EXPECT_FALSE(save.isEnabled()) << "equivalence needs a margin";
        named<QLineEdit>(dialog, "studyMargin").setText(text("0.5"));
        EXPECT_TRUE(save.isEnabled());
        EXPECT_TRUE(named<QLabel>(dialog, "studyLimits").text().contains(text("tuning")));
        save.click();
        auto& where = the<QFileDialog>(page());
        Q_EMIT where.fileSelected(file);
        where.reject();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    void edit(int row, PlanColumn column, const char* words) {
        ASSERT_TRUE(plan().setData(plan().index(row, int(column)), text(words), Qt::EditRole));
    }
};

TEST_F(OpenPlan, RowsShowTheirCost) {
    EXPECT_EQ(cell(0, PlanColumn::Name), text("full"));
    EXPECT_EQ(cell(0, PlanColumn::Seeds), text("1,2"));
    EXPECT_EQ(cell(0, PlanColumn::Parameters), QLocale().toString(qint64(draft().facts()->cost.parameters)));
    EXPECT_TRUE(cell(0, PlanColumn::Disk).contains(text("MiB")));
    EXPECT_EQ(cell(0, PlanColumn::Step), text("–")) << "steps are timed only on request";
    verb("cloneRow")->trigger();
    edit(1, PlanColumn::Settings, R"(dims.f=512 defaults.score={"rule":"none"} train.steps=1000)");
    edit(1, PlanColumn::Seeds, "3-6");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(plan().error().isEmpty()) << plan().error().toStdString();
    EXPECT_NE(cell(1, PlanColumn::Parameters), cell(0, PlanColumn::Parameters));
    EXPECT_EQ(plan().row(1).set.size(), 3U);
    EXPECT_EQ(cell(1, PlanColumn::Seeds), text("3-6"));
    EXPECT_EQ(cell(1, PlanColumn::Name), text("full-2"));
    EXPECT_TRUE(plan().totals().startsWith(text("2 rows, 6 runs"))) << plan().totals().toStdString();
    edit(1, PlanColumn::Settings, "dims.ff=512");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(plan().error().startsWith(text("full-2: "))) << "the wrong key is named";
    EXPECT_TRUE(plan().error().contains(text("did you mean \"f\"")))
        << "and the one that is meant: " << plan().error().toStdString();
    EXPECT_FALSE(verb("savePlan")->isEnabled());
    plan().setData(plan().index(1, 0), Qt::Unchecked, Qt::CheckStateRole);
    EXPECT_TRUE(plan().error().isEmpty());
    EXPECT_FALSE(plan().setData(plan().index(1, int(PlanColumn::Seeds)), text("1,x"), Qt::EditRole));
    verb("removeRow")->trigger();
    EXPECT_EQ(plan().rowCount(), 1);
}

TEST_F(OpenPlan, WhatIsTypedStaysWhileRowsAreMeasured) {
    auto& view = named<QTreeView>(table(), "planTable");
    view.edit(plan().index(0, int(PlanColumn::Settings)));
    auto* editor = view.viewport()->findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    QTest::keyClicks(editor, text("train.steps=7"));
    Q_EMIT plan().dataChanged(plan().index(0, 0), plan().index(0, int(PlanColumn::Note)));  // a row's cost is known
    EXPECT_EQ(editor->text(), text("train.steps=7"));
    QTest::keyClick(editor, Qt::Key_Return);
    EXPECT_TRUE(waitUntil([&] { return draft().document().at("train").at("steps") == 7; }));
}

TEST_F(OpenPlan, TheControlIsARowOfTheSameSizeAndBudget) {
    verb("addControl")->trigger();
    ASSERT_TRUE(waitUntil([&] { return plan().rowCount() == 2 && settle(); }));
    EXPECT_TRUE(cell(1, PlanColumn::Name).startsWith(text("base-f")));
    EXPECT_TRUE(cell(1, PlanColumn::Note).startsWith(text("control: ")));
    EXPECT_EQ(cell(1, PlanColumn::Seeds), text("1,2"));
    const auto runs = runsOf(plan().row(1), builtinCatalogue());
    EXPECT_EQ(runs.front().train.steps, 200);
}

TEST_F(OpenPlan, TheControlHasTheSeedsOfItsRequest) {
    verb("addControl")->trigger();
    draft().setSeeds(text("7"));
    ASSERT_TRUE(waitUntil([&] { return plan().rowCount() == 2; }));
    EXPECT_EQ(cell(1, PlanColumn::Seeds), text("1,2"));
}

TEST_F(OpenPlan, StepsAreTimedRowByRowAndCanBeCancelled) {
    EXPECT_FALSE(verb("timeSteps")->isEnabled()) << "this studio has no timer";
    std::atomic<int> timed = 0;
    std::atomic<bool> hangs = false;
    studio_.services().stepTimer = [&](const Json& run, const std::function<bool()>& stop) {
        while (hangs && !stop()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (stop()) throw std::runtime_error("cancelled");
        EXPECT_TRUE(run.at("variant").at("dims").at("vocab_src").is_number());
        ++timed;
        const bool isBaseline = run.at("variant").dump().find("\"eau\"") == std::string::npos;
        return isBaseline ? StepTime{0.25, 0.2, 0.3} : StepTime{0.5, 0.4, 0.6};
    };
    verb("cloneRow")->trigger();
    edit(1, PlanColumn::Settings, "train.steps=0 train.epochs=3");
    ASSERT_TRUE(settle());
    verb("timeSteps")->trigger();
    ASSERT_TRUE(waitUntil([&] { return timed == 3 && table().isSettled(); })) << "two rows and the baseline";
    EXPECT_EQ(cell(0, PlanColumn::Step), text("500 ms"));
    EXPECT_EQ(total("stepValue"), text("500 ms"));
    EXPECT_EQ(total("stepNote"), text("± 20 % · 2.00 ×"));
    EXPECT_EQ(plan().rowCount(), 2) << "the baseline is not a row";
    EXPECT_EQ(cell(0, PlanColumn::Time), text("about 3 min 20 s")) << "200 steps of 0.5 s, two seeds";
    EXPECT_EQ(cell(1, PlanColumn::Time), text("8 min 20 s / 1,000 steps")) << "the steps of an epoch are unknown";
    studio_.services().stepCounter = [](const Json& run, const std::function<bool()>&) -> std::int64_t {
        if (run.at("train").value("lr", Json()) == 0.5) throw std::runtime_error("there is no such file");
        EXPECT_FALSE(run.at("variant").value("dims", Json::object()).contains("vocab_src")) << "the data decide the size";
        return 100 * run.at("train").at("epochs").get<std::int64_t>();
    };
    edit(1, PlanColumn::Settings, "train.steps=0 train.epochs=4 train.lr=0.25");
    ASSERT_TRUE(settle());
    verb("timeSteps")->trigger();
    ASSERT_TRUE(waitUntil([&] { return timed == 4 && table().isSettled(); }));
    EXPECT_EQ(cell(1, PlanColumn::Time), text("about 6 min 40 s")) << "400 steps of 0.5 s, two seeds";
    edit(1, PlanColumn::Settings, "train.steps=0 train.epochs=4 train.lr=0.5");
    ASSERT_TRUE(settle());
    verb("timeSteps")->trigger();
    ASSERT_TRUE(waitUntil([&] { return timed == 5 && table().isSettled(); }));
    EXPECT_EQ(cell(1, PlanColumn::Time), text("8 min 20 s / 1,000 steps"));
    EXPECT_TRUE(
        plan().index(1, int(PlanColumn::Time)).data(Qt::ToolTipRole).toString().contains(text("there is no such file")));
    hangs = true;
    draft().apply({"dims.f=200"}, text("f"));
    ASSERT_TRUE(settle());
    EXPECT_EQ(total("stepValue"), QString()) << "a time of the draft before the edit";
    edit(1, PlanColumn::Settings, "dims.f=300");
    ASSERT_TRUE(settle());
    verb("timeSteps")->trigger();
    EXPECT_FALSE(table().isSettled()) << "the timer hangs";
    verb("timeSteps")->trigger();
    ASSERT_TRUE(waitUntil([&] { return table().isSettled(); }));
    EXPECT_EQ(cell(1, PlanColumn::Step), text("–"));
}

TEST_F(OpenPlan, RowsOfTheSameDataAreCountedOnce) {
    studio_.services().stepTimer = [](const Json&, const std::function<bool()>&) { return StepTime{0.5, 0.4, 0.6}; };
    std::atomic<int> counted = 0;
    studio_.services().stepCounter = [&](const Json& run, const std::function<bool()>&) -> std::int64_t {
        ++counted;
        return 100 * run.at("train").at("epochs").get<std::int64_t>();
    };
    verb("cloneRow")->trigger();
    verb("cloneRow")->trigger();
    edit(1, PlanColumn::Settings, "train.steps=0 train.epochs=2");
    edit(2, PlanColumn::Settings, "train.steps=0 train.epochs=3 train.lr=0.25");
    ASSERT_TRUE(settle());
    verb("timeSteps")->trigger();
    ASSERT_TRUE(waitUntil([&] { return cell(2, PlanColumn::Step) != text("–") && table().isSettled(); }));
    EXPECT_EQ(cell(1, PlanColumn::Time), text("about 3 min 20 s")) << "200 steps of 0.5 s, two seeds";
    EXPECT_EQ(cell(2, PlanColumn::Time), text("about 5 min 0 s")) << "300 steps of 0.5 s, two seeds";
    EXPECT_EQ(counted, 1);
}

TEST_F(OpenPlan, AnEarlierRunOfTheDataGivesTheStepsOfAnEpoch) {
    Json spec = runsOf(plan().row(0), builtinCatalogue(), QDir::currentPath().toStdString()).front().toJson();
    spec["train"]["steps"] = 0;
    spec["train"]["epochs"] = 2;
    storage::RunRecord run = completedRun("0123456789ab", "earlier", spec.dump());
    run.totalSteps = 200;
    openStore()->addRun(run);
    openDatabase();
    studio_.services().stepTimer = [](const Json&, const std::function<bool()>&) { return StepTime{0.5, 0.4, 0.6}; };
    draft().apply({"train.steps=0", "train.epochs=3"}, text("budget"));
    ASSERT_TRUE(settle());
    verb("timeSteps")->trigger();
    ASSERT_TRUE(waitUntil([&] { return cell(0, PlanColumn::Step) != text("–") && table().isSettled(); }));
    EXPECT_EQ(cell(0, PlanColumn::Time), text("about 5 min 0 s")) << "300 steps of 0.5 s, two seeds";
}

TEST_F(OpenPlan, TheSavedFileMakesTheRunsThatStartingQueues) {
    openDatabase();
    for (const char* name : {"a.en", "a.de"}) {
        QFile file(folder_.filePath(text(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    }
    const std::string folder = folder_.path().toStdString();
    draft().apply({"data.train.source=" + folder + "/a.en", "data.train.target=" + folder + "/a.de"}, text("data"));
    verb("addDraft")->trigger();
    edit(1, PlanColumn::Name, "fast");
    edit(1, PlanColumn::Settings, "train.lr=0.01");
    ASSERT_TRUE(settle());
    const QString file = folder_.filePath(text("plan.json"));
    table().saveAs(file);
    ASSERT_TRUE(waitUntil([&] { return QFile::exists(file) && !shownMessage(page()).isEmpty(); }));
    named<QPushButton>(page(), "startRuns").click();
    ASSERT_TRUE(waitUntil([&] { return control_.specs().size() == 4; }));
    std::vector<std::string> queued, read;
    for (const RunSpec& spec : control_.specs()) queued.push_back(canonicalJson(spec.toJson()));
    for (const PlanRow& row : Plan::parse(readJsonFile(file.toStdString()), "plan").rows)
        for (const RunSpec& spec : runsOf(row, builtinCatalogue(), "/elsewhere")) read.push_back(canonicalJson(spec.toJson()));
    EXPECT_EQ(read, queued);
    QSettings other(folder_.filePath(text("other.ini")), QSettings::IniFormat);
    save(page(), other);
    ComposePage again(studio_);
    again.restoreSession(other);
    EXPECT_EQ(again.findChild<PlanTable*>()->model().addedRows(), plan().addedRows());
}

TEST_F(OpenPlan, ARowThatStartsFromAnotherIsKeptAndLeftToSweep) {
    verb("addDraft")->trigger();
    edit(1, PlanColumn::Name, "fine");
    edit(1, PlanColumn::Settings, "train.lr=0.01");
    EXPECT_FALSE(plan().setData(plan().index(0, int(PlanColumn::Start)), text("fine"), Qt::EditRole)) << "the draft";
    edit(1, PlanColumn::Start, "full, last");
    ASSERT_TRUE(settle());
    EXPECT_EQ(cell(0, PlanColumn::Start), text("–"));
    EXPECT_EQ(cell(1, PlanColumn::Start), text("full, last"));
    EXPECT_EQ(plan().row(1).from, RowStart({"full", "last"}));
    EXPECT_TRUE(verb("savePlan")->isEnabled());
    EXPECT_FALSE(verb("askStudy")->isEnabled());
    EXPECT_FALSE(named<QPushButton>(page(), "startRuns").isEnabled()) << "nothing in the studio waits for the other row";
    const QString file = folder_.filePath(text("plan.json"));
    table().saveAs(file);
    ASSERT_TRUE(waitUntil([&] { return QFile::exists(file) && !shownMessage(page()).isEmpty(); }));
    EXPECT_EQ(Plan::parse(readJsonFile(file.toStdString()), "plan").rows.at(1).from, RowStart({"full", "last"}));
    QSettings other(folder_.filePath(text("other.ini")), QSettings::IniFormat);
    save(page(), other);
    ComposePage again(studio_);
    again.restoreSession(other);
    EXPECT_EQ(again.findChild<PlanTable*>()->model().addedRows(), plan().addedRows());
    edit(1, PlanColumn::Start, "");
    EXPECT_EQ(plan().row(1).from, std::nullopt);
    EXPECT_TRUE(named<QPushButton>(page(), "startRuns").isEnabled());
}

TEST_F(OpenPlan, AStudyIsAFileAndIsRecordedAsAsked) {
    openDatabase();
    for (const char* name : {"a.en", "a.de"}) {
        QFile file(folder_.filePath(text(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    }
    const std::string folder = folder_.path().toStdString();
    draft().apply({"data.train.source=" + folder + "/a.en", "data.train.target=" + folder + "/a.de"}, text("data"));
    ASSERT_TRUE(settle());
    EXPECT_FALSE(verb("askStudy")->isEnabled()) << "there is nothing to compare";
    verb("addDraft")->trigger();
    edit(1, PlanColumn::Name, "fast");
    edit(1, PlanColumn::Settings, "train.lr=0.01");
    edit(1, PlanColumn::Seeds, "1-3");
    ASSERT_TRUE(settle());
    named<QTreeView>(page(), "planTable").setCurrentIndex(plan().index(0, 0));
    const QString file = folder_.filePath(text("speed.json"));
    QSignalSpy said(&studio_, &Studio::messageRequested);
    askThroughTheDialog(file);
    ASSERT_TRUE(waitUntil([&] { return said.size() == 1; })) << "a study has the same seeds for all";
    EXPECT_TRUE(control_.edits().empty());
    EXPECT_FALSE(QFile::exists(file));
    edit(1, PlanColumn::Seeds, "1,2");
    ASSERT_TRUE(settle());
    askThroughTheDialog(file);
    ASSERT_TRUE(waitUntil([&] { return !control_.edits().empty(); }));
    const PutItem item = std::get<PutItem>(control_.edits().front());
    EXPECT_EQ(item.kind, app::kStudyItem);
    EXPECT_EQ(item.key, "speed");
    const auto asked = app::AskedStudy::parse(item.body);
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->ended, 0U);
    EXPECT_EQ(asked->study, readJsonFile(file.toStdString())) << "the command line reads the same";
    const Study study = Study::parse(asked->study, "test");
    EXPECT_EQ(study.baseline, "full") << "the selected row";
    EXPECT_EQ(study.metric, (StudyMetric{"valid", "bleu", {}, false})) << "the metric brings its direction";
    EXPECT_EQ(study.margin, 0.5);
    EXPECT_EQ(study.claim, (Claim{"fast", Verdict::Equivalent}));
    EXPECT_EQ(study.allSeeds(), (std::vector<std::uint64_t>{1, 2}));
    std::set<std::string> asks, starts;
    for (PlanRow row : study.rows) {
        row.seeds = study.allSeeds();
        for (const RunSpec& spec : runsOf(row, builtinCatalogue())) asks.insert(canonicalJson(spec.toJson()));
    }
    named<QPushButton>(page(), "startRuns").click();
    ASSERT_TRUE(waitUntil([&] { return control_.specs().size() == 4; }));
    for (const RunSpec& spec : control_.specs()) starts.insert(canonicalJson(spec.toJson()));
    EXPECT_EQ(asks, starts);
}

TEST_F(OpenPlan, AValueGridMakesARowForEachValue) {
    verb("cloneRow")->trigger();
    verb("cloneRow")->trigger();
    edit(1, PlanColumn::Settings, "train.lr={1e-3, 3e-3} dims.f=64");
    ASSERT_EQ(plan().rowCount(), 4);
    EXPECT_EQ(plan().row(1).set, (std::vector<std::string>{"train.lr=1e-3", "dims.f=64"}));
    EXPECT_EQ(plan().row(2).set, (std::vector<std::string>{"train.lr=3e-3", "dims.f=64"}));
    EXPECT_EQ(cell(1, PlanColumn::Name), text("full-2 · lr 1e-3"));
    EXPECT_EQ(cell(3, PlanColumn::Name), text("full-2-2")) << "the next row is kept";
    edit(0, PlanColumn::Settings, "train.lr={0.1,0.2}");
    EXPECT_EQ(plan().rowCount(), 6);
    EXPECT_EQ(plan().ticked(), text("011111")) << "two rows instead of the draft";
    EXPECT_FALSE(draft().document()["train"].contains("lr"));
}

TEST_F(OpenPlan, ARowStaysUntickedWhenItsSettingsAreEdited) {
    verb("cloneRow")->trigger();
    plan().setData(plan().index(1, 0), Qt::Unchecked, Qt::CheckStateRole);
    edit(1, PlanColumn::Settings, "train.lr={0.1,0.2}");
    EXPECT_EQ(plan().ticked(), text("100"));
}

TEST_F(OpenPlan, AGridThatIsTooLargeIsRefusedWithAMessage) {
    verb("cloneRow")->trigger();
    const QString grid = text("train.lr={1,2,3,4,5,6,7,8,9} dims.f={1,2,3,4,5,6,7,8}");
    EXPECT_FALSE(plan().setData(plan().index(1, int(PlanColumn::Settings)), grid, Qt::EditRole));
    EXPECT_EQ(plan().rowCount(), 2);
    EXPECT_TRUE(shownMessage(page()).contains(text("64"))) << shownMessage(page()).toStdString();
}

TEST_F(OpenPlan, TheRowOfTheDraftEditsTheDraft) {
    const int steps = draft().history().count();
    edit(0, PlanColumn::Settings, "train.lr=0.25 dims.f=64");
    EXPECT_EQ(draft().document()["train"]["lr"], 0.25);
    EXPECT_EQ(draft().facts()->variant.dims.f, 64);
    EXPECT_EQ(draft().history().count(), steps + 1) << "one undo step";
    edit(0, PlanColumn::Name, "wide");
    EXPECT_EQ(draft().name(), text("wide"));
    edit(0, PlanColumn::Seeds, "4");
    EXPECT_EQ(draft().seeds(), text("4"));
    ASSERT_TRUE(settle());
    edit(0, PlanColumn::Device, "cpu");
    EXPECT_EQ(draft().document()["train"]["device"], "cpu");
}

TEST_F(OpenPlan, RowsShowTheirDataAndTheirBudget) {
    verb("cloneRow")->trigger();
    edit(1, PlanColumn::Settings, "train.steps=0 train.epochs=3");
    ASSERT_TRUE(settle());
    EXPECT_EQ(cell(0, PlanColumn::Data), text("a.en"));
    EXPECT_EQ(cell(0, PlanColumn::Budget), text("200 steps"));
    EXPECT_EQ(cell(1, PlanColumn::Budget), text("3 epochs"));
}

TEST_F(OpenPlan, AnEditorHidesTheCellsBehindIt) {
    verb("cloneRow")->trigger();
    auto* table = page().findChild<QTreeView*>(text("planTable"));
    ASSERT_NE(table, nullptr);
    table->edit(plan().index(1, int(PlanColumn::Settings)));
    auto* editor = table->viewport()->findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    editor->setText(text("train.lr=0.0005 train.threads=1 train.epochs=0 train.steps=100"));
    editor->setCursorPosition(0);
    QImage image(editor->size(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    editor->render(&image, {}, {}, QWidget::DrawChildren);
    for (int x = 2; x < image.width() - 2; ++x)
        ASSERT_EQ(qAlpha(image.pixel(x, image.height() / 2)), 255) << "transparent at " << x;
}

}  // namespace heddle::ui::test
