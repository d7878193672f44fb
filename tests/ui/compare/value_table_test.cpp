// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/value_table.h"

#include "tests/ui/compare/facts.h"
#include "tests/ui/support/bare_studio.h"
#include "ui/pages/compare/compared_tables.h"

#include <gtest/gtest.h>
#include <QSignalSpy>
#include <QTableView>

namespace heddle::ui::test {
namespace {

QStringList heads(const QStringList& names, int width) {
    ValueTable table(text("values"));
    ValueTable::Content content;
    content.table.columns = QStringList{text("Path")} + names;
    content.table.rows = {QStringList{text("a")} + QStringList(names.size(), text("1"))};
    content.orders = std::vector<int>(std::size_t(names.size()) + 1, 1);
    content.orders.front() = -1;
    table.setContent(content);
    QStringList heads;
    for (int i = 1; i <= int(names.size()); ++i) {
        table.view().setColumnWidth(i, width);
        heads << table.view().model()->headerData(i, Qt::Horizontal, Qt::DisplayRole).toString();
        EXPECT_EQ(table.view().model()->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString(), names[i - 1]);
    }
    return heads;
}

TEST(ValueTable, WhatAllNamesBeginWithIsLeftOutFirst) {
    const QStringList names{text("table 3 of the paper, quick, full l2k256 s1"),
                            text("table 3 of the paper, quick, baseline l2k256 s1")};
    EXPECT_EQ(heads(names, 900), names) << "they fit";
    EXPECT_EQ(heads(names, 240), (QStringList{text("…full l2k256 s1"), text("…baseline l2k256 s1")}));
}

TEST(ValueTable, SeedsKeepTheNameOfTheirVariant) {
    EXPECT_EQ(heads({text("a long name of a base s1"), text("a long name of a base s2")}, 130),
              (QStringList{text("…base s1"), text("…base s2")}));
    EXPECT_EQ(heads({text("base s1"), text("base s2")}, 130), (QStringList{text("base s1"), text("base s2")}));
}

/// Else runs that change faster than they are compared would never be shown.
TEST(ComparedTables, WhatIsAskedNextDoesNotTakeAwayTheAnswerBefore) {
    const RunPointer first = factsOf({"a10000000000", "base"}), second = factsOf({"b10000000000", "wide"});
    BareStudio bare;
    EndValuesTable table(bare.studio, nullptr);
    QSignalSpy shown(table.view().model(), &QAbstractItemModel::modelReset);
    QList<qsizetype> columns;
    QObject::connect(table.view().model(), &QAbstractItemModel::modelReset, &table,
                     [&] { columns << table.table().columns.size(); });
    table.setRuns({first});
    table.setRuns({first, second});
    ASSERT_TRUE(waitUntil([&] { return shown.size() == 2; }));
    EXPECT_EQ(columns[1], columns[0] + 1) << "each with the runs that it is about";
}

}  // namespace
}  // namespace heddle::ui::test
