// SPDX-License-Identifier: GPL-3.0-or-later
// Grouping, sorting and what the run table's cells say; the model under the tester; 10,000 runs.
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/bare_studio.h"
#include "tests/ui/support/offscreen.h"
#include "ui/pages/compare/run_table_export.h"
#include "ui/panels/table/run_table_model.h"
#include "ui/text/states.h"
#include "ui/widgets/mark_delegate.h"

#include <gmock/gmock.h>
#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QSignalSpy>
#include <QTreeView>

namespace heddle::ui::test {
namespace {

using testing::ElementsAre;

/// Run, state, seeds, parameters and values; without a comparison.
std::vector<Column> valueColumns() {
    using K = Column::Kind;
    return {{K::Run, ""},           {K::State, ""},          {K::Seed, ""},
            {K::Parameters, ""},    {K::Best, "valid.loss"}, {K::Last, "valid.accuracy"},
            {K::Last, "test.bleu"}, {K::Epochs, ""},         {K::Time, ""}};
}

ArrangeOptions options(int sortColumn = 0, Qt::SortOrder order = Qt::AscendingOrder) {
    ArrangeOptions options;
    options.columns = valueColumns();
    options.sortColumn = sortColumn;
    options.order = order;
    return options;
}

constexpr int kSeeds = 2, kParameters = 3, kLoss = 4, kBleu = 6;

std::vector<std::string> ids(const Arrangement& arrangement) {
    std::vector<std::string> all;
    for (const auto& group : arrangement.groups)
        for (const auto& row : group.rows) all.push_back(row.run->record.id);
    return all;
}

std::shared_ptr<const Arrangement> shared(const RunTable& table, const ArrangeOptions& options) {
    return std::make_shared<const Arrangement>(arrange(table, options));
}

/// Five runs of one variant: seed 1 twice, seed 1 with another learning rate, seed 2 with other steps, seed 3 with other data.
TEST(Arrange, RunsOfOneVariantWithOtherSettingsAreNoSeedsOfEachOther) {
    RunTable table;
    const auto add = [&](const char* id, const char* group, std::uint64_t seed, double loss, double lr, const char* data) {
        RunPointer run = factsOf({id, "base", group, "completed", seed, loss});
        change(run, [&](RunFacts& facts) {
            facts.record.variantHash = "one";
            facts.settings = std::make_shared<const Leaves>(Leaves{{"train.lr", lr}, {"data.valid.source", "/data/valid.csv"}});
            facts.contents["data.valid.source"] = data;
        });
        table.runs.push_back(run);
    };
    add("a10000000000", "g1", 1, 1, 0.01, "aaaaaaaaaa");
    add("a20000000000", "g1", 1, 1, 0.01, "aaaaaaaaaa");
    add("a30000000000", "g1", 2, 3, 0.01, "aaaaaaaaaa");
    add("b10000000000", "g2", 1, 100, 0.5, "aaaaaaaaaa");
    add("c10000000000", "g3", 3, 1000, 0.01, "bbbbbbbbbb");
    const Arrangement a = arrange(table, options());
    ASSERT_EQ(a.groups.size(), 3U);
    EXPECT_EQ(a.groups[0].name, text("base · lr 0.01 · valid.source valid.csv (aaaaaaaa)"));
    EXPECT_EQ(a.groups[1].name, text("base · lr 0.01 · valid.source valid.csv (bbbbbbbb)"));
    EXPECT_EQ(a.groups[2].name, text("base · lr 0.5 · valid.source valid.csv (aaaaaaaa)"));
    const Spread& spread = a.groups[0].sums->spreads[kLoss].value();
    EXPECT_EQ(spread.n, 2U) << "a seed that stands twice counts once";
    EXPECT_DOUBLE_EQ(spread.mean, 2);
    EXPECT_EQ(a.groups[0].sums->completed, 2);
    EXPECT_EQ(a.groups[0].sums->seeds, 2);
}

TEST(Arrange, GroupsByVariantWithTheMeanOfCompletedRuns) {
    const Arrangement a = arrange(smallTable(), options());
    ASSERT_EQ(a.groups.size(), 2U);
    const RunGroup& base = a.groups[0];
    EXPECT_EQ(base.name, text("base"));
    EXPECT_EQ(base.sums->completed, 2);
    EXPECT_EQ(base.rows.size(), 3U);
    EXPECT_DOUBLE_EQ(base.sums->cells[kLoss].number, 2.5) << "the running one does not count";
    EXPECT_EQ(base.sums->spreads[kLoss].value().n, 2U);
    EXPECT_EQ(base.sums->cells[kParameters].number, 64000);
    EXPECT_TRUE(base.sums->cells[kBleu].isEmpty()) << "nobody has it";
}

TEST(Arrange, MeansComeWithTheirDeviationAndLeaveChangedRunsOut) {
    RunTable table = smallTable();
    const Arrangement whole = arrange(table, options());
    EXPECT_NEAR(whole.groups[0].sums->spreads[kLoss].value().deviation.value(), std::sqrt(0.5), 1e-12) << "2 and 3";
    EXPECT_FALSE(whole.groups[1].sums->spreads[kLoss].value().deviation) << "of one run";
    const auto intervene = [](RunFacts& facts) { facts.record.intervened = 40; };
    ASSERT_EQ(table.runs[0]->record.id, "a10000000000");
    change(table.runs[0], intervene);
    const Arrangement apart = arrange(table, options());
    EXPECT_EQ(apart.groups[0].sums->completed, 1);
    EXPECT_EQ(apart.groups[0].sums->spreads[kLoss].value().n, 1U);
    EXPECT_DOUBLE_EQ(apart.groups[0].sums->cells[kLoss].number, 3);
    for (auto& run : table.runs) change(run, intervene);
    const Arrangement all = arrange(table, options());
    EXPECT_TRUE(all.groups[0].sums->cells[kLoss].isEmpty()) << "they make no mean among themselves";
    EXPECT_DOUBLE_EQ(all.groups[1].sums->cells[kLoss].number, 1) << "a run alone stands for itself";
}

TEST(Arrange, NamesOfVariantsAreOfTheirFirstRunsAndToldApart) {
    RunTable table = smallTable();
    for (auto& run : table.runs)
        change(run, [](RunFacts& facts) {
            facts.record.name = facts.record.id == "a30000000000" ? "later" : "same";
            facts.variant = std::make_shared<Leaves>(
                Leaves{{"variant.dims.d", 64}, {"variant.dims.f", facts.record.id.starts_with("a") ? 256 : 512}});
        });
    const Arrangement a = arrange(table, options());
    EXPECT_EQ(a.groups[0].name, text("same · dims.f 256"));
    EXPECT_EQ(a.groups[1].name, text("same · dims.f 512"));
}

TEST(Arrange, AVariantIsCalledWhatTheNamesOfItsSeedsShare) {
    const auto nameOf = [](const std::vector<std::string>& names) {
        RunTable table = smallTable();
        for (std::size_t i = 0; i < names.size(); ++i)
            change(table.runs[i], [&](RunFacts& facts) { facts.record.name = names[i]; });
        return arrange(table, options()).groups[0].name.toStdString();
    };
    ASSERT_EQ(arrange(smallTable(), options()).groups[0].rows.size(), 3U);
    EXPECT_EQ(nameOf({"eau-base-s1", "eau-base-s2", "eau-base-s12"}), "eau-base");
    EXPECT_EQ(nameOf({"full 10", "full 11", "full 12"}), "full");
    EXPECT_EQ(nameOf({"deep, seed 1", "deep, seed 2", "deep, seed 3"}), "deep");
    EXPECT_EQ(nameOf({"d128", "d128", "d128"}), "d128") << "one name is kept whole";
    EXPECT_EQ(nameOf({"mrpc", "mlm", "m3"}), "mrpc") << "one letter is no name";
}

TEST(Arrange, GroupsOfRunsWithoutNamesAreCalledByWhatSetsThemApart) {
    RunTable table = smallTable();
    for (auto& run : table.runs)
        change(run, [](RunFacts& facts) {
            facts.record.name.clear();
            facts.settings = std::make_shared<const Leaves>(Leaves{{"train.lr", facts.record.groupKey == "v1" ? 0.01 : 0.5}});
        });
    for (const Grouping grouping : {Grouping::Settings, Grouping::None}) {
        auto wanted = options();
        wanted.grouping = grouping;
        const Arrangement a = arrange(table, wanted);
        EXPECT_EQ(a.names.at("v1"), text("lr 0.01")) << "what the legend of the curves says, too";
        EXPECT_EQ(a.names.at("v2"), text("lr 0.5"));
    }
    EXPECT_EQ(arrange(table, options()).groups[0].name, text("lr 0.01"));
}

TEST(Arrange, SortsNumbersAsNumbersAndKeepsTheEmptyLast) {
    RunTable table = smallTable();
    EXPECT_THAT(ids(arrange(table, options(kLoss))),
                ElementsAre("b10000000000", "a10000000000", "a20000000000", "a30000000000"));
    EXPECT_THAT(ids(arrange(table, options(kLoss, Qt::DescendingOrder))),
                ElementsAre("a30000000000", "a20000000000", "a10000000000", "b10000000000"));
    change(table.runs[3], [](RunFacts& facts) { facts.metrics.clear(); });
    for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder})
        EXPECT_EQ(ids(arrange(table, options(kLoss, order))).back(), "b10000000000") << "no value is last either way";
    EXPECT_LT(compareCells(numberCell(9), numberCell(10)), 0);
    EXPECT_LT(compareCells(numberCell(1e9), numberCell(std::nan(""))), 0);
    EXPECT_LT(compareCells(numberCell(std::nan("")), textCell(text("a"))), 0);
    EXPECT_LT(compareCells(textCell(text("z")), Cell()), 0);
}

TEST(Arrange, AnotherOrderOfTheRowsIsThatOfAnArrangementMadeAnew) {
    RunTable table = smallTable();
    table.runs.push_back(factsOf({"c10000000000", "deep", "v3", "completed", 1, 1.0, 128}));
    table.runs.push_back(factsOf({"c20000000000", "deep", "v3", "completed", 2, 1.0, 128}));
    change(table.runs[1], [](RunFacts& facts) { facts.metrics["valid.loss"].n = 10; });
    for (const Grouping grouping : {Grouping::Settings, Grouping::None}) {
        auto wanted = options();
        wanted.grouping = grouping;
        Arrangement now = arrange(table, wanted);
        for (const int column : {kLoss, kParameters, 0, kBleu, kSeeds})
            for (const auto order : {Qt::DescendingOrder, Qt::AscendingOrder}) {
                wanted.sortColumn = column;
                wanted.order = order;
                const Arrangement anew = arrange(table, wanted);
                now = sorted(std::move(now), column, order);
                EXPECT_EQ(ids(now), ids(anew)) << column << ": equal rows stand as in the table";
                EXPECT_EQ(now.places, anew.places);
                EXPECT_EQ(now.options.sortColumn, column);
                EXPECT_EQ(now.options.order, order);
                EXPECT_EQ(now.references, anew.references);
            }
    }
}

TEST(Arrange, WithoutGroupsEveryRunStandsForItself) {
    auto flat = options(kLoss);
    flat.grouping = Grouping::None;
    const Arrangement a = arrange(smallTable(), flat);
    EXPECT_EQ(a.groups.size(), 4U);
    EXPECT_THAT(ids(a), ElementsAre("b10000000000", "a10000000000", "a20000000000", "a30000000000"));
}

TEST(Arrange, FiltersAndCounts) {
    auto filtered = options();
    filtered.filter = text("state:completed name:base");
    const Arrangement a = arrange(smallTable(), filtered);
    EXPECT_EQ(a.shown, 2);
    EXPECT_EQ(a.of, 4);
    filtered.filter = text("nme:x");
    EXPECT_TRUE(arrange(smallTable(), filtered).error);
}

class RunTableModelTest : public ::testing::Test {
protected:
    BareStudio bare_;
    RunTableModel model_{bare_.studio};
    QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};

    QString cell(int row, int column, const QModelIndex& parent = {}) {
        return model_.index(row, column, parent).data().toString();
    }
};

TEST_F(RunTableModelTest, SaysMeansSeedsAndSteps) {
    model_.setArrangement(shared(smallTable(), options()));
    const QModelIndex base = model_.index(0, 0);
    EXPECT_EQ(base.data().toString(), text("base"));
    EXPECT_EQ(cell(0, kSeeds), text("2 of 3"));
    EXPECT_EQ(cell(0, kLoss), text("2.500 ± 0.707 (2)"));
    EXPECT_EQ(model_.index(0, 1).data(kMarkRole).toInt(), int(Mark::Running)) << "what is not finished is seen first";
    EXPECT_EQ(cell(0, 1), text("1 running"));
    EXPECT_EQ(cell(0, 0, base), text("seed 1"));
    EXPECT_EQ(cell(0, kLoss, base), text("2.000 at 100"));
    EXPECT_EQ(cell(0, kBleu, base), text("–"));
    const QString tip = model_.index(0, kLoss).data(Qt::ToolTipRole).toString();
    EXPECT_TRUE(tip.contains(text("2 of 3")) && tip.contains(text("ce:nats")) && tip.contains(text("2,604")))
        << tip.toStdString();
}

TEST_F(RunTableModelTest, TheFilterChangesNoStateOfAGroup) {
    auto filtered = options();
    filtered.filter = text("state:running");
    model_.setArrangement(shared(smallTable(), filtered));
    ASSERT_EQ(model_.rowCount(model_.index(0, 0)), 1);
    EXPECT_EQ(cell(0, 1), text("1 running")) << "the other two are hidden, and there";
    filtered.filter = text("state:completed");
    model_.setArrangement(shared(smallTable(), filtered));
    EXPECT_EQ(model_.indexOfGroup("v1").siblingAtColumn(1).data(kMarkRole).toInt(), int(Mark::Running));
}

/// "wide" was evaluated on fewer items than "base", whose three runs stand first.
TEST_F(RunTableModelTest, MeansThatCannotBeComparedAreMarked) {
    RunTable table = smallTable();
    change(table.runs[3], [](RunFacts& facts) { facts.metrics["valid.loss"].n = 10; });
    model_.setArrangement(shared(table, options()));
    const QModelIndex base = model_.indexOfGroup("v1"), wide = model_.indexOfGroup("v2");
    EXPECT_EQ(base.siblingAtColumn(kLoss).data().toString(), text("2.500 ± 0.707 (2)"));
    EXPECT_EQ(wide.siblingAtColumn(kLoss).data().toString(), text("1.000 at 100 †"));
    EXPECT_EQ(wide.siblingAtColumn(kParameters).data().toString(), text("128,000")) << "only metrics are measured";
    EXPECT_TRUE(
        wide.siblingAtColumn(kLoss).data(Qt::ToolTipRole).toString().contains(text("† not comparable with base: n differs")));
    EXPECT_FALSE(base.siblingAtColumn(kLoss).data(Qt::ToolTipRole).toString().contains(text("†")));
    auto pinned = options();
    pinned.baseline = "v2";
    model_.setArrangement(shared(table, pinned));
    EXPECT_EQ(model_.indexOfGroup("v1").siblingAtColumn(kLoss).data().toString(), text("2.500 ± 0.707 (2) †"));
    EXPECT_EQ(model_.indexOfGroup("v2").siblingAtColumn(kLoss).data().toString(), text("1.000 at 100"));
    EXPECT_EQ(cell(0, kLoss, model_.indexOfGroup("v1")), text("2.000 at 100 †")) << "so are its runs";
}

TEST_F(RunTableModelTest, TicksOfAVariantAreThoseOfItsRuns) {
    model_.setArrangement(shared(smallTable(), options()));
    QSignalSpy spy(&model_, &RunTableModel::checkedByUser);
    const QModelIndex base = model_.index(0, 0);
    EXPECT_TRUE(model_.setData(model_.index(1, 0, base), Qt::Checked, Qt::CheckStateRole));
    EXPECT_EQ(base.data(Qt::CheckStateRole).toInt(), Qt::PartiallyChecked);
    EXPECT_TRUE(model_.setData(base, Qt::Checked, Qt::CheckStateRole));
    EXPECT_EQ(base.data(Qt::CheckStateRole).toInt(), Qt::Checked);
    EXPECT_EQ(spy.last()[0].value<std::vector<RunRef>>(), refsOf({"a10000000000", "a20000000000", "a30000000000"}));
    auto filtered = options();
    filtered.filter = text("wide");
    model_.setArrangement(shared(smallTable(), filtered));
    model_.setData(model_.index(0, 0), Qt::Checked, Qt::CheckStateRole);
    EXPECT_EQ(spy.last()[0].value<std::vector<RunRef>>().size(), 4U) << "hidden rows keep their ticks";
}

TEST_F(RunTableModelTest, SortingMovesWhatAViewHoldsAndChangesStayInPlace) {
    model_.setArrangement(shared(smallTable(), options()));
    const QPersistentModelIndex second = model_.indexOf(refOf("a20000000000")), variant = model_.indexOfGroup("v2");
    QSignalSpy reset(&model_, &QAbstractItemModel::modelReset), moved(&model_, &QAbstractItemModel::layoutChanged);
    model_.setArrangement(shared(smallTable(), options(kLoss)));
    ASSERT_EQ(moved.size(), 1);
    EXPECT_EQ(moved[0][1].value<QAbstractItemModel::LayoutChangeHint>(), QAbstractItemModel::VerticalSortHint)
        << "selections keep an index a row";
    EXPECT_EQ(reset.size(), 0);
    EXPECT_EQ(model_.runsAt(second).front()->record.id, "a20000000000");
    EXPECT_EQ(variant.row(), 0);
    moved.clear();
    RunTable grown = smallTable();
    change(grown.runs[2], [](RunFacts& facts) { facts.record.epoch = 4; });
    model_.setArrangement(shared(grown, options(kLoss)));
    EXPECT_EQ(reset.size(), 0);
    EXPECT_GT(moved.size(), 0) << "views show it";
    EXPECT_EQ(model_.indexOf(refOf("a30000000000")).siblingAtColumn(7).data().toString(), text("4"));
    grown.runs.push_back(factsOf({"c1", "third", "v3"}));
    model_.setArrangement(shared(grown, options(kLoss)));
    EXPECT_EQ(reset.size(), 1);
    EXPECT_EQ(model_.rowCount(), 3);
}

TEST(RunTableModel, TenThousandRunsOfFiftyColumnsAreSorted) {
    auto table = std::make_shared<RunTable>();
    for (int i = 0; i < 10000; ++i)
        table->runs.push_back(factsOf({"r" + std::to_string(i), "run", "v" + std::to_string(i / 4), "completed",
                                       std::uint64_t(i % 4), double(i * 7919 % 10007)}));
    table->total = 10000;
    auto wide = options(kLoss);
    while (wide.columns.size() < 50) wide.columns.push_back({Column::Kind::Setting, "variant.dims.d"});
    const auto ascending = shared(*table, wide);
    wide.order = Qt::DescendingOrder;
    const auto descending = shared(*table, wide);
    BareStudio bare;
    RunTableModel model(bare.studio);
    QTreeView view;
    view.setUniformRowHeights(true);
    view.setModel(&model);
    view.resize(1000, 500);
    view.show();
    model.setArrangement(ascending);
    QCoreApplication::processEvents();
    for (int i = 0; i < 5; ++i) {
        model.setArrangement(i % 2 ? ascending : descending);
        QCoreApplication::processEvents();
    }
    EXPECT_GT(model.index(0, kLoss).data().toString().size(), 0);
}

TEST(RunTableExport, CarriesStepNAndSignatureInTheCLocale) {
    const QString tsv = QString::fromStdString(tableText(runsTable({smallTable().runs[3]}, valueColumns()), TableFormat::Tsv));
    const QStringList lines = tsv.split(QLatin1Char('\n'));
    const QStringList head = lines[0].split(QLatin1Char('\t')), row = lines[1].split(QLatin1Char('\t'));
    ASSERT_EQ(head.size(), row.size());
    const auto value = [&](const char* column) { return row[head.indexOf(text(column))]; };
    EXPECT_EQ(value("id"), text("b10000000000"));
    EXPECT_EQ(value("parameters"), text("128000"));
    EXPECT_EQ(value("best:valid.loss"), text("1"));
    EXPECT_EQ(value("best:valid.loss.step"), text("100"));
    EXPECT_EQ(value("best:valid.loss.n"), text("2604"));
    EXPECT_EQ(value("best:valid.loss.signature"), text("ce:nats"));
    EXPECT_EQ(value("last:test.bleu"), QString());
}

TEST(RunTableExport, PapersGetMeansWithTheirSpreadAndSeeds) {
    const std::vector<Column> columns{{Column::Kind::Run, ""}, {Column::Kind::State, ""}, {Column::Kind::Best, "valid.loss"}};
    const Arrangement groups = arrange(smallTable(), {columns, {}});
    const std::string latex = exportOf(groups, TableFormat::Latex);
    EXPECT_NE(latex.find("Group & Valid loss, best & seeds \\\\"), std::string::npos) << latex;
    EXPECT_NE(latex.find("base & 2.500 $\\pm$ 0.707 & 2 \\\\"), std::string::npos) << latex;
    EXPECT_NE(latex.find("wide & 1.000 & 1 \\\\"), std::string::npos) << latex;
    EXPECT_NE(exportOf(groups, TableFormat::Markdown).find("| base | 2.500 ± 0.707 | 2 |"), std::string::npos);
    const std::string csv = exportOf(groups, TableFormat::Csv);
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5) << "a header and every run with all its digits";
}

}  // namespace
}  // namespace heddle::ui::test
