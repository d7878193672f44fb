// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram for screen readers.
#include "ui/pages/compose/diagram/diagram_view.h"

#include <QAccessibleObject>
#include <QAccessibleWidget>

namespace heddle::ui {
namespace {

class PartAccessible : public QAccessibleObject, public QAccessibleActionInterface {
public:
    PartAccessible(DiagramView& view, DiagramPart& part) : QAccessibleObject(&part), view_(view), part_(part) {}

    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(&view_); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }

    QString text(QAccessible::Text which) const override {
        return which == QAccessible::Name ? part_.accessibleText() : QString();
    }
    QAccessible::Role role() const override {
        if (part_.frame()) return QAccessible::Grouping;
        return part_.box()->isOffer() ? QAccessible::ButtonMenu : QAccessible::ListItem;
    }
    QRect rect() const override {
        const QRect inside = view_.mapFromScene(part_.rect()).boundingRect();
        return {view_.viewport()->mapToGlobal(inside.topLeft()), inside.size()};
    }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.offscreen = !view_.viewport()->rect().intersects(view_.mapFromScene(part_.rect()).boundingRect());
        if (part_.frame()) {
            state.expandable = true;
            state.collapsed = part_.frame()->folded;
            state.expanded = !part_.frame()->folded;
            return state;
        }
        state.focusable = state.selectable = true;
        state.selected = part_.isSelected();
        state.focused = part_.isSelected() && view_.hasFocus();
        state.hasPopup = part_.box()->isOffer();
        return state;
    }
    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }

    QStringList actionNames() const override {
        return part_.frame() ? QStringList{toggleAction()} : QStringList{pressAction(), setFocusAction()};
    }
    void doAction(const QString& name) override {
        if (!actionNames().contains(name)) return;
        if (name == setFocusAction()) view_.setFocus();
        view_.press(part_);  // this may delete this object
    }
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    DiagramView& view_;
    DiagramPart& part_;
};

class ViewAccessible : public QAccessibleWidget {
public:
    explicit ViewAccessible(DiagramView& view) : QAccessibleWidget(&view, QAccessible::List), view_(view) {}

    int childCount() const override { return int(view_.parts().size()); }
    QAccessibleInterface* child(int index) const override {
        return QAccessible::queryAccessibleInterface(view_.parts().value(index));
    }
    int indexOfChild(const QAccessibleInterface* wanted) const override {
        return int(view_.parts().indexOf(qobject_cast<DiagramPart*>(wanted->object())));
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        for (int i = childCount(); i-- > 0;)  // a layer is before its slots, a slot before its chips
            if (child(i)->rect().contains(x, y)) return child(i);
        return nullptr;
    }
    QAccessibleInterface* focusChild() const override {
        return view_.hasFocus() ? QAccessible::queryAccessibleInterface(view_.current()) : nullptr;
    }

private:
    DiagramView& view_;
};

QAccessibleInterface* describe(const QString&, QObject* object) {
    if (auto* view = qobject_cast<DiagramView*>(object)) return new ViewAccessible(*view);
    auto* part = qobject_cast<DiagramPart*>(object);
    auto* view = part && part->scene() ? qobject_cast<DiagramView*>(part->scene()->views().value(0)) : nullptr;
    return view ? new PartAccessible(*view, *part) : nullptr;
}

}  // namespace

void installDiagramAccessibility() { QAccessible::installFactory(describe); }  // the same factory is installed once

}  // namespace heddle::ui
