// SPDX-License-Identifier: GPL-3.0-or-later
// Lists and objects in the inspector's form: a gate of carried scores has every kind of field.
#include "tests/ui/compose/compose_fixture.h"
#include "ui/pages/compose/panels/part_inspector.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>

namespace heddle::ui::test {
namespace {

class ScoreForm : public ComposeTest {
protected:
    void SetUp() override {
        show();
        ASSERT_TRUE(settle());
        page().drafts().open(Json{{"preset", "eau-base"}}, text("base"));
        ASSERT_TRUE(settle());
        draft().select(siteOfPath("encoder.self.score", draft().facts()->variant));
    }
    template <class Widget>
    Widget* field(const char* name) {
        for (auto* widget : page().findChildren<Widget*>())
            if (widget->objectName() == text(name) && widget->isVisibleTo(&page())) return widget;
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
        ChoiceRow* add = choice("add");
        ASSERT_NE(add, nullptr);
        QTest::mouseClick(add, Qt::LeftButton);
    }
    const BlockChoice& score() { return *choiceAt(draft().facts()->variant, *draft().site()); }
};

}  // namespace

TEST_F(ScoreForm, AGateIsAddedEditedAndRemoved) {
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
    EXPECT_EQ(score().params.at("gate").at("act"), "sigmoid") << "the other members are kept";
    EXPECT_GT(draft().facts()->modules.at("encoder.layers.1.self.score").parameters, 0);
    EXPECT_EQ(choiceAt(draft().facts()->variant, {"decoder", "self", "score", 0, 0})->id, "none");
    field<QCheckBox>("gate")->click();
    EXPECT_TRUE(score().params.at("gate").is_null());
    draft().history().undo();
    EXPECT_EQ(score().params.at("gate").at("act"), "sigmoid");
    EXPECT_TRUE(field<QCheckBox>("gate")->isChecked());
}

TEST_F(ScoreForm, AListIsEnteredWithCommasAndMistakesAreReported) {
    chooseAdd();
    const QString help = field<QLineEdit>("offsets")->toolTip();
    ASSERT_FALSE(help.isEmpty());
    enter("offsets", "1, 2");
    EXPECT_EQ(score().params.at("offsets"), Json::array({1, 2}));
    EXPECT_EQ(field<QLineEdit>("offsets")->text(), text("1, 2"));
    enter("offsets", "1, two");
    ASSERT_EQ(draft().problems().size(), 1U);
    EXPECT_TRUE(draft().problems().front().path.ends_with("score.offsets"));
    EXPECT_NE(field<QLineEdit>("offsets")->accessibleDescription(), help);
    EXPECT_FALSE(field<QLineEdit>("offsets")->accessibleDescription().isEmpty());
    EXPECT_EQ(score().params.at("offsets"), Json::array({1, 2})) << "the valid value is kept";
    enter("offsets", "3");
    EXPECT_TRUE(draft().problems().empty());
    EXPECT_EQ(score().params.at("offsets"), Json::array({3}));
    EXPECT_EQ(field<QLineEdit>("offsets")->accessibleDescription(), help) << "the help is the description again";
}

namespace {

/// Opens the menu of the encoder's self-attention.
QMenu* menuOf(DiagramView& view, DiagramBox::Offer offer) {
    const auto& boxes = view.diagram().boxes;
    const auto found = std::find_if(boxes.begin(), boxes.end(), [offer](const auto& box) {
        return box.offer == offer && box.site->sublayer == "self" && box.site->stack == "encoder";
    });
    if (found == boxes.end()) return nullptr;
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.mapFromScene(found->rect.center()));
    return findNamed<QMenu>(view, "slotOffers");
}

QStringList wordsOf(const QMenu& menu) {
    QStringList words;
    for (const QAction* action : menu.actions()) words << action->text();
    return words;
}

}  // namespace

TEST(Inspector, ShowsTheSlotThatIsSelectedInTheDraft) {
    VariantDraft draft;
    draft.open(Json{{"preset", "eau-full"}}, text("full"));
    PartInspector inspector(draft, nullptr);
    inspector.show();
    const auto chosen = [&] {
        for (const auto* row : inspector.findChildren<ChoiceRow*>())
            if (row->isVisible() && row->isChecked()) return row->accessibleName();
        return QString();
    };
    EXPECT_EQ(chosen(), QString());
    draft.select(siteOfPath("encoder.self.adjuster", draft.facts()->variant));
    EXPECT_TRUE(chosen().startsWith(text("EAU"))) << chosen().toStdString();
    draft.apply({"encoder.self.adjuster=none"}, text("none"));
    EXPECT_TRUE(chosen().startsWith(text("none"))) << chosen().toStdString();
    draft.select(std::nullopt);
    EXPECT_EQ(chosen(), QString());
}

TEST_F(ScoreForm, MoreSelectsSlotsThatAreNotDrawn) {
    draft().select(std::nullopt);
    DiagramView& view = page().diagram();
    QMenu* menu = menuOf(view, DiagramBox::Offer::More);
    ASSERT_NE(menu, nullptr);
    EXPECT_EQ(wordsOf(*menu), QStringList({text("mask: padding"), text("normaliser: softmax"), text("combine: identity")}));
    const Json before = draft().document();
    menu->actions().front()->trigger();
    ASSERT_TRUE(draft().site());
    EXPECT_EQ(draft().site()->slot, "mask");
    EXPECT_NE(view.current(), nullptr) << "it is drawn while it is selected";
    EXPECT_EQ(draft().document(), before) << "nothing is added";
    menu->close();
}

TEST_F(ScoreForm, ThePlusAddsABlockToAnEmptySlot) {
    draft().select(std::nullopt);
    QMenu* menu = menuOf(page().diagram(), DiagramBox::Offer::Add);
    ASSERT_NE(menu, nullptr);
    EXPECT_EQ(wordsOf(*menu), QStringList({text("relative"), text("score"), text("cap"), text("selector"), text("value_carry"),
                                           text("direct"), text("parallel")}));
    QMenu* blocks = menu->actions().at(1)->menu();
    ASSERT_NE(blocks, nullptr);
    ASSERT_EQ(blocks->actions().size(), 1) << "every block except the neutral one";
    blocks->actions().front()->trigger();
    ASSERT_TRUE(draft().site());
    EXPECT_EQ(score().id, "add");
    EXPECT_EQ(draft().site()->slot, "score") << "its parameters are in the inspector";
    draft().history().undo();
    EXPECT_EQ(score().id, "none");
    menu->close();
}

}  // namespace heddle::ui::test
