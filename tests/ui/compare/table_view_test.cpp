// SPDX-License-Identifier: GPL-3.0-or-later
// The run table as a widget: what it keeps when rows change, a wrong filter, what is chosen.
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/bare_studio.h"
#include "tests/ui/support/offscreen.h"
#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/run_table_view.h"

#include <gmock/gmock.h>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTreeView>

namespace heddle::ui::test {
namespace {

using testing::ElementsAre;

TEST(RunTableView, KeepsWhatIsOpenAndChosenWhenRunsComeAndGo) {
    BareStudio bare;
    RunTableView panel(bare.studio, TableUse::Compare, defaultColumns(), nullptr);
    panel.resize(900, 400);
    panel.setTable(std::make_shared<RunTable>(smallTable()));
    ASSERT_TRUE(waitUntil([&] { return panel.model().rowCount() == 2; }));
    EXPECT_TRUE(panel.view().isExpanded(panel.model().index(0, 0))) << "so few rows are shown at once";
    EXPECT_FALSE(panel.view().isExpanded(panel.model().indexOfGroup("v2"))) << "a single run says nothing more";
    panel.view().selectionModel()->setCurrentIndex(panel.model().indexOf(refOf("a20000000000")),
                                                   QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    RunTable grown = smallTable();
    grown.runs.push_back(factsOf({"c1", "another", "v3"}));
    panel.setTable(std::make_shared<RunTable>(grown));
    ASSERT_TRUE(waitUntil([&] { return panel.model().rowCount() == 3; }));
    EXPECT_TRUE(panel.view().isExpanded(panel.model().indexOfGroup("v1")));
    EXPECT_FALSE(panel.view().isExpanded(panel.model().indexOfGroup("v2")));
    EXPECT_EQ(panel.currentRun()->record.id, "a20000000000");
    ASSERT_EQ(panel.selectedRuns().size(), 1U);
    EXPECT_EQ(panel.selectedRuns()[0]->record.id, "a20000000000");
    panel.filter().setText(text("state:nonsense"));
    ASSERT_TRUE(waitUntil([&] { return panel.filterError().has_value(); }));
    EXPECT_EQ(panel.model().rowCount(), 3) << "a filter that is half typed leaves the rows alone";
}

TEST(RunTableView, SaysThatThereAreNoRunsOnlyWhenItHasRead) {
    Database database;
    BareStudio bare;
    RunTableView panel(bare.studio, TableUse::Compare, defaultColumns(), nullptr);
    auto* card = new QWidget;
    panel.setWhereNoRuns(card);
    panel.show();
    EXPECT_TRUE(card->isVisible()) << "no database is open";
    bare.studio.open(QString::fromStdString(database.file()));
    ASSERT_TRUE(waitUntil([&] { return bare.studio.databases().current() != nullptr; }));
    EXPECT_FALSE(card->isVisible());
    panel.reader().setActive(true);
    EXPECT_TRUE(waitUntil([&] { return card->isVisible(); }));
}

TEST(RunTableView, NamesTakeTheWidthThatTheFiguresLeave) {
    BareStudio bare;
    RunTableView panel(bare.studio, TableUse::Compare, defaultColumns(), nullptr);
    panel.resize(1600, 300);
    panel.show();
    panel.setTable(std::make_shared<RunTable>(smallTable()));
    ASSERT_TRUE(waitUntil([&] { return panel.model().rowCount() == 2; }));
    const auto header = [&] { return panel.view().header()->length(); };
    EXPECT_TRUE(waitUntil([&] { return header() == panel.view().viewport()->width(); }));
    panel.resize(1300, 300);
    EXPECT_TRUE(waitUntil([&] { return header() == panel.view().viewport()->width(); }));
    panel.resize(300, 300);
    EXPECT_TRUE(waitUntil([&] { return panel.view().viewport()->width() <= 300; }));
    EXPECT_GT(header(), 300) << "never less than they need";
}

class SmallPanelTest : public ::testing::Test {
protected:
    void SetUp() override { panel_.setTable(std::make_shared<RunTable>(smallTable())); }
    void select(std::initializer_list<const char*> runs) {
        for (const char* run : runs)
            panel_.view().selectionModel()->select(panel_.model().indexOf(refOf(run)),
                                                   QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
    BareStudio bare_;
    RunTableView panel_{bare_.studio, TableUse::Compare, defaultColumns(), nullptr};
};

TEST_F(SmallPanelTest, AWrongFilterHoldsBackNothingButItself) {
    panel_.filter().setText(text("name:base"));
    panel_.filter().setText(text("nme:base"));
    ASSERT_TRUE(panel_.filterError().has_value());
    ASSERT_EQ(panel_.model().rowCount(), 1) << "the last right filter holds";
    panel_.setGrouping(Grouping::None);
    EXPECT_EQ(panel_.model().rowCount(), 3);
    panel_.setSort(2, Qt::DescendingOrder);
    EXPECT_EQ(panel_.model().runsAt(panel_.model().index(0, 0)).front()->record.seed, 3U);
    panel_.setColumns({{Column::Kind::Run, ""}, {Column::Kind::Seed, ""}});
    EXPECT_EQ(panel_.model().columnCount(), 2);
    panel_.setTable(std::make_shared<RunTable>());
    EXPECT_EQ(panel_.model().rowCount(), 0) << "rows of another table never stay";
}

TEST_F(SmallPanelTest, ChosenRunsStandInTheOrderOfTheRows) {
    select({"b10000000000", "a20000000000"});
    std::vector<std::string> ids;
    for (const auto& run : panel_.selectedRuns()) ids.push_back(run->record.id);
    EXPECT_THAT(ids, ElementsAre("a20000000000", "b10000000000")) << "that of the second group is the first of its group";
}

TEST_F(SmallPanelTest, TicksOfManyRowsAreOneChange) {
    QSignalSpy changed(&panel_.model(), &RunTableModel::checkedByUser);
    select({"a10000000000", "a20000000000", "b10000000000"});
    panel_.toggleTicks();
    ASSERT_EQ(changed.size(), 1);
    EXPECT_EQ(changed[0][0].value<std::vector<RunRef>>(), refsOf({"a10000000000", "a20000000000", "b10000000000"}));
    panel_.toggleTicks();
    ASSERT_EQ(changed.size(), 2);
    EXPECT_TRUE(changed[1][0].value<std::vector<RunRef>>().empty());
}

}  // namespace
}  // namespace heddle::ui::test
