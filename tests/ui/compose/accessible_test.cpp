// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram for screen readers, and its keyboard navigation.
#include "engine/spec/variant_schema.h"
#include "tests/ui/compose/open_page.h"
#include "ui/pages/compose/diagram/diagram_view.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QAccessible>
#include <QPointer>

#include <gmock/gmock.h>

#include <set>

namespace heddle::ui::test {
namespace {

class ReadDiagram : public OpenPage {
protected:
    DiagramView& view() { return page().diagram(); }
    QAccessibleInterface& reader() { return *QAccessible::queryAccessibleInterface(&view()); }
    QAccessibleInterface* item(const char* words) {
        for (int i = 0; i < reader().childCount(); ++i)
            if (reader().child(i)->text(QAccessible::Name).startsWith(text(words))) return reader().child(i);
        ADD_FAILURE() << words << " is not among the " << reader().childCount() << " items";
        return reader().child(0);
    }
};

}  // namespace

TEST_F(ReadDiagram, EveryItemHasANameARoleAndAPlace) {
    EXPECT_EQ(reader().role(), QAccessible::List);
    ASSERT_GT(reader().childCount(), 20);
    std::set<QString> names;
    for (int i = 0; i < reader().childCount(); ++i) {
        QAccessibleInterface* part = reader().child(i);
        EXPECT_TRUE(part->isValid());
        EXPECT_TRUE(names.insert(part->text(QAccessible::Name)).second) << part->text(QAccessible::Name).toStdString();
        EXPECT_NE(part->role(), QAccessible::NoRole);
        EXPECT_FALSE(part->rect().isEmpty()) << part->text(QAccessible::Name).toStdString();
        EXPECT_EQ(part->parent(), &reader());
        EXPECT_EQ(reader().indexOfChild(part), i);
    }
    EXPECT_EQ(item("encoder layers 0–1 self adjuster, EAU")->role(), QAccessible::ListItem);
    EXPECT_EQ(item("encoder.layers")->role(), QAccessible::Grouping);
    const QPoint middle = item("encoder layers 0–1 self residual")->rect().center();
    EXPECT_EQ(reader().childAt(middle.x(), middle.y()), item("encoder layers 0–1 self residual"));
}

TEST_F(ReadDiagram, TheCurrentItemHasTheFocus) {
    page().activateWindow();
    view().setFocus(Qt::TabFocusReason);
    click("encoder.self.adjuster");
    ASSERT_TRUE(view().hasFocus());
    QTest::keyClick(&view(), Qt::Key_Down);
    QTest::keyClick(&view(), Qt::Key_Down);
    ASSERT_NE(reader().focusChild(), nullptr);
    EXPECT_TRUE(reader().focusChild()->text(QAccessible::Name).startsWith(text("encoder layers 0–1 self residual")));
    EXPECT_TRUE(reader().focusChild()->state().focused);
    EXPECT_FALSE(item("encoder layers 0–1 self adjuster")->state().focused);
}

TEST_F(ReadDiagram, ItemsAreSelectedFoldedAndUpdatedWithTheDiagram) {
    const int folded = reader().childCount();
    item("decoder layers 0–1 cross score")->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    ASSERT_TRUE(draft().site());
    EXPECT_EQ(draft().site()->sublayer, "cross");
    QAccessibleInterface* layer = item("encoder.layers");
    EXPECT_TRUE(layer->state().collapsed);
    layer->actionInterface()->doAction(QAccessibleActionInterface::toggleAction());
    EXPECT_GT(reader().childCount(), folded);
    EXPECT_EQ(item("encoder layer 1 self residual")->role(), QAccessible::ListItem);
    const QPointer<QObject> last = reader().child(reader().childCount() - 1)->object();
    const QAccessible::Id id = QAccessible::uniqueId(reader().child(reader().childCount() - 1));
    item("encoder.layers.0")->actionInterface()->doAction(QAccessibleActionInterface::toggleAction());
    EXPECT_EQ(reader().childCount(), folded);
    EXPECT_TRUE(last.isNull()) << "it is no longer drawn";
    EXPECT_EQ(QAccessible::accessibleInterface(id), nullptr);
}

TEST_F(ReadDiagram, TheItemUnderThePointerHasTheToolTipAndTheCursor) {
    const Diagram& diagram = view().diagram();
    const auto under = [this](const QPointF& place) {
        QTest::mouseMove(view().viewport(), view().mapFromScene(place));
        return view().itemAt(view().mapFromScene(place));
    };
    const QRectF adjuster = diagram.box(diagram.boxOf(site("encoder.self.adjuster"))).rect;
    const QGraphicsItem* box = under(adjuster.center());
    ASSERT_NE(box, nullptr);
    EXPECT_TRUE(box->toolTip().startsWith(text("encoder layers 0–1 self adjuster, EAU"))) << box->toolTip().toStdString();
    EXPECT_EQ(view().viewport()->cursor().shape(), Qt::ArrowCursor);
    under(QPointF(adjuster.left() + 2, adjuster.center().y()));
    EXPECT_EQ(view().viewport()->cursor().shape(), Qt::OpenHandCursor) << "a sublayer is dragged by its edge";
    under(adjuster.center());
    EXPECT_EQ(view().viewport()->cursor().shape(), Qt::ArrowCursor);
    const QGraphicsItem* layer = under(diagram.frames.front().rect.topLeft() + QPointF(60, 8));
    ASSERT_NE(qgraphicsitem_cast<const DiagramPart*>(layer), nullptr);
    EXPECT_EQ(qgraphicsitem_cast<const DiagramPart*>(layer)->frame(), &diagram.frames.front());
}

TEST(ReachDiagram, TheKeyboardReachesEveryItemOfEveryPreset) {
    for (const auto& name : presetNames()) {
        SCOPED_TRACE(name);
        VariantDraft draft;
        draft.open(Json{{"preset", name}}, QString::fromStdString(name));
        ASSERT_TRUE(draft.facts());
        DiagramView view;
        view.setDiagram(layoutDiagram(draft, {}));
        std::set<const DiagramPart*> there, back, all;
        for (const auto* part : view.parts())
            if (part->box()) all.insert(part);
        for (std::size_t i = 0; i < all.size(); ++i) {
            QTest::keyClick(&view, Qt::Key_Right, Qt::ControlModifier);
            there.insert(view.current());
        }
        EXPECT_EQ(there, all);
        for (std::size_t i = 0; i < all.size(); ++i) {
            back.insert(view.current());
            QTest::keyClick(&view, Qt::Key_Left, Qt::ControlModifier);
        }
        EXPECT_EQ(back, all);
    }
}

}  // namespace heddle::ui::test
