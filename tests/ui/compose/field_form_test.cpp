// SPDX-License-Identifier: GPL-3.0-or-later
// Lists and objects in the inspector's form: a gate of carried scores has every kind of field.
#include "tests/ui/compose/compose_fixture.h"
#include "ui/pages/compose/choice_row.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>

namespace heddle::ui::test {
namespace {

QString text(const char* words) { return QString::fromUtf8(words); }

class ScoreForm : public ComposeTest {
protected:
    void SetUp() override {
        page().resize(1376, 852);
        page().show();
        page().setShown(true);
        ASSERT_TRUE(settle());
        page().openDraft(Json{{"preset", "eau-base"}}, text("base"));
        ASSERT_TRUE(settle());
        page().setSite(siteOfPath("encoder.self.score", draft().facts()->variant));
    }
    template <class Widget>
    Widget* field(const char* name) {
        for (auto* widget : page().findChildren<Widget*>())
            if (widget->accessibleName() == text(name) && widget->isVisibleTo(&page())) return widget;
        return nullptr;
    }
    void enter(const char* name, const char* words) {
        auto* edit = field<QLineEdit>(name);
        ASSERT_NE(edit, nullptr) << name;
        edit->selectAll();
        QTest::keyClicks(edit, text(words));
        QTest::keyClick(edit, Qt::Key_Return);
    }
    void chooseAdd() {
        for (auto* row : page().findChildren<ChoiceRow*>())
            if (row->isVisibleTo(&page()) && row->accessibleName().startsWith(text("add")))
                return QTest::mouseClick(row, Qt::LeftButton);
        FAIL() << "no row for add";
    }
    const BlockChoice& score() { return *choiceAt(draft().facts()->variant, *page().site()); }
};

}  // namespace

TEST_F(ScoreForm, AGateIsSwitchedOnFilledInAndSwitchedOff) {
    chooseAdd();
    ASSERT_EQ(score().id, "add");
    EXPECT_TRUE(score().params.at("gate").is_null());
    EXPECT_EQ(field<QComboBox>("gate.act"), nullptr) << "no gate, no fields of a gate";
    auto* gate = field<QCheckBox>("gate");
    ASSERT_NE(gate, nullptr);
    gate->click();
    ASSERT_TRUE(draft().problems().empty()) << draft().problems().front().what;
    ASSERT_TRUE(score().params.at("gate").is_object());
    auto* act = field<QComboBox>("gate.act");
    ASSERT_NE(act, nullptr);
    act->setCurrentText(text("sigmoid"));
    Q_EMIT act->activated(act->currentIndex());
    EXPECT_EQ(score().params.at("gate").at("act"), "sigmoid");
    enter("gate.dropout.p", "0.25");
    EXPECT_EQ(score().params.at("gate").at("dropout").at("p"), 0.25);
    EXPECT_EQ(score().params.at("gate").at("act"), "sigmoid") << "the other members stay";
    EXPECT_GT(draft().facts()->modules.at("encoder.layers.1.self.score").parameters, 0);
    EXPECT_EQ(choiceAt(draft().facts()->variant, {"decoder", "self", "score", 0, 0})->id, "none");
    field<QCheckBox>("gate")->click();
    EXPECT_TRUE(score().params.at("gate").is_null());
    draft().history().undo();
    EXPECT_EQ(score().params.at("gate").at("act"), "sigmoid");
    EXPECT_TRUE(field<QCheckBox>("gate")->isChecked());
}

TEST_F(ScoreForm, AListIsEnteredWithCommasAndMistakesAreSaid) {
    chooseAdd();
    enter("offsets", "1, 2");
    EXPECT_EQ(score().params.at("offsets"), Json::array({1, 2}));
    EXPECT_EQ(field<QLineEdit>("offsets")->text(), text("1, 2"));
    enter("offsets", "1, two");
    ASSERT_EQ(draft().problems().size(), 1U);
    EXPECT_TRUE(draft().problems().front().path.ends_with("score.offsets"));
    EXPECT_FALSE(field<QLineEdit>("offsets")->accessibleDescription().isEmpty());
    EXPECT_EQ(score().params.at("offsets"), Json::array({1, 2})) << "what was valid stays";
    enter("offsets", "3");
    EXPECT_TRUE(draft().problems().empty());
    EXPECT_EQ(score().params.at("offsets"), Json::array({3}));
}

TEST_F(ScoreForm, ThePlusOffersTheSlotsThatAreNotDrawn) {
    page().setSite(std::nullopt);
    DiagramView& view = page().diagram();
    const auto& boxes = view.diagram().boxes;
    const auto plus = std::find_if(boxes.begin(), boxes.end(), [](const auto& box) {
        return !box.others.empty() && box.site->sublayer == "self" && box.site->stack == "encoder";
    });
    ASSERT_NE(plus, boxes.end());
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.mapFromScene(plus->rect.center()));
    auto* menu = view.findChild<QMenu*>();
    ASSERT_NE(menu, nullptr);
    ASSERT_FALSE(menu->actions().isEmpty());
    EXPECT_EQ(menu->actions().front()->text(), text("mask: padding"));
    menu->actions().front()->trigger();
    ASSERT_TRUE(page().site());
    EXPECT_EQ(page().site()->slot, "mask");
    EXPECT_GE(view.currentBox(), 0) << "it is drawn while it is selected";
    menu->close();
}

}  // namespace heddle::ui::test
