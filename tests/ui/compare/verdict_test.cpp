// SPDX-License-Identifier: GPL-3.0-or-later
// Compare as a user meets it who asks which group is better: verdicts, studies, more seeds, reports.
#include "app/study/asked_study.h"
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/offscreen.h"
#include "tests/ui/support/run_refs.h"
#include "ui/data/study_comparer.h"
#include "ui/pages/compare/compare_exports.h"
#include "ui/pages/compare/compare_layout.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compare/compare_views.h"
#include "ui/pages/compare/note_list.h"
#include "ui/pages/compare/verdict_panel.h"
#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/run_table_view.h"
#include "ui/plot/bar_plot.h"
#include "ui/plot/parallel_plot.h"
#include "ui/plot/scatter_plot.h"
#include "ui/plot/strip_plot.h"
#include "ui/theme/controls.h"
#include "ui/widgets/segments.h"

#include <gmock/gmock.h>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include <set>
#include <utility>

namespace heddle::ui::test {
namespace {

using testing::ElementsAre;

class VerdictTest : public ::testing::Test {
protected:
    /// Seeds 1 to 3 of two groups: "base" and "wide", whose loss is lower by about 0.5 at each seed.
    void SetUp() override {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const double base = 2 + 0.1 * double(seed);
            database_.add({"a" + std::to_string(seed) + "0000000000", "base", "v1", "completed", seed, base});
            database_.add({"b" + std::to_string(seed) + "0000000000", "wide", "v2", "completed", seed,
                           base - 0.5 + 0.002 * double(seed), 128});
        }
    }
    void TearDown() override {
        page_.reset();
        studio_.reset();
    }
    /// The page, before it has a database.
    void show() {
        settings_ = std::make_unique<QSettings>(QString::fromStdString(database_.folder()) + text("/settings.ini"),
                                                QSettings::IniFormat);
        studio_ = std::make_unique<Studio>(nullptr, *settings_);
        page_ = std::make_unique<ComparePage>(*studio_);
        page_->resize(1400, 900);
        page_->show();
        page_->setShown(true);
    }
    void open() {
        if (!page_) show();
        studio_->open(QString::fromStdString(database_.file()));
        ASSERT_TRUE(waitUntil([&] { return comparer().comparison()->group("v2") && page_->isSettled(); }));
    }
    /// The question that is asked in the database: is "wide" better than "base" with the seeds 1 to `seeds`?
    void ask(int seeds) {
        Json rows = Json::array(), all = Json::array();
        for (const auto& [name, d] : {std::pair("base", 64), std::pair("wide", 128)})
            rows.push_back({{"name", name}, {"spec", {{"schema", 1}, {"variant", {{"dims", {{"d", d}, {"heads", 4}}}}}}}});
        for (int seed = 1; seed <= seeds; ++seed) all.push_back(seed);
        const Json study{{"schema", "heddle.study/1"},
                         {"question", "Is wide better?"},
                         {"rows", rows},
                         {"metric", {{"split", "valid"}, {"name", "loss"}, {"value", "last"}}},
                         {"seeds", all}};
        app::AskedStudy asked;
        asked.study = study;
        asked.folder = database_.folder();
        database_.store().putItem(app::kStudyItem, "width", asked.toJson().dump());
    }
    StudyComparer& comparer() { return *page_->findChild<StudyComparer*>(); }
    VerdictPanel& verdict() { return *page_->findChild<VerdictPanel*>(); }
    RunTableView& table() { return *page_->findChild<RunTableView*>(); }
    const ComparedGroup& wide() { return *comparer().comparison()->group("v2"); }

    Database database_;
    std::unique_ptr<QSettings> settings_;
    std::unique_ptr<Studio> studio_;
    std::unique_ptr<ComparePage> page_;
};

TEST_F(VerdictTest, TheGroupBesideTheBaselineHasItsVerdict) {
    open();
    EXPECT_EQ(comparer().comparison()->baseline, "v1");
    ASSERT_TRUE(wide().verdict);
    EXPECT_EQ(wide().verdict->verdict, Verdict::Better);
    EXPECT_EQ(verdict().group(), "v2") << "the baseline is selected: the newest other group is shown";
    EXPECT_FALSE(named<QLabel>(verdict(), "verdict").text().isEmpty());
    EXPECT_FALSE(named<QLabel>(verdict(), "verdictNumbers").toolTip().isEmpty()) << "the test and what it does not cover";
    EXPECT_EQ(named<QLabel>(verdict(), "verdictNumbers").toolTip(), named<QLabel>(verdict(), "limits").text());
    const StripData& pairs = named<StripPlot>(verdict(), "pairs").data();
    ASSERT_EQ(pairs.rows.size(), 3);
    EXPECT_EQ(pairs.rows[0].points.size(), 2);
    EXPECT_TRUE(pairs.rows[0].span) << "joined";
    EXPECT_TRUE(waitUntil([&] { return named<QWidget>(verdict(), "detectable").isVisibleTo(&verdict()); }));
    EXPECT_THAT(named<QWidget>(verdict(), "detectable").toolTip().toStdString(), testing::HasSubstr("3 pairs"));
    EXPECT_TRUE(waitUntil([&] { return !named<NoteList>(verdict(), "fairness").notes().empty(); }));
    const auto& model = table().model();
    const int column = int(table().options().columns.size()) - 1;
    ASSERT_EQ(table().options().columns.back().kind, Column::Kind::Verdict);
    EXPECT_FALSE(model.indexOfGroup("v2").siblingAtColumn(column).data().toString().isEmpty());
    const QModelIndex interval = model.indexOfGroup("v2").siblingAtColumn(column - 1);
    EXPECT_TRUE(interval.data(RunTableModel::GlyphRole).isValid());
    EXPECT_FALSE(interval.data(Qt::AccessibleTextRole).toString().isEmpty()) << "what is drawn is said";
}

TEST_F(VerdictTest, AnotherBaselineTurnsTheDifferenceRound) {
    open();
    const double before = *wide().difference;
    studio_->colours().setBaseline("v2");
    ASSERT_TRUE(waitUntil([&] { return comparer().comparison()->baseline == "v2"; }));
    EXPECT_NEAR(*comparer().comparison()->group("v1")->difference, -before, 1e-12);
}

TEST_F(VerdictTest, TheRuleOfValueIsChosenOrTyped) {
    open();
    auto& rule = named<QComboBox>(*page_, "rule");
    rule.setFocus();
    rule.setEditText(text("step 100"));
    QTest::keyClick(&rule, Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return comparer().comparison()->question.metric.rule.number == 100; }));
    EXPECT_NEAR(wide().values.at(1), 1.602, 1e-12);
    rule.setEditText(text("sometimes"));
    QTest::keyClick(&rule, Qt::Key_Return);
    EXPECT_TRUE(hasFieldProblem(&rule));
    EXPECT_EQ(comparer().metric().rule.number, 100) << "the last rule stands";
}

TEST_F(VerdictTest, AddSeedsPutsWhatIsMissingIntoThePlan) {
    database_.store().deleteRun("b30000000000");
    database_.store().deleteRun("b20000000000");
    open();
    QSignalSpy planned(studio_.get(), &Studio::planRequested);
    QSignalSpy pages(studio_.get(), &Studio::pageRequested);
    named<QPushButton>(verdict(), "addSeeds").click();
    ASSERT_EQ(planned.size(), 1);
    const auto rows = planned[0][0].value<std::vector<PlanRow>>();
    ASSERT_EQ(rows.size(), 1U) << "the baseline has them";
    EXPECT_THAT(rows[0].seeds, ElementsAre(2, 3));
    EXPECT_EQ(rows[0].spec.at("variant").at("dims").at("d"), 128);
    EXPECT_EQ(pages.size(), 1);
}

TEST_F(VerdictTest, AStudyOfTheDatabaseIsAnsweredAsItWasAsked) {
    ask(3);
    open();
    ASSERT_TRUE(comparer().study()) << "the newest study is what the page opens on";
    ASSERT_TRUE(waitUntil([&] { return comparer().comparison()->isAsked && page_->isSettled(); }));
    ASSERT_TRUE(wide().verdict);
    EXPECT_EQ(wide().verdict->decision, Decision::Shown);
    EXPECT_FALSE(named<QComboBox>(*page_, "rule").isEnabled()) << "it says itself which value counts";
    auto& study = named<QComboBox>(*page_, "study");
    ASSERT_EQ(study.count(), 2);
    Q_EMIT study.activated(0);
    ASSERT_TRUE(waitUntil([&] { return !comparer().comparison()->isAsked && page_->isSettled(); }));
    EXPECT_TRUE(named<QComboBox>(*page_, "rule").isEnabled());
}

TEST_F(VerdictTest, AStudyThatLacksSeedsShowsNoDifferenceBefore) {
    ask(5);
    open();
    ASSERT_TRUE(waitUntil([&] { return comparer().comparison()->isAsked && page_->isSettled(); }));
    EXPECT_FALSE(wide().difference) << "whoever looks earlier peeks";
    ASSERT_TRUE(waitUntil([&] { return verdict().group() == "v2"; }));
    EXPECT_THAT(verdict().nextSeeds(), ElementsAre(4, 5));
}

TEST_F(VerdictTest, TheReportOfAStudyIsAFolderWithAPdf) {
    ask(3);
    open();
    ASSERT_TRUE(waitUntil([&] { return comparer().comparison()->isAsked && page_->isSettled(); }));
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    const QString folder = QString::fromStdString(database_.folder()) + text("/report");
    for (int times = 1; times <= 2; ++times) {  // the second replaces the first
        page_->findChild<CompareExports*>()->reportTo(folder);
        ASSERT_TRUE(waitUntil([&] { return said.size() == times; }));
        EXPECT_EQ(said.back()[0].value<MessageStrip::Message>().kind, StripKind::Ok)
            << said.back()[0].value<MessageStrip::Message>().title.toStdString();
    }
    QFile pdf(folder + text("/report.pdf"));
    ASSERT_TRUE(pdf.open(QIODevice::ReadOnly));
    EXPECT_TRUE(pdf.readAll().startsWith("%PDF"));
    EXPECT_TRUE(QFile::exists(folder + text("/report.html")));
}

TEST_F(VerdictTest, WithoutAStudyThereIsNoReport) {
    open();
    ASSERT_FALSE(comparer().study());
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    const QString folder = QString::fromStdString(database_.folder()) + text("/report");
    page_->findChild<CompareExports*>()->reportTo(folder);
    EXPECT_TRUE(waitUntil([&] { return page_->isSettled(); }));
    EXPECT_TRUE(said.isEmpty());
    EXPECT_FALSE(QFile::exists(folder));
}

TEST_F(VerdictTest, WhatStandsBesideAStudyDoesNotStandUnderAnotherQuestion) {
    ask(3);
    open();
    auto& checks = named<NoteList>(verdict(), "fairness");
    ASSERT_TRUE(waitUntil([&] { return comparer().comparison()->isAsked && page_->isSettled() && !checks.notes().empty(); }));
    bool isEmptyAtOnce = false, hasChanged = false;
    QObject::connect(&comparer(), &StudyComparer::changed, page_.get(), [&] {
        if (!std::exchange(hasChanged, true)) isEmptyAtOnce = checks.notes().empty();
    });
    comparer().choose({});
    ASSERT_TRUE(waitUntil([&] { return hasChanged && page_->isSettled(); }));
    EXPECT_TRUE(isEmptyAtOnce);
    EXPECT_TRUE(waitUntil([&] { return !checks.notes().empty(); })) << "its own come";
}

TEST_F(VerdictTest, WhatAPaperPrintsIsNamedWithItsSource) {
    for (const std::string seed : {"1", "2"}) {
        storage::RunRecord run = recordOf({"c" + seed + "0000000000", "full", "v3", "completed", std::stoull(seed)});
        Json spec = Json::parse(run.spec);
        spec["name"] = "eau-grc-table3 full l2k256 seed " + seed;
        run.spec = spec.dump();
        run.group = "reproduce/eau-grc-table3";
        database_.store().addRun(run);
        for (const char* group : {"a", "c"})
            database_.store().add(storage::EvaluationRecord{group + seed + "0000000000", 1, 300, 3, "test", "bleu", "bleu",
                                                            30 + std::stod(seed), 1000, 0.5});
    }
    open();
    comparer().setMetric({"test", "bleu", {}, false});
    ASSERT_TRUE(waitUntil([&] { return verdict().group() == "v3" && comparer().isIdle(); }));
    const std::vector<Note>& notes = named<NoteList>(verdict(), "published").notes();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_TRUE(notes[0].text.contains(text("Table 3")) && notes[0].text.contains(text("47.847")))
        << notes[0].text.toStdString();
    comparer().setMetric({"valid", "loss", {}, true});
    EXPECT_TRUE(waitUntil([&] { return named<NoteList>(verdict(), "published").notes().empty(); }));
}

TEST_F(VerdictTest, RunsAreComparedOnceAllAreRead) {
    constexpr int kMore = 450;  // two portions of the reader and a half
    for (int i = 0; i < kMore; ++i) {
        const std::string digits = std::to_string(10000 + i);
        database_.store().addRun(recordOf({"c000000" + digits, "more", "v3", "completed", std::uint64_t(i)}));
    }
    show();
    std::set<std::size_t> compared;
    QObject::connect(&comparer(), &StudyComparer::changed, page_.get(),
                     [&] { compared.insert(comparer().table()->runs.size()); });
    open();
    EXPECT_TRUE(waitUntil([&] { return compared.contains(kMore + 6); }));
    compared.erase(0);
    EXPECT_EQ(compared.size(), 1U) << "no comparison of a part";
}

TEST_F(VerdictTest, ALayoutIsAFileForOthers) {
    open();
    const QString file = QString::fromStdString(database_.folder()) + text("/layout.json");
    auto& layout = *page_->findChild<CompareLayout*>();
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    table().setColumns({{Column::Kind::Verdict, ""}, {Column::Kind::Setting, "variant.dims.d"}});
    table().filter().setText(text("wide"));
    comparer().setMetric({"valid", "loss", ValueRule::parse("best", ""), true});
    layout.saveAs(file);
    ASSERT_TRUE(waitUntil([&] { return said.size() == 1; }));
    table().setColumns(defaultColumns());
    table().filter().clear();
    comparer().setMetric({"valid", "loss", {}, true});
    layout.open(file);
    ASSERT_TRUE(waitUntil([&] { return table().options().columns.size() == 3; }));
    EXPECT_EQ(table().options().columns[2].key, "variant.dims.d");
    EXPECT_EQ(table().filter().text(), text("wide"));
    EXPECT_EQ(comparer().metric().rule.kind, ValueRule::Kind::Best);
    QFile other(file);
    ASSERT_TRUE(other.open(QIODevice::WriteOnly) && other.write(R"({"schema":"heddle.plan/1"})") > 0);
    other.close();
    layout.open(file);
    ASSERT_TRUE(waitUntil([&] { return said.size() == 2; }));
    EXPECT_EQ(said.back()[0].value<MessageStrip::Message>().kind, StripKind::Bad);
    EXPECT_EQ(table().options().columns.size(), 3U);
}

TEST_F(VerdictTest, TheScatterOffersTagsWithNumbers) {
    database_.add({"c10000000000", "base", "v1", "completed", 9, 2.0, 64, {"width=3", "paper"}});
    open();
    named<Segments>(*page_, "views").button(1).click();
    const auto& quantities = named<QComboBox>(*page_, "scatterX");
    EXPECT_GE(quantities.findData(text("tag:width")), 0);
    EXPECT_EQ(quantities.findData(text("tag:paper")), -1) << "a tick is no number";
}

TEST_F(VerdictTest, TheOtherViewsShowTheSameRuns) {
    open();
    auto& views = *page_->findChild<CompareViews*>();
    auto& choice = named<Segments>(*page_, "views");
    const auto choose = [&](int view) { choice.button(view).click(); };
    choose(1);
    auto& scatter = *page_->findChild<ScatterPlot*>();
    EXPECT_TRUE(scatter.isVisible());
    EXPECT_EQ(scatter.data().points.size(), 6);
    EXPECT_TRUE(scatter.data().line);
    choose(2);
    const ParallelData& lines = page_->findChild<ParallelPanel*>()->plot().data();
    EXPECT_EQ(lines.lines.size(), 6);
    EXPECT_GE(lines.axes.size(), 3);
    choose(3);
    const BarData& bars = page_->findChild<BarsPanel*>()->plot().data();
    ASSERT_EQ(bars.bars.size(), 2);
    EXPECT_FALSE(bars.bars[0].reference) << "the baseline has no tick for itself";
    EXPECT_NEAR(bars.bars[0].value, comparer().comparison()->group("v1")->spread->mean, 1e-12);
    EXPECT_NEAR(*bars.bars[1].reference, bars.bars[0].value, 1e-12);
    choose(4);
    const auto& strips = page_->findChild<SeedsPanel*>()->plot().data();
    ASSERT_EQ(strips.rows.size(), 2);
    EXPECT_EQ(strips.rows[0].points.size(), 3);
    EXPECT_NEAR(*strips.rows[0].mean, comparer().comparison()->group("v1")->spread->mean, 1e-12);
    choose(0);
    EXPECT_TRUE(table().isVisible());
    EXPECT_EQ(views.currentIndex(), 0);
}

}  // namespace
}  // namespace heddle::ui::test
