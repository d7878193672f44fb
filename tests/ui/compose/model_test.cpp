// SPDX-License-Identifier: GPL-3.0-or-later
// The models of the page with Qt's model tester while the draft changes.
#include "tests/ui/support/offscreen.h"
#include "ui/pages/compose/panels/preset_model.h"
#include "ui/pages/compose/panels/table_models.h"
#include "ui/pages/compose/panels/tree_models.h"
#include "ui/pages/compose/plan/plan_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

using Reporting = QAbstractItemModelTester::FailureReportingMode;

class Models : public testing::Test {
protected:
    Models() { draft_.open(Json{{"preset", "eau-full"}, {"dims", {{"layers_enc", 2}, {"layers_dec", 2}}}}, text("full")); }
    void change(const char* assignment) { draft_.apply({assignment}, text("change")); }

    VariantDraft draft_;
};

}  // namespace

TEST_F(Models, OutlineIsUpdatedInPlaceWhileTheStructureStays) {
    OutlineModel model;
    const QAbstractItemModelTester tester(&model, Reporting::Fatal);
    model.show(draft_);
    const QModelIndex adjuster = model.indexOf("encoder.layers.0.self.adjuster");
    ASSERT_TRUE(adjuster.isValid());
    EXPECT_EQ(adjuster.data().toString(), text("adjuster  eau"));
    EXPECT_EQ(adjuster.siblingAtColumn(1).data().toString(), text("525,568"));
    EXPECT_EQ(adjuster.parent().data().toString(), text("self"));
    EXPECT_EQ(adjuster.parent().parent().data().toString(), text("layers.0"));
    QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved), changed(&model, &QAbstractItemModel::dataChanged);
    change("encoder.self.adjuster=none");
    model.show(draft_);
    EXPECT_EQ(removed.size(), 0);
    EXPECT_GT(changed.size(), 0);
    EXPECT_EQ(model.indexOf("encoder.layers.0.self.adjuster").data().toString(), text("adjuster  none"));
    change("dims.layers_enc=3");
    model.show(draft_);
    EXPECT_EQ(removed.size(), 1);
    EXPECT_TRUE(model.indexOf("encoder.layers.2.ffn.ffn").isValid());
}

TEST_F(Models, ParametersBySlotAddUpToTheTotal) {
    draft_.setBaseline(Json{{"preset", "eau-base"}, {"dims", {{"layers_enc", 2}, {"layers_dec", 2}}}}, text("base"));
    const std::unique_ptr<CellTable> owned(makeSlotCosts(draft_, nullptr));
    CellTable& model = *owned;
    const QAbstractItemModelTester tester(&model, Reporting::Fatal);
    qint64 sum = 0;
    for (int row = 0; row + 1 < model.rowCount(); ++row) sum += QLocale().toLongLong(model.index(row, 2).data().toString());
    EXPECT_EQ(sum, draft_.facts()->cost.parameters);
    EXPECT_EQ(QLocale().toLongLong(model.index(model.rowCount() - 1, 2).data().toString()), sum);
    EXPECT_EQ(model.index(0, 1).data(CellTable::ShareRole).toDouble(), 1);
    const int rows = model.rowCount();
    change("encoder.self.adjuster=none");
    EXPECT_EQ(model.rowCount(), rows);
    draft_.setBaseline(Json{{"preset", "eau-full"}}, text("full"));
}

TEST_F(Models, ProblemsAreNumberedAndHaveANextStep) {
    const std::unique_ptr<CellTable> owned(makeProblems(draft_, nullptr));
    CellTable& model = *owned;
    const QAbstractItemModelTester tester(&model, Reporting::Fatal);
    EXPECT_TRUE(model.index(0, 0).data().toString().startsWith(text("Valid")));
    change("dims.heads=7");
    ASSERT_EQ(draft_.problems().size(), 1U);
    EXPECT_TRUE(model.index(0, 0).data().toString().startsWith(text("1  d = ")));
    EXPECT_EQ(model.pathOf(model.index(0, 0)), "dims.heads");
    EXPECT_FALSE(model.index(0, 2).data().toString().isEmpty());
    EXPECT_TRUE(model.index(0, 0).data(Qt::AccessibleTextRole).toString().startsWith(text("Error")));
}

TEST_F(Models, DifferencesAreUpdatedWithTheBaseline) {
    const std::unique_ptr<CellTable> owned(makeDifferences(draft_, nullptr));
    CellTable& model = *owned;
    const QAbstractItemModelTester tester(&model, Reporting::Fatal);
    EXPECT_EQ(model.rowCount(), 0) << "no baseline is pinned";
    draft_.setBaseline(draft_.document(), text("same"));
    EXPECT_EQ(model.rowCount(), 0);
    change("dims.f=1000");
    ASSERT_EQ(model.rowCount(), 1);
    EXPECT_EQ(model.index(0, 0).data().toString(), text("dims.f"));
    EXPECT_EQ(model.index(0, 1).data().toString(), text("1000"));
    EXPECT_EQ(model.index(0, 2).data().toString(), text("2048"));
}

TEST_F(Models, BlocksAreThoseOfTheCatalogue) {
    BlockModel model;
    const QAbstractItemModelTester tester(&model, Reporting::Fatal);
    int blocks = 0;
    for (int row = 0; row < model.rowCount(); ++row) blocks += model.rowCount(model.index(row, 0));
    EXPECT_EQ(blocks, int(builtinCatalogue().blocks().size()));
    const auto adjuster = model.match(model.index(0, 0), Qt::DisplayRole, text("adjuster"));
    ASSERT_EQ(adjuster.size(), 1);
    EXPECT_EQ(model.block(adjuster.front()), nullptr);
    const auto eau = model.match(model.index(0, 0, adjuster.front()), Qt::DisplayRole, text("eau  "));
    ASSERT_EQ(eau.size(), 1);
    ASSERT_NE(model.block(eau.front()), nullptr);
    EXPECT_EQ(model.block(eau.front())->title, builtinCatalogue().at("adjuster", "eau").title);
}

TEST_F(Models, PresetsAreInGroupsWithTheirCounts) {
    PresetModel model;
    const QAbstractItemModelTester tester(&model, Reporting::Fatal);
    auto entries = readPresets({});
    entries.push_back(savedEntry("mine", R"({"variant":{"preset":"eau-base"}})", {}));
    entries.push_back(savedEntry("broken", R"({"variant":{"dims":{"heads":7}}})", {}));
    model.setEntries(std::move(entries));
    EXPECT_GE(model.rowCount(), 3);
    const QModelIndex saved = model.index(0, 0);
    ASSERT_EQ(model.rowCount(saved), 2) << "saved variants are first";
    EXPECT_EQ(model.index(0, 1, saved).data().toString(), text("–")) << "an invalid one has no count";
    EXPECT_EQ(model.index(1, 0, saved).data().toString(), text("mine"));
    EXPECT_EQ(model.entry(model.index(1, 0, saved))->parameters, 55'205'037) << "the count that a public code base reports";
    EXPECT_EQ(model.entry(saved), nullptr);
    const QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setPinned(text("mine"));
    ASSERT_FALSE(changed.isEmpty());
    EXPECT_THAT(changed.front().at(2).value<QList<int>>(),
                testing::UnorderedElementsAre(Qt::DecorationRole, Qt::AccessibleTextRole));
    EXPECT_EQ(model.index(1, 0, saved).data(Qt::AccessibleTextRole).toString(), text("mine, pinned baseline"));
    EXPECT_FALSE(model.index(1, 1, saved).data(Qt::DecorationRole).isNull());
    EXPECT_TRUE(model.index(0, 1, saved).data(Qt::DecorationRole).isNull());
}

TEST(Seeds, AreAListOfNumbersAndRanges) {
    using testing::ElementsAre;
    EXPECT_THAT(readSeeds(text("1,2,3")), ElementsAre(1, 2, 3));
    EXPECT_THAT(readSeeds(text("4-6 9")), ElementsAre(4, 5, 6, 9));
    EXPECT_THAT(readSeeds(text("2, 2,1")), ElementsAre(2, 1));
    EXPECT_EQ(seedsText({1, 2, 3, 7, 9, 10}), text("1-3,7,9,10"));
    EXPECT_TRUE(readSeeds(text("1,x")).empty());
    EXPECT_TRUE(readSeeds(text("5-1")).empty());
    EXPECT_TRUE(readSeeds(text("1-100000")).empty());
    EXPECT_TRUE(readSeeds(text("")).empty());
}

TEST(PlanWords, AStartIsARowAndPerhapsACheckpoint) {
    EXPECT_EQ(readStart(text(" pre train ")), RowStart({"pre train"}));
    EXPECT_EQ(readStart(text("a, b, 4000")), RowStart({"a, b", "4000"}));
    EXPECT_EQ(readStart(text("a,last")), RowStart({"a", "last"}));
    EXPECT_EQ(readStart(text("  ")), std::nullopt);
    EXPECT_EQ(startText(RowStart{"pre"}), text("pre"));
    EXPECT_EQ(startText(RowStart{"pre", "4000"}), text("pre, 4000"));
}

TEST(Grids, AreEveryChoiceOfTheValuesInBraces) {
    using testing::ElementsAre;
    EXPECT_THAT(readGrid(text("train.lr=0.1 dims.f=64")), ElementsAre(GridCell{{"train.lr=0.1", "dims.f=64"}, ""}));
    EXPECT_THAT(readGrid(text("train.lr={1e-3, 3e-3} dims.f={64,128}")),
                ElementsAre(GridCell{{"train.lr=1e-3", "dims.f=64"}, " · lr 1e-3 · dims.f 64"},
                            GridCell{{"train.lr=1e-3", "dims.f=128"}, " · lr 1e-3 · dims.f 128"},
                            GridCell{{"train.lr=3e-3", "dims.f=64"}, " · lr 3e-3 · dims.f 64"},
                            GridCell{{"train.lr=3e-3", "dims.f=128"}, " · lr 3e-3 · dims.f 128"}));
    EXPECT_THAT(readGrid(text(R"(score={"rule":"add","x":1})")), ElementsAre(GridCell{{R"(score={"rule":"add","x":1})"}, ""}))
        << "an object is one value";
    EXPECT_EQ(readGrid(text(R"(score={{"rule":"add","x":1},none})")).size(), 2U);
    EXPECT_EQ(readGrid(text("train.lr={1}")), readGrid(text("train.lr=1")));
    QString many;
    for (int setting = 0; setting < 40; ++setting) many += text("a%1={1,2,3,4,5,6,7,8} ").arg(setting);
    EXPECT_THAT(readGrid(many), testing::IsEmpty()) << "refused before it is built";
    EXPECT_THAT(readGrid(text("")), ElementsAre(GridCell{}));
    for (const char* odd : {"=", "x", "x=", "{}", "x={,}", "}{"}) EXPECT_EQ(readGrid(text(odd)).size(), 1U) << odd;
}
