// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare page as a user meets it.
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/noting_control.h"
#include "tests/ui/support/offscreen.h"
#include "tests/ui/support/run_refs.h"
#include "ui/pages/compare/compare_exports.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compare/compared_curves.h"
#include "ui/pages/compare/ticked_runs.h"
#include "ui/pages/compare/value_table.h"
#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/run_table_view.h"
#include "ui/plot/curve_plot.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <gtest/gtest.h>
#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTreeView>

namespace heddle::ui::test {
namespace {

class ComparePageTest : public ::testing::Test {
protected:
    struct SubmitControl : test::NotingControl {
        std::string submit(const RunSpec& spec, const std::string&) override {
            note(spec.name);
            return "run";
        }
        void resume(const std::string&) override {}
        void command(const std::string&, RunVerb, const std::string&) override {}
        void edit(const Edit&) override {}
        std::size_t submitted() { return calls().size(); }
    };

    void SetUp() override {
        database_.add({"a10000000000", "base", "v1", "completed", 1, 2.0});
        database_.add({"a20000000000", "base", "v1", "completed", 2, 3.0});
        database_.add({"b10000000000", "wide", "v2", "completed", 1, 1.0, 128, {"paper"}});
        settings_ = std::make_unique<QSettings>(QString::fromStdString(database_.folder()) + text("/settings.ini"),
                                                QSettings::IniFormat);
        studio_ = std::make_unique<Studio>([this](const QString&) { return &control_; }, *settings_);
        page_ = std::make_unique<ComparePage>(*studio_);
        page_->resize(1300, 800);
        page_->show();
        page_->setShown(true);
    }
    void TearDown() override {
        page_.reset();
        studio_.reset();
    }
    void open(int groups = 2) {
        studio_->open(QString::fromStdString(database_.file()));
        ASSERT_TRUE(waitUntil([&] { return table().model().rowCount() == groups && page_->isSettled(); }));
    }
    RunTableView& table() { return *page_->findChild<RunTableView*>(); }
    TickedRuns& ticks() { return *page_->findChild<TickedRuns*>(); }
    const QList<Curve>& drawn() { return curves().panel().drawn().curves; }
    ComparedCurves& curves() { return *page_->findChild<ComparedCurves*>(); }
    ValueTable& values(const char* name) {
        for (auto* found : page_->findChildren<ValueTable*>())
            if (found->view().accessibleName() == text(name)) return *found;
        throw std::runtime_error(name);
    }
    QAction& action(const char* words) { return actionBelow(*page_, words); }
    void choose(const char* run) {
        table().view().selectionModel()->setCurrentIndex(table().model().indexOf(refOf(run)),
                                                         QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }

    Database database_;
    std::unique_ptr<QSettings> settings_;
    SubmitControl control_;
    std::unique_ptr<Studio> studio_;
    std::unique_ptr<ComparePage> page_;
};

TEST_F(ComparePageTest, ShowsRunsDifferencesValuesAndCurvesAtOnce) {
    open();
    EXPECT_EQ(ticks().runs(), refsOf({"a10000000000", "b10000000000", "a20000000000"}))
        << "the newest group and the one before";
    EXPECT_TRUE(studio_->comparedRuns().empty()) << "what Watch draws is its own";
    ticks().choose(refsOf({"a10000000000", "a20000000000", "b10000000000"}));
    ASSERT_TRUE(waitUntil([&] { return !values("Specification differences").table().rows.isEmpty(); }));
    EXPECT_EQ(values("End values").table().columns.size(), 2 + 3 + 2);
    ASSERT_TRUE(waitUntil([&] { return !curves().plot().table().rows.isEmpty(); }));
    EXPECT_TRUE(curves().windowTitle().contains(text("mean and range")));
}

/// Seeds set the times: "wide s1" is older than "base s2", which is the newest.
TEST_F(ComparePageTest, OpenedItShowsTheNewestGroupAndItsBaseline) {
    database_.add({"c90000000000", "newest", "v3", "completed", 9, 1.5});
    database_.add({"c80000000000", "other", "v4", "completed", 8, 1.5});
    open(4);
    EXPECT_EQ(ticks().runs(), refsOf({"c80000000000", "c90000000000"})) << "without a baseline the group before it";
    ASSERT_TRUE(waitUntil([&] { return drawn().size() == 2 && !values("End values").table().rows.isEmpty(); }));
    studio_->colours().setBaseline("v2");
    ASSERT_TRUE(waitUntil([&] { return ticks().runs() == refsOf({"b10000000000", "c90000000000"}); }));
    ticks().choose(refsOf({"a10000000000"}));
    studio_->colours().setBaseline("v4");
    page_->setShown(false);
    page_->setShown(true);
    ASSERT_TRUE(waitUntil([&] { return page_->isSettled(); }));
    EXPECT_EQ(ticks().runs(), refsOf({"a10000000000"})) << "what the user chose stays";
}

TEST_F(ComparePageTest, RunsFromOtherPagesComeBesideTheUsersChoice) {
    open();
    studio_->compare(refsOf({"b10000000000"}));
    EXPECT_EQ(ticks().runs(), refsOf({"b10000000000"})) << "in place of what nobody chose";
    studio_->compare(refsOf({"a10000000000", "b10000000000"}));
    EXPECT_EQ(ticks().runs(), refsOf({"b10000000000", "a10000000000"})) << "what is there stays once";
    studio_->setComparedRuns(refsOf({"a20000000000"}));
    EXPECT_EQ(ticks().runs().size(), 2U) << "Watch's choice is another one";
}

TEST_F(ComparePageTest, ATickDrawsALineAndTakingItLeavesItOut) {
    open();
    ticks().choose(refsOf({"b10000000000"}));
    ASSERT_TRUE(waitUntil([&] { return page_->isSettled() && values("End values").table().columns.size() == 5; }));
    choose("a10000000000");
    action("Show or hide curve").trigger();
    EXPECT_EQ(ticks().runs(), refsOf({"a10000000000", "b10000000000"})) << "in the order of the table";
    ASSERT_TRUE(waitUntil([&] { return values("End values").table().columns.size() == 6; }));
    EXPECT_TRUE(waitUntil([&] { return !values("Specification differences").table().rows.isEmpty(); }));
    action("Show or hide curve").trigger();
    EXPECT_EQ(ticks().runs(), refsOf({"b10000000000"}));
}

TEST_F(ComparePageTest, TheFilterNamesTheWrongWordAndItsButtonPutsItRight) {
    open();
    auto* line = page_->findChild<FilterLine*>();
    line->setText(text("state:complted"));
    ASSERT_TRUE(waitUntil([&] { return table().filterError().has_value(); }));
    EXPECT_TRUE(line->toolTip().contains(text("complted")));
    QPushButton* put = nullptr;
    for (auto* button : page_->findChildren<QPushButton*>())
        if (button->text().contains(text("state:completed"))) put = button;
    ASSERT_NE(put, nullptr);
    EXPECT_TRUE(put->isVisible());
    put->click();
    EXPECT_EQ(line->text(), text("state:completed"));
    ASSERT_TRUE(waitUntil([&] { return !table().filterError() && page_->isSettled(); }));
    line->setText(text("dims.d=128"));
    ASSERT_TRUE(waitUntil([&] { return table().model().rowCount() == 1; }));
    EXPECT_EQ(table().model().index(0, 0).data().toString(), text("wide"));
}

TEST_F(ComparePageTest, BPinsTheBaselineAndEnterGoesToWatch) {
    open();
    ticks().choose(refsOf({"a10000000000", "a20000000000", "b10000000000"}));
    choose("b10000000000");
    table().view().setFocus();
    QSignalSpy pages(studio_.get(), &Studio::pageRequested);
    action("Show in Watch").trigger();
    EXPECT_EQ(studio_->currentRun().id, "b10000000000");
    ASSERT_EQ(pages.size(), 1);
    action("Pin as baseline").trigger();
    EXPECT_EQ(studio_->colours().baseline(), "v2");
    EXPECT_TRUE(table().model().indexOfGroup("v2").data(RunTableModel::BaselineRole).toBool());
    ASSERT_TRUE(waitUntil([&] { return values("End values").table().columns.value(2) == text("wide s1"); }))
        << "the baseline comes first";
    action("Unpin baseline").trigger();
    EXPECT_EQ(studio_->colours().baseline(), "");
}

TEST_F(ComparePageTest, CloneOpensTheSpecificationInCompose) {
    open();
    choose("b10000000000");
    QSignalSpy composed(studio_.get(), &Studio::composeRequested);
    action("Clone").trigger();
    ASSERT_EQ(composed.size(), 1);
    EXPECT_EQ(composed[0][0].value<Json>().at("variant").at("dims").at("d"), 128);
}

TEST_F(ComparePageTest, WhereThereIsNothingTheNextStepIsAButton) {
    const auto button = [&](const char* words) {
        for (auto* found : table().findChildren<QPushButton*>())
            if (found->text() == text(words) && found->isVisible()) return found;
        return static_cast<QPushButton*>(nullptr);
    };
    EXPECT_NE(button("Go to the Library"), nullptr);
    EXPECT_EQ(button("Compose a run"), nullptr) << "there is no place for its run yet";
    EXPECT_EQ(button("Train the sample"), nullptr);
    Database empty;
    QSignalSpy pages(studio_.get(), &Studio::pageRequested);
    studio_->open(QString::fromStdString(empty.file()));
    ASSERT_TRUE(waitUntil([&] { return button("Compose a run") != nullptr; }));
    page_->resize(940, 560);
    EXPECT_TRUE(waitUntil([&] { return button("Compose a run")->height() >= px(22); })) << "whole in the smallest window, too";
    button("Compose a run")->click();
    EXPECT_EQ(pages.size(), 1);
    ASSERT_NE(button("Train the sample"), nullptr);
    button("Train the sample")->click();
    EXPECT_TRUE(waitUntil([&] { return control_.submitted() == 2; })) << "what Watch trains";
    open();
    table().filter().setText(text("nothing like this"));
    ASSERT_TRUE(waitUntil([&] { return table().model().rowCount() == 0; }));
    EXPECT_EQ(button("Compose a run"), nullptr) << "the runs are there, but for the filter";
}

TEST_F(ComparePageTest, SmoothingIsOfTrainingSeriesNotOfEvaluations) {
    open();
    auto* steps = curves().findChild<QSpinBox*>();
    steps->setValue(50);
    const auto smoothed = [&] {
        return std::count_if(drawn().begin(), drawn().end(), [](const Curve& c) { return c.smoothed; });
    };
    ASSERT_TRUE(waitUntil([&] { return drawn().size() == 4; }));
    EXPECT_EQ(smoothed(), 0);
    EXPECT_FALSE(curves().windowTitle().contains(text("smoothed")));
    curves().setMetric(CurveMetric::fromId(text("series:loss")));
    EXPECT_TRUE(waitUntil([&] { return smoothed() == 4; })) << smoothed();
    EXPECT_TRUE(curves().windowTitle().contains(text("smoothed over 50 steps")));
}

TEST_F(ComparePageTest, RowsAreCopiedAndExported) {
    open();
    table().setColumns({{Column::Kind::Best, "valid.loss"}, {Column::Kind::Value, ""}});
    choose("b10000000000");
    action("Copy rows").trigger();
    const QString copied = QGuiApplication::clipboard()->text();
    EXPECT_EQ(copied.count(QLatin1Char('\n')), 2);
    EXPECT_TRUE(copied.contains(text("best:valid.loss.signature")));
    const QString folder = QString::fromStdString(database_.folder());
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    auto& exports = *page_->findChild<CompareExports*>();
    exports.exportTo(folder + text("/table.tsv"), CompareExports::Export::Table);
    exports.exportTo(folder + text("/curves.svg"), CompareExports::Export::Picture);
    exports.exportTo(folder + text("/curves.png"), CompareExports::Export::Picture);
    exports.exportTo(folder + text("/curves.pdf"), CompareExports::Export::Picture);
    exports.exportTo(text("/nowhere/at/all.tsv"), CompareExports::Export::Table);
    ASSERT_TRUE(waitUntil([&] { return said.size() == 5; }));
    QFile pdf(folder + text("/curves.pdf"));
    ASSERT_TRUE(pdf.open(QIODevice::ReadOnly));
    EXPECT_TRUE(pdf.readAll().startsWith("%PDF"));
    QFile table(folder + text("/table.tsv"));
    ASSERT_TRUE(table.open(QIODevice::ReadOnly));
    EXPECT_EQ(table.readAll().count('\n'), 4) << "a header and three runs";
    QFile svg(folder + text("/curves.svg"));
    ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
    EXPECT_TRUE(svg.readAll().contains("<svg"));
    EXPECT_FALSE(QImage(folder + text("/curves.png")).isNull());
    int bad = 0;
    for (const auto& message : said) bad += message[0].value<MessageStrip::Message>().kind == StripKind::Bad;
    EXPECT_EQ(bad, 1);
}

TEST_F(ComparePageTest, ExportedFiguresNameTheirAxisAndEachGroupOnce) {
    open();
    ASSERT_TRUE(waitUntil([&] { return page_->isSettled() && drawn().size() == 4; })) << "three runs and a mean";
    const QString folder = QString::fromStdString(database_.folder());
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    auto& exports = *page_->findChild<CompareExports*>();
    const auto read = [&](const char* name, CompareExports::Export what) {
        const auto before = said.size();
        exports.exportTo(folder + text(name), what);
        EXPECT_TRUE(waitUntil([&] { return said.size() > before; }));
        QFile file(folder + text(name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    };
    const QString svg = read("/curves.svg", CompareExports::Export::Picture);
    EXPECT_TRUE(svg.contains(text("Valid loss")));
    EXPECT_EQ(svg.count(text("base, mean of 2")), 1);
    EXPECT_FALSE(svg.contains(text("base s1"))) << "the mean stands for its seeds";
    EXPECT_EQ(svg.count(text("wide s1")), 1);
    EXPECT_TRUE(read("/values.md", CompareExports::Export::Values).startsWith(text("| ")));
    EXPECT_TRUE(read("/ends.tex", CompareExports::Export::EndValues).contains(text("\\toprule")));
    EXPECT_TRUE(read("/differences.csv", CompareExports::Export::Differences).contains(text("dims.d")));
}

TEST_F(ComparePageTest, NewValuesOfALiveRunComeInPlace) {
    open();
    table().setColumns({{Column::Kind::Best, "valid.loss"}});
    QSignalSpy reset(&table().model(), &QAbstractItemModel::modelReset);
    database_.store().add(storage::EvaluationRecord{"b10000000000", 1, 400, 4, "valid", "loss", "ce:nats", 0.5, 2604, 0.5});
    auto record = recordOf({"b10000000000", "wide", "v2", "completed", 1, 1.0, 128, {"paper"}});
    record.step = 400;
    database_.store().updateRun(record);
    ASSERT_TRUE(waitUntil([&] {
        return table().model().indexOf(refOf("b10000000000")).siblingAtColumn(1).data().toString() == text("0.500 at 400");
    }));
    EXPECT_EQ(reset.size(), 0);
}

TEST_F(ComparePageTest, ChoicesComeBackWithTheSession) {
    open();
    table().setColumns({{Column::Kind::Run, ""}, {Column::Kind::Setting, "variant.dims.d"}});
    table().setSort(1, Qt::DescendingOrder);
    ticks().choose(refsOf({"a20000000000"}));
    page_->saveSession(*settings_);
    ComparePage again(*studio_);
    again.restoreSession(*settings_);
    auto* panel = again.findChild<RunTableView*>();
    ASSERT_EQ(panel->options().columns.size(), 2U);
    EXPECT_EQ(panel->options().columns[1].key, "variant.dims.d");
    EXPECT_EQ(panel->options().order, Qt::DescendingOrder);
    again.setShown(true);
    EXPECT_TRUE(waitUntil([&] { return again.findChild<TickedRuns*>()->runs() == refsOf({"a20000000000"}); }));
}

TEST_F(ComparePageTest, BeyondNineVariantsTheRestIsGreyAndASelectedRowIsNot) {
    std::vector<RunRef> runs;
    for (int i = 0; i < 12; ++i) {
        const std::string number = std::to_string(10 + i);
        database_.add({"c000000000" + number, "many" + number, "w" + number, "completed", 1, 1.0 + i});
        runs.push_back(refOf("c000000000" + number));
    }
    studio_->open(QString::fromStdString(database_.file()));
    ASSERT_TRUE(waitUntil([&] { return table().model().rowCount() == 14 && page_->isSettled(); }));
    ticks().choose(runs);
    const auto grey = [&] {
        QStringList labels;
        for (const auto& curve : drawn())
            if (curve.weight == LineWeight::Muted) labels << curve.label;
        return labels;
    };
    ASSERT_TRUE(waitUntil([&] { return drawn().size() == 12; }));
    ASSERT_EQ(grey().size(), 3);
    EXPECT_TRUE(curves().windowTitle().contains(text("9 groups in colour")));
    const QString label = grey().last();
    choose(("c000000000" + label.mid(4, 2).toStdString()).c_str());
    EXPECT_FALSE(grey().contains(label)) << "what is selected is lit";
    EXPECT_EQ(grey().size(), 3) << "and another one goes";
    ticks().choose({runs.begin(), runs.begin() + 9});
    ASSERT_TRUE(waitUntil([&] { return drawn().size() == 9; }));
    EXPECT_TRUE(grey().isEmpty());
}

TEST_F(ComparePageTest, NothingOfAClosedDatabaseStays) {
    open();
    ASSERT_TRUE(waitUntil([&] { return drawn().size() == 4 && !values("End values").table().rows.isEmpty(); }));
    studio_->databases().closeAll();
    EXPECT_TRUE(waitUntil([&] {
        return drawn().isEmpty() && values("End values").table().rows.isEmpty() &&
               values("Specification differences").table().rows.isEmpty();
    }));
    EXPECT_EQ(table().model().rowCount(), 0);
}

TEST_F(ComparePageTest, WhyThereAreNoCurvesStandsInTheirPlaceAndIsToldOnce) {
    open();
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    for (const char* run : {"a10000000000", "b10000000000"}) database_.spoilEvaluations(run);
    auto record = recordOf({"a10000000000", "base", "v1", "completed", 1, 2.0});
    record.step = 400;
    database_.store().updateRun(record);
    ASSERT_TRUE(waitUntil([&] { return said.size() == 1 && page_->isSettled(); })) << "the rows of the table";
    curves().setMetric(CurveMetric::fromId(text("valid.accuracy")));
    ASSERT_TRUE(waitUntil([&] { return said.size() == 2 && page_->isSettled(); })) << "the values of the curves";
    const QString problem = said[0][0].value<MessageStrip::Message>().title;
    for (const char* run : {"a10000000000", "b10000000000"}) {
        ticks().choose(refsOf({run}));
        ASSERT_TRUE(waitUntil([&] { return page_->isSettled(); }));
        const auto labels = curves().panel().findChildren<QLabel*>();
        EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [&](auto* label) { return label->text() == problem; })) << run;
    }
    EXPECT_EQ(said.size(), 3) << "and what can be drawn";
}

TEST_F(ComparePageTest, EveryFocusableWidgetHasAName) {
    open();
    EXPECT_EQ(namelessWidgets(*page_), "");
}

/// Pictures to look at: HEDDLE_SHOTS=DIR HEDDLE_DEMO=FILE.heddle … --gtest_also_run_disabled_tests --gtest_filter=*Shots
TEST(ComparePageShots, DISABLED_Shots) {
    const QString folder = qEnvironmentVariable("HEDDLE_SHOTS", text("."));
    for (const auto appearance : {Appearance::Light, Appearance::Dark}) {
        Theme::instance().setAppearance(appearance);
        QSettings settings(folder + text("/shots.ini"), QSettings::IniFormat);
        settings.clear();
        Studio studio(nullptr, settings);
        ComparePage page(studio);
        page.resize(1376, 828);
        page.show();
        page.setShown(true);
        studio.open(qEnvironmentVariable("HEDDLE_DEMO"));
        EXPECT_TRUE(waitUntil([&] { return page.findChild<RunTableView*>()->model().rowCount() > 0 && page.isSettled(); }));
        waitUntil([&] { return !page.findChild<ComparedCurves*>()->plot().table().rows.isEmpty(); });
        QTest::qWait(300);
        page.grab().save(folder + (appearance == Appearance::Light ? text("/compare-light.png") : text("/compare-dark.png")));
    }
    Theme::instance().setAppearance(Appearance::Light);
}

}  // namespace
}  // namespace heddle::ui::test
