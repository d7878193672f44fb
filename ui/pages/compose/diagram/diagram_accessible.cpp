// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram_accessible.h"

#include "ui/pages/compose/diagram/diagram_view.h"

#include <QAccessible>
#include <QAccessibleWidget>

#include <vector>

namespace heddle::ui {
namespace {

/// A layer or a slot: what stands at a place of DiagramView::parts(), whatever that is after an edit.
class PartAccessible : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    PartAccessible(DiagramView& view, int index) : view_(view), index_(index) {}

    bool isValid() const override { return index_ < int(view_.parts().size()); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(&view_); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }

    QString text(QAccessible::Text which) const override {
        return which == QAccessible::Name && isValid() ? view_.accessibleText(part()) : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QAccessible::Role role() const override {
        if (!isValid()) return QAccessible::NoRole;
        if (part().isFrame) return QAccessible::Grouping;
        return isOffer() ? QAccessible::ButtonMenu : QAccessible::ListItem;
    }
    QRect rect() const override {
        if (!isValid()) return {};
        const QRect inside = view_.mapFromScene(view_.rectOf(part())).boundingRect();
        return {view_.viewport()->mapToGlobal(inside.topLeft()), inside.size()};
    }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.invalid = !isValid();
        if (state.invalid) return state;
        state.offscreen = !view_.viewport()->rect().intersects(view_.mapFromScene(view_.rectOf(part())).boundingRect());
        if (part().isFrame) {
            const bool folded = view_.diagram().frame(part().index).folded;
            state.expandable = true;
            state.collapsed = folded;
            state.expanded = !folded;
            return state;
        }
        const bool isCurrent = view_.currentBox() == part().index;
        state.focusable = state.selectable = true;
        state.selected = isCurrent;
        state.focused = isCurrent && view_.hasFocus();
        state.hasPopup = isOffer();
        return state;
    }
    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }

    QStringList actionNames() const override {
        if (!isValid()) return {};
        return part().isFrame ? QStringList{toggleAction()} : QStringList{pressAction(), setFocusAction()};
    }
    void doAction(const QString& name) override {
        if (!actionNames().contains(name)) return;
        const DiagramPart target = part();
        if (name == setFocusAction()) view_.setFocus();
        view_.press(target);
    }
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    DiagramPart part() const { return view_.parts()[std::size_t(index_)]; }
    bool isOffer() const { return box().isOffer(); }
    const DiagramBox& box() const { return view_.diagram().box(part().index); }

    DiagramView& view_;
    int index_;
};

class ViewAccessible : public QAccessibleWidget {
public:
    explicit ViewAccessible(DiagramView& view) : QAccessibleWidget(&view, QAccessible::List), view_(view) {}
    ~ViewAccessible() override {
        for (const QAccessible::Id id : made_) QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return int(view_.parts().size()); }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount()) return nullptr;
        while (int(made_.size()) <= index)
            made_.push_back(QAccessible::registerAccessibleInterface(new PartAccessible(view_, int(made_.size()))));
        return QAccessible::accessibleInterface(made_[std::size_t(index)]);
    }
    int indexOfChild(const QAccessibleInterface* wanted) const override {
        for (std::size_t i = 0; i < made_.size() && int(i) < childCount(); ++i)
            if (QAccessible::accessibleInterface(made_[i]) == wanted) return int(i);
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        for (int i = childCount(); i-- > 0;)  // a layer comes before its slots, a slot before its chips
            if (child(i)->rect().contains(x, y)) return child(i);
        return nullptr;
    }
    QAccessibleInterface* focusChild() const override {
        return view_.hasFocus() ? child(view_.partOfBox(view_.currentBox())) : nullptr;
    }

private:
    DiagramView& view_;
    mutable std::vector<QAccessible::Id> made_;  ///< by index, once they were asked for
};

QAccessibleInterface* describe(const QString&, QObject* object) {
    auto* view = qobject_cast<DiagramView*>(object);
    return view ? new ViewAccessible(*view) : nullptr;
}

}  // namespace

void describeDiagramsToReaders() { QAccessible::installFactory(describe); }  // the same factory is installed once

}  // namespace heddle::ui
