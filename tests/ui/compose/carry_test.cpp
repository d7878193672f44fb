// SPDX-License-Identifier: GPL-3.0-or-later
// Score carries between layers, drawn with the mouse or chosen in a menu.
#include "tests/ui/compose/open_page.h"
#include "ui/pages/compose/diagram/diagram_view.h"

#include <QtTest/qtestkeyboard.h>
#include <QMenu>
#include <QSignalSpy>

#include <algorithm>

namespace heddle::ui::test {
namespace {

class DrawCarry : public OpenPage {
protected:
    void SetUp() override {
        OpenPage::SetUp();
        Json deep = small();
        deep["dims"]["layers_enc"] = 4;
        page().drafts().open(deep, text("deep"));
        ASSERT_TRUE(settle());
        actionNamed(page().viewActions(), "unfoldLayers").trigger();
        view().setZoom(0.4);
    }
    DiagramView& view() { return page().diagram(); }
    QPoint middle(const std::string& stack, const std::string& sublayer, int layer) {
        for (const auto& attention : view().diagram().attentions)
            if (attention.score.stack == stack && attention.score.sublayer == sublayer && attention.score.first == layer)
                return view().mapFromScene(attention.rect.topLeft() + QPointF(150, 8));
        ADD_FAILURE() << "no such attention";
        return {};
    }
    void drag(QPoint from, QPoint to) {
        view().ensureVisible(QRectF(view().mapToScene(from), view().mapToScene(to)).normalized());
        QTest::mousePress(view().viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(view().viewport(), (from + to) / 2);
        QTest::mouseMove(view().viewport(), to);
        QTest::mouseRelease(view().viewport(), Qt::LeftButton, {}, to);
    }
    std::vector<int> offsets(const char* path) { return carriedFrom(*choiceAt(draft().facts()->variant, site(path))); }
};

}  // namespace

TEST_F(DrawCarry, ADragToALaterLayerAddsACarryAndUndoRemovesIt) {
    const Json before = draft().document();
    drag(middle("encoder", "self", 0), middle("encoder", "self", 2));
    ASSERT_TRUE(draft().problems().empty()) << draft().problems().front().what;
    EXPECT_EQ(offsets("encoder.layers.2.self.score"), std::vector<int>{2});
    EXPECT_EQ(idAt("encoder.layers.1.self.score"), "none");
    EXPECT_EQ(arcs(), 1);
    ASSERT_TRUE(draft().site());
    EXPECT_EQ(draft().site()->slot, "score");
    drag(middle("encoder", "self", 1), middle("encoder", "self", 2));
    EXPECT_EQ(offsets("encoder.layers.2.self.score"), (std::vector<int>{1, 2}));
    EXPECT_EQ(draft().history().count(), 2);
    drag(middle("encoder", "self", 0), middle("encoder", "self", 2));
    EXPECT_EQ(offsets("encoder.layers.2.self.score"), std::vector<int>{1}) << "the same drag again removes it";
    for (int i = 0; i < 3; ++i) draft().history().undo();
    EXPECT_EQ(draft().document(), before);
    EXPECT_EQ(arcs(), 0);
}

TEST_F(DrawCarry, ADragStartsAlsoIfThePressChangesTheLayout) {
    // A slot with the standard block has a box only while it is selected, so the press removes the box.
    const auto offer = std::find_if(view().diagram().boxes.begin(), view().diagram().boxes.end(), [](const DiagramBox& box) {
        return box.offer == DiagramBox::Offer::More && box.site->stack == "encoder" && box.site->sublayer == "self" &&
               box.site->first == 0;
    });
    ASSERT_NE(offer, view().diagram().boxes.end());
    draft().select(offer->others.front().first);
    const auto& boxes = view().diagram().boxes;
    std::size_t pressed = 0;  // the last box before an offer of layer 1
    while (pressed + 1 < boxes.size() &&
           !(boxes[pressed].isSlot() && boxes[pressed].site->stack == "encoder" && boxes[pressed].site->sublayer == "self" &&
             boxes[pressed].site->first == 1 && boxes[pressed + 1].isOffer()))
        ++pressed;
    ASSERT_LT(pressed + 1, boxes.size());
    QSignalSpy drawn(&view(), &DiagramView::carryDrawn);
    drag(view().mapFromScene(boxes[pressed].rect.center()), middle("encoder", "self", 2));
    EXPECT_EQ(drawn.size(), 1);
    EXPECT_EQ(offsets("encoder.layers.2.self.score"), std::vector<int>{1});
}

TEST_F(DrawCarry, OtherPlacesAreNotTargets) {
    QSignalSpy drawn(&view(), &DiagramView::carryDrawn);
    drag(middle("encoder", "self", 2), middle("encoder", "self", 0));
    drag(middle("encoder", "self", 0), middle("decoder", "self", 1));
    drag(middle("decoder", "self", 0), middle("decoder", "cross", 1));
    drag(middle("encoder", "self", 1), middle("encoder", "self", 1) + QPoint(3, 0));
    EXPECT_EQ(draft().history().count(), 0);
    EXPECT_TRUE(drawn.isEmpty());
    const QPoint from = middle("encoder", "self", 0), to = middle("encoder", "self", 2);
    QTest::mousePress(view().viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view().viewport(), to);
    QTest::keyClick(&view(), Qt::Key_Escape);
    QTest::mouseRelease(view().viewport(), Qt::LeftButton, {}, to);
    EXPECT_EQ(draft().history().count(), 0) << "Escape cancels the drag";
}

TEST_F(DrawCarry, TheKeyboardDoesTheSame) {
    QAction* carry = &actionNamed(page().editActions(), "carryScores");
    draft().select(site("encoder.layers.0.self.scorer"));
    EXPECT_FALSE(carry->isEnabled()) << "no layer is before it";
    draft().select(site("encoder.layers.2.ffn.ffn"));
    EXPECT_FALSE(carry->isEnabled());
    draft().select(site("encoder.layers.2.self.scorer"));
    ASSERT_TRUE(carry->isEnabled());
    view().setFocus(Qt::OtherFocusReason);
    const auto open = [&]() -> QMenu* {
        QTest::keyClick(&view(), Qt::Key_C);
        return findNamed<QMenu>(page(), "carryMenu");
    };
    QMenu* menu = open();
    ASSERT_NE(menu, nullptr);
    ASSERT_EQ(menu->actions().size(), 2);
    EXPECT_EQ(menu->actions()[0]->text(), text("layer 1"));
    menu->actions()[1]->trigger();
    delete menu;
    EXPECT_EQ(offsets("encoder.layers.2.self.score"), std::vector<int>{2});
    menu = open();
    ASSERT_NE(menu, nullptr);
    EXPECT_FALSE(menu->actions()[0]->isChecked());
    ASSERT_TRUE(menu->actions()[1]->isChecked());
    menu->actions()[1]->trigger();
    delete menu;
    EXPECT_EQ(idAt("encoder.layers.2.self.score"), "none");
}

TEST_F(DrawCarry, AddingACarryKeepsTheGateAndTheSource) {
    draft().apply({R"(encoder.layers.3.self.score={"rule":"add","offsets":[1],"source":"accumulated","gate":{}})"},
                  text("gate"));
    ASSERT_TRUE(draft().problems().empty()) << draft().problems().front().what;
    drag(middle("encoder", "self", 0), middle("encoder", "self", 3));
    const BlockChoice& score = *choiceAt(draft().facts()->variant, site("encoder.layers.3.self.score"));
    EXPECT_EQ(score.params["offsets"], Json::array({1, 3}));
    EXPECT_EQ(score.params["source"], "accumulated");
    EXPECT_TRUE(score.params["gate"].is_object());
}

}  // namespace heddle::ui::test
