// SPDX-License-Identifier: GPL-3.0-or-later
// What the tool bars and menus of Compare do, one by one.
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/offscreen.h"
#include "ui/data/study_comparer.h"
#include "ui/pages/compare/column_chooser.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compare/compare_views.h"
#include "ui/pages/compare/compared_curves.h"
#include "ui/pages/compare/compared_tables.h"
#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/run_table_view.h"
#include "ui/plot/curve_plot.h"
#include "ui/widgets/segments.h"

#include <gtest/gtest.h>
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QCompleter>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QListView>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTest>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <memory>

namespace heddle::ui::test {
namespace {

class CompareActionsTest : public ::testing::Test {
protected:
    void SetUp() override {
        database_.add({"a10000000000", "base", "v1", "completed", 1, 2.0});
        database_.add({"a20000000000", "base", "v1", "completed", 2, 3.0});
        database_.add({"b10000000000", "wide", "v2", "completed", 1, 1.0, 128, {"paper"}});
        settings_ = std::make_unique<QSettings>(QString::fromStdString(database_.folder()) + text("/settings.ini"),
                                                QSettings::IniFormat);
        studio_ = std::make_unique<Studio>(nullptr, *settings_);
        page_ = std::make_unique<ComparePage>(*studio_);
        page_->resize(1400, 900);
        page_->show();
        page_->setShown(true);
        studio_->open(QString::fromStdString(database_.file()));
        ASSERT_TRUE(waitUntil([&] { return rows() == 2 && comparer().comparison()->group("v2") && page_->isSettled(); }));
    }
    void TearDown() override {
        page_.reset();
        studio_.reset();
    }
    RunTableView& table() { return the<RunTableView>(*page_); }
    int rows() { return table().model().rowCount(); }
    StudyComparer& comparer() { return *page_->findChild<StudyComparer*>(); }
    ComparedCurves& curves() { return the<ComparedCurves>(*page_); }
    QAction& action(const char* objectName) { return named<QAction>(*page_, objectName); }
    static void choose(QComboBox& box, int index) {
        box.setCurrentIndex(index);
        Q_EMIT box.activated(index);
    }
    QString path(const char* name) const { return QString::fromStdString(database_.folder() + "/" + name); }
    /// Triggers an action that asks for a file, and answers.
    void answer(const char* objectName, QFileDialog::AcceptMode mode, const QString& file) {
        action(objectName).trigger();
        auto& dialog = the<QFileDialog>(*page_);
        EXPECT_EQ(dialog.acceptMode(), mode);
        Q_EMIT dialog.fileSelected(file);
        dialog.reject();
        EXPECT_TRUE(waitUntil([&] { return page_->findChild<QFileDialog*>() == nullptr; }));
    }

    Database database_;
    std::unique_ptr<QSettings> settings_;
    std::unique_ptr<Studio> studio_;
    std::unique_ptr<ComparePage> page_;
};

TEST_F(CompareActionsTest, NextDifferenceWalksThroughTheRows) {
    auto& differences = the<DifferencesTable>(*page_);
    ASSERT_TRUE(waitUntil([&] { return !differences.table().rows.isEmpty(); }));
    named<QDockWidget>(*page_, "differences").hide();
    const int all = int(differences.table().rows.size());
    for (int step = 0; step <= all; ++step) {
        action("nextDifference").trigger();
        EXPECT_EQ(differences.view().currentIndex().row(), step % all) << "of " << all;
    }
    EXPECT_TRUE(differences.isVisible()) << "its dock is shown";
}

TEST_F(CompareActionsTest, CurvesAreShownAsATableAndOnALogarithmicAxis) {
    action("curvesAsTable").trigger();
    EXPECT_EQ(curves().plot().mode(), PlotMode::Table);
    action("curvesAsTable").trigger();
    EXPECT_EQ(curves().plot().mode(), PlotMode::Chart);
    QToolButton* log = nullptr;
    for (auto* button : curves().findChildren<QToolButton*>())
        if (button->isCheckable()) log = button;
    ASSERT_NE(log, nullptr);
    log->click();
    EXPECT_EQ(curves().plot().valueScale(), AxisScale::Log);
    QTest::keyClick(&curves().plot(), Qt::Key_Y);
    EXPECT_EQ(curves().plot().valueScale(), AxisScale::Linear);
    EXPECT_FALSE(log->isChecked()) << "the button follows the key";
}

TEST_F(CompareActionsTest, ColumnsAreChosenAndSetBack) {
    const std::vector<Column> before = table().options().columns;
    const Column settings{Column::Kind::Setting, "variant.dims.d"};
    ASSERT_EQ(std::count(before.begin(), before.end(), settings), 0);
    action("chooseColumns").trigger();
    auto& chooser = the<ColumnChooser>(*page_);
    ASSERT_TRUE(chooser.isVisible());
    QAbstractItemModel& offered = *the<QListView>(chooser).model();
    const QModelIndexList found = offered.match(offered.index(0, 0), Qt::UserRole + 1, settings.id(), 1, Qt::MatchExactly);
    ASSERT_EQ(found.size(), 1);
    offered.setData(found.front(), Qt::Checked, Qt::CheckStateRole);
    EXPECT_EQ(table().options().columns.back(), settings);
    the<QPushButton>(chooser).click();
    EXPECT_EQ(table().options().columns, before) << "the default columns";
    QTest::keyClick(&chooser, Qt::Key_Escape);
    EXPECT_FALSE(chooser.isVisible());
}

TEST_F(CompareActionsTest, TheQuestionBarChoosesBaselineAndCorrection) {
    auto& baseline = named<QComboBox>(*page_, "baseline");
    ASSERT_EQ(comparer().comparison()->baseline, "v1");
    choose(baseline, baseline.findData(text("v2")));
    EXPECT_EQ(studio_->colours().baseline(), "v2");
    ASSERT_TRUE(waitUntil([&] { return comparer().comparison()->baseline == "v2"; }));
    ASSERT_TRUE(comparer().comparison()->question.holm);
    auto& correction = named<QComboBox>(*page_, "correction");
    choose(correction, correction.findData(text("none")));
    ASSERT_TRUE(waitUntil([&] { return !comparer().comparison()->question.holm; }));
    choose(correction, correction.findData(text("holm")));
    EXPECT_TRUE(waitUntil([&] { return comparer().comparison()->question.holm; }));
}

TEST_F(CompareActionsTest, GroupsAreTakenApartAndPutTogether) {
    auto& grouping = the<QComboBox>(named<QToolBar>(*page_, "compareBar"));
    choose(grouping, 1);
    EXPECT_TRUE(waitUntil([&] { return rows() == 3; }));
    choose(grouping, 0);
    EXPECT_TRUE(waitUntil([&] { return rows() == 2; }));
}

TEST_F(CompareActionsTest, AViewIsShownInFullSizeAndBack) {
    named<Segments>(*page_, "views").button(1).click();
    auto& scatter = the<ScatterPanel>(*page_);
    const auto docks = [&] {
        int visible = 0;
        for (const auto* dock : page_->findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
            visible += dock->isVisible();
        return visible;
    };
    ASSERT_EQ(docks(), 4);
    named<QToolButton>(scatter, "fullSize").click();
    EXPECT_EQ(docks(), 0);
    EXPECT_TRUE(scatter.isVisible());
    named<QToolButton>(scatter, "fullSize").click();
    EXPECT_EQ(docks(), 4);
}

TEST_F(CompareActionsTest, TheFilterCompletesTheWordAtTheCursorAndEscapeShowsAllRuns) {
    auto& filter = the<FilterLine>(*page_);
    QTest::keyClicks(&filter, text("tag:paper state:com"));
    auto& completer = *filter.findChild<QCompleter*>();
    ASSERT_EQ(completer.completionCount(), 1);
    EXPECT_EQ(completer.currentCompletion(), text("state:completed"));
    Q_EMIT completer.activated(completer.currentCompletion());
    completer.popup()->hide();
    EXPECT_EQ(filter.text(), text("tag:paper state:completed"));
    ASSERT_TRUE(waitUntil([&] { return rows() == 1; }));
    QTest::keyClick(&filter, Qt::Key_Escape);
    EXPECT_TRUE(filter.text().isEmpty());
    EXPECT_TRUE(waitUntil([&] { return rows() == 2; }));
}

TEST_F(CompareActionsTest, LayoutsAndTablesAreWrittenAndReadWhereTheDialogSays) {
    answer("saveLayout", QFileDialog::AcceptSave, path("layout.json"));
    ASSERT_TRUE(waitUntil([&] { return QFile::exists(path("layout.json")); }));
    table().setGrouping(Grouping::None);
    answer("openLayout", QFileDialog::AcceptOpen, path("layout.json"));
    EXPECT_TRUE(waitUntil([&] { return table().options().grouping == Grouping::Settings; }));
    answer("exportTable", QFileDialog::AcceptSave, path("runs.csv"));
    ASSERT_TRUE(waitUntil([&] { return QFile::exists(path("runs.csv")); }));
    QFile written(path("runs.csv"));
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    EXPECT_EQ(written.readAll().count('\n'), 4) << "a header and three runs";
}

}  // namespace
}  // namespace heddle::ui::test
