// SPDX-License-Identifier: GPL-3.0-or-later
// Tags as columns: a tick for a tag, the value for "key=value" and "key:value".
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/bare_studio.h"
#include "ui/pages/compare/column_chooser.h"
#include "ui/pages/compare/run_table_export.h"
#include "ui/panels/table/run_table_model.h"

#include <gmock/gmock.h>
#include <QListView>

namespace heddle::ui::test {
namespace {

using testing::ElementsAre;

/// Four runs of one variant and one of another.
RunTable taggedTable() {
    RunTable table;
    table.runs = {factsOf({"a10000000000", "base", "v1", "completed", 1, 2.0, 64, {"lr=10", "paper", "arm:b"}}),
                  factsOf({"a20000000000", "base", "v1", "completed", 2, 2.0, 64, {"lr=9", "paper", "arm:b"}}),
                  factsOf({"b10000000000", "wide", "v2", "completed", 1, 2.0, 64, {"lr=0.5", "late"}}),
                  factsOf({"c10000000000", "deep", "v3", "completed", 1, 2.0, 64, {"lr", "="}})};
    table.total = 4;
    return table;
}

std::vector<std::string> sortedBy(const char* key) {
    ArrangeOptions options;
    options.columns = {{Column::Kind::Run, ""}, {Column::Kind::Tag, key}};
    options.grouping = Grouping::None;
    options.sortColumn = 1;
    std::vector<std::string> ids;
    for (const RunGroup& group : arrange(taggedTable(), options).groups) ids.push_back(group.rows.front().run->record.id);
    return ids;
}

TEST(TagColumns, AValueIsANumberWhereItIsOneAndATickStandsForATag) {
    const std::vector<std::string> tags{"lr=0.5", "arm:b", "paper", "url:http://x=1", "two=1", "two=2", "=odd", "end="};
    EXPECT_EQ(tagCell(tags, "lr").number, 0.5);
    EXPECT_EQ(tagCell(tags, "arm").text, text("b"));
    EXPECT_EQ(tagCell(tags, "paper").text, text("✓"));
    EXPECT_EQ(tagCell(tags, "url").text, text("http://x=1"));
    EXPECT_EQ(tagCell(tags, "two").text, text("1, 2"));
    EXPECT_EQ(tagCell(tags, "=odd").text, text("✓"));
    EXPECT_EQ(tagCell(tags, "end=").text, text("✓"));
    for (const char* none : {"l", "lr=", "0.5", "pape", ""}) EXPECT_TRUE(tagCell(tags, none).isEmpty()) << none;
}

TEST(TagColumns, ThereIsOneForEachKey) { EXPECT_THAT(tagKeys(taggedTable()), ElementsAre("=", "arm", "late", "lr", "paper")); }

TEST(TagColumns, AreKeptInSettingsAndLayouts) {
    for (const char* key : {"lr", "=", "of:two"}) {
        const Column column{Column::Kind::Tag, key};
        EXPECT_EQ(Column::fromId(column.id()), column) << key;
    }
    EXPECT_FALSE(Column::fromId(text("tag")));
    EXPECT_EQ(Column::fromId(text("tags")), (Column{Column::Kind::Tags, ""}));
}

TEST(TagColumns, SortAsNumbers) {
    EXPECT_THAT(sortedBy("lr"), ElementsAre("b10000000000", "a20000000000", "a10000000000", "c10000000000"));
    EXPECT_THAT(sortedBy("paper"), ElementsAre("a10000000000", "a20000000000", "b10000000000", "c10000000000"));
}

TEST(TagColumns, ANumberKeepsItsOwnText) {
    const Column date{Column::Kind::Tag, "date"}, id{Column::Kind::Tag, "id"};
    const auto run = factsOf({"a10000000000", "base", "v1", "completed", 1, 2.0, 64, {"date=20261127", "id=00123"}});
    EXPECT_EQ(date.text(date.value(*run)), text("20261127"));
    EXPECT_EQ(id.text(id.value(*run)), text("00123"));
    EXPECT_EQ(id.value(*run).number, 123);
    EXPECT_EQ(compareCells(id.value(*run), numberCell(123)), 0) << "sorted and filtered as a number";
    EXPECT_THAT(runsTable({run}, {date, id}).rows.at(0), ElementsAre("a10000000000", "v1", "20261127", "00123"));
}

TEST(TagColumns, AGroupShowsWhatItsRunsShare) {
    const BareStudio bare;
    RunTableModel model(bare.studio);
    ArrangeOptions options;
    options.columns = {{Column::Kind::Run, ""}, {Column::Kind::Tag, "lr"}, {Column::Kind::Tag, "paper"}};
    model.setArrangement(std::make_shared<const Arrangement>(arrange(taggedTable(), options)));
    const auto at = [&](const char* group, int column) {
        return model.indexOfGroup(group).siblingAtColumn(column).data().toString();
    };
    EXPECT_EQ(at("v1", 1), text("differs"));
    EXPECT_EQ(at("v1", 2), text("✓"));
    EXPECT_EQ(at("v2", 1), text("0.5"));
    EXPECT_EQ(at("v2", 2), QString()) << "none of its runs has the tag";
}

TEST(TagColumns, AreOfferedInTheMenu) {
    QWidget anchor;
    ColumnChooser chooser;
    chooser.open(anchor, taggedTable(), defaultColumns());
    const auto& list = *chooser.findChild<QListView*>();
    QStringList offered;
    for (int i = 0; i < list.model()->rowCount(); ++i) offered << list.model()->index(i, 0).data().toString();
    EXPECT_TRUE(offered.contains(text("lr  ·  tag")));
    EXPECT_TRUE(offered.contains(text("paper  ·  tag")));
    EXPECT_TRUE(offered.contains(text("Published  ·  comparison")));
}

TEST(TagColumns, TheFilterComparesTheirValues) {
    const RunTable table = taggedTable();
    const auto fitting = [&](const char* line) {
        const RunFilter filter = RunFilter::parse(text(line), table);
        EXPECT_FALSE(filter.error()) << line;
        std::vector<std::string> ids;
        for (const auto& run : table.runs)
            if (filter.fits(*run)) ids.push_back(run->record.id);
        return ids;
    };
    EXPECT_THAT(fitting("tag:lr<9.5"), ElementsAre("a20000000000", "b10000000000"));
    EXPECT_THAT(fitting("tag:arm=b"), ElementsAre("a10000000000", "a20000000000"));
    EXPECT_THAT(fitting("tag:lat"), ElementsAre("b10000000000"));
}

}  // namespace
}  // namespace heddle::ui::test
