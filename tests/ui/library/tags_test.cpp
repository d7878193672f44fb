// SPDX-License-Identifier: GPL-3.0-or-later
// Tags as chips: written, taken away and undone, by keyboard and by mouse.
#include "tests/ui/library/page_fixture.h"
#include "ui/panels/table/tag_delegate.h"
#include "ui/panels/table/tag_field.h"

#include <QTest>

namespace heddle::ui::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TagsTest : public LibraryPageTest {
protected:
    QModelIndex cell() { return model().index(rowOf("a10000000000"), int(RunColumn::Tags)); }
    QStringList tags() { return cell().data(Qt::EditRole).toStringList(); }
    TagField* field() {
        for (auto* found : runs().view().findChildren<TagField*>())
            if (found->isVisible()) return found;
        return nullptr;
    }
    TagField& openByKey() {
        choose({"a10000000000"});
        runs().view().setFocus();
        QTest::keyClick(&runs().view(), Qt::Key_T, Qt::ControlModifier);
        EXPECT_EQ(runs().selected(), std::vector<std::string>{"a10000000000"}) << "Ctrl takes no row out of the selection";
        if (!field()) throw std::runtime_error("no field");
        return *field();
    }
    void give(const QStringList& wanted) {
        model().setData(cell(), wanted, Qt::EditRole);
        ASSERT_TRUE(waitUntil([&] { return tags() == wanted; }));
    }
};

TEST_F(TagsTest, KeysAddAndRemove) {
    give({text("paper"), text("row 2"), text("draft")});
    TagField& open = openByKey();
    QTest::keyClicks(&open, text("n5, table3"));
    EXPECT_THAT(open.tags(), ElementsAre(text("paper"), text("row 2"), text("draft"), text("n5"), text("table3")));
    EXPECT_EQ(open.chips().size(), 4) << "a comma ends a tag";
    for (int i = 0; i < 7; ++i) QTest::keyClick(&open, Qt::Key_Backspace);
    EXPECT_EQ(open.chips().size(), 4) << "letters first";
    QTest::keyClick(&open, Qt::Key_Backspace);
    EXPECT_EQ(open.chips().size(), 3) << "then the last chip";
    for (int i = 0; i < 2; ++i) QTest::keyClick(&open, Qt::Key_Left);
    EXPECT_EQ(open.chosen(), 1);
    EXPECT_TRUE(open.accessibleDescription().contains(text("row 2")));
    QTest::keyClick(&open, Qt::Key_Delete);
    QTest::keyClicks(&open, text("final"));
    QTest::keyClick(&open, Qt::Key_Return);
    EXPECT_TRUE(waitUntil([&] {
        return tags() == QStringList{text("paper"), text("draft"), text("final")};
    })) << tags().join(QLatin1Char('|')).toStdString();
    EXPECT_TRUE(waitUntil([&] { return field() == nullptr; }));
}

TEST_F(TagsTest, EscapeLeavesThemAsTheyWere) {
    give({text("paper")});
    QTest::keyClicks(&openByKey(), text("more,"));
    QTest::keyClick(field(), Qt::Key_Escape);
    ASSERT_TRUE(waitUntil([&] { return field() == nullptr; }));
    EXPECT_THAT(database_.run("a10000000000")->tags, ElementsAre("paper"));
}

TEST_F(TagsTest, WhatIsTypedStaysWhileOtherRunsCome) {
    give({text("paper")});
    QTest::keyClicks(&openByKey(), text("more, mo"));
    database_.add("d10000000000", "another", "completed", 4000);
    ASSERT_TRUE(waitUntil([&] { return studio_->databases().runs().size() == 4 && page_->isSettled(); }));
    ASSERT_NE(field(), nullptr);
    EXPECT_THAT(field()->tags(), ElementsAre(text("paper"), text("more"), text("mo")));
    QTest::keyClick(field(), Qt::Key_Escape);
    EXPECT_TRUE(waitUntil([&] { return rowOf("d10000000000") >= 0; })) << "afterwards it is listed";
}

TEST_F(TagsTest, TheMouseOpensAtThePlusAndRemovesAtTheCross) {
    give({text("paper"), text("draft")});
    auto& table = runs().view();
    table.scrollTo(cell());
    const QPoint plus = TagDelegate::plusRect(table.visualRect(cell()), tags()).center();
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, plus);
    ASSERT_TRUE(waitUntil([&] { return field() != nullptr; }));
    ASSERT_EQ(field()->chips().size(), 2);
    QTest::mouseClick(field(), Qt::LeftButton, {}, field()->chips()[0].cross.center());
    EXPECT_THAT(field()->tags(), ElementsAre(text("draft")));
    runs().filter().setFocus();  // leaving the field keeps what was done
    EXPECT_TRUE(waitUntil([&] { return tags() == QStringList{text("draft")}; }));
}

TEST_F(TagsTest, TagsAndNamesAreUndone) {
    give({text("paper")});
    give({text("paper"), text("draft")});
    ASSERT_TRUE(action("undo").isEnabled());
    action("undo").trigger();
    EXPECT_TRUE(waitUntil([&] { return tags() == QStringList{text("paper")}; }));
    action("redo").trigger();
    EXPECT_TRUE(waitUntil([&] { return tags() == (QStringList{text("paper"), text("draft")}); }));
    for (int i = 0; i < 2; ++i) action("undo").trigger();
    EXPECT_TRUE(waitUntil([&] { return tags().isEmpty(); })) << "every step, the last first";
    model().setData(model().index(rowOf("a10000000000"), int(RunColumn::Name)), text("other"), Qt::EditRole);
    ASSERT_TRUE(waitUntil([&] { return this->LibraryPageTest::cell("a10000000000", RunColumn::Name) == text("other"); }));
    action("undo").trigger();
    EXPECT_TRUE(waitUntil([&] { return this->LibraryPageTest::cell("a10000000000", RunColumn::Name) == text("base"); }));
}

TEST_F(TagsTest, ARunInTheTrashKeepsItsTags) {
    choose({"a10000000000"});
    action("delete").trigger();
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 2; }));
    runs().setView(RunView::Deleted);
    ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 1; }));
    EXPECT_FALSE(cell().flags() & Qt::ItemIsEditable);
}

TEST(Tags, AreWordsBetweenCommas) {
    EXPECT_THAT(tagsOf({text(" a ,b,, a"), text("row 2")}), ElementsAre(text("a"), text("b"), text("row 2")));
    EXPECT_THAT(tagsOf({text(" , ")}), IsEmpty());
}

}  // namespace
}  // namespace heddle::ui::test
