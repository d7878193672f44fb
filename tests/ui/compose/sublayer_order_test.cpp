// SPDX-License-Identifier: GPL-3.0-or-later
// Moving sublayers within their layers, by keys and by dragging.
#include "tests/ui/compose/open_page.h"

#include <QtTest/qtestkeyboard.h>

#include <gmock/gmock.h>

namespace heddle::ui::test {

TEST_F(OpenPage, ASublayerIsMovedInEveryLayerAsOneStep) {
    const auto order = [&] {
        std::string names;
        for (const auto& layer : draft().facts()->variant.decoder)
            for (const auto& sublayer : layer.sublayers) names += sublayer.name + " ";
        return names;
    };
    QAction* up = &actionNamed(page().editActions(), "moveSublayerUp");
    QAction* down = &actionNamed(page().editActions(), "moveSublayerDown");
    draft().select(std::nullopt);
    EXPECT_FALSE(up->isEnabled());
    EXPECT_FALSE(up->toolTip().isEmpty()) << "the reason";
    click("decoder.cross.adjuster");
    const Json before = draft().document();
    const int steps = draft().history().count();
    down->trigger();
    EXPECT_EQ(order(), "self ffn cross self ffn cross ");
    EXPECT_TRUE(draft().problems().empty());
    EXPECT_FALSE(down->isEnabled());
    EXPECT_TRUE(down->toolTip().contains(text("last"))) << down->toolTip().toStdString();
    const DiagramView& view = page().diagram();
    ASSERT_NE(view.current(), nullptr) << "it stays selected";
    const auto top = [&](const char* sublayer) {
        return view.diagram().box(view.diagram().boxOf({"decoder", sublayer, "residual", 0, 1})).rect.top();
    };
    EXPECT_LT(top("ffn"), top("cross"));
    EXPECT_EQ(draft().history().count(), steps + 1);
    draft().history().undo();
    EXPECT_EQ(draft().document(), before);
    up->trigger();
    EXPECT_EQ(order(), "cross self ffn cross self ffn ");
    up->trigger();
    EXPECT_EQ(order(), "cross self ffn cross self ffn ") << "it is the first";
}

TEST_F(OpenPage, ASublayerIsDraggedByItsLeftEdge) {
    DiagramView& view = page().diagram();
    const auto placeOf = [&](const char* name) {
        const auto& all = view.diagram().sublayers;
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.stack == "decoder" && one.name == name; });
        return view.mapFromScene(found->rect.topLeft() + QPointF(2, 20));
    };
    const auto drag = [&](const char* from, QPoint to) {
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, placeOf(from));
        QTest::mouseMove(view.viewport(), to);
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, to);
    };
    const auto first = [&] { return draft().facts()->variant.decoder.back().sublayers.front().name; };
    const int steps = draft().history().count();
    drag("ffn", placeOf("ffn") + QPoint(0, 15));
    EXPECT_EQ(draft().history().count(), steps) << "the same place is not an edit";
    drag("ffn", placeOf("self") - QPoint(0, 15));
    EXPECT_EQ(first(), "ffn");
    EXPECT_EQ(draft().history().count(), steps + 1);
    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, placeOf("self"));
    QTest::mouseMove(view.viewport(), placeOf("ffn") - QPoint(0, 15));
    QTest::keyClick(&view, Qt::Key_Escape);
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, placeOf("ffn") - QPoint(0, 15));
    EXPECT_EQ(draft().history().count(), steps + 1) << "Escape cancels the drag";
}

}  // namespace heddle::ui::test
