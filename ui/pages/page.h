// SPDX-License-Identifier: GPL-3.0-or-later
// One page of the window: a tool bar, docks and a central widget.
#pragma once

#include "ui/data/studio.h"
#include "ui/widgets/small_parts.h"
#include "ui/widgets/stored_choices.h"

#include <QMainWindow>
#include <QMap>

#include <functional>

class QDockWidget;
class QToolBar;

namespace heddle::ui {

class PanelGroup;

class Page : public QMainWindow {
    Q_OBJECT

public:
    /// `name`: the object name and the stable key of settings and of `--page`: "compose", "watch", "inspect", "compare",
    /// "library".
    Page(Studio& studio, PageId id, const QString& name);

    PageId id() const { return id_; }
    const QString& name() const { return name_; }
    virtual QString title() const = 0;
    virtual Icon icon() const = 0;
    /// The page's actions in the menus, while the page is shown. Every shortcut of the page belongs to one of them.
    virtual QList<QAction*> fileActions() const { return {}; }
    virtual QList<QAction*> editActions() const { return editActions_; }
    virtual QList<QAction*> viewActions() const { return viewActions_; }
    virtual QList<QAction*> runActions() const { return runActions_; }
    /// Check boxes of the menu "Panels": the docks and the other parts of the page that can be hidden.
    virtual QList<QAction*> panelActions() const;

    /// The page is shown or hidden; it reads databases only while it is shown.
    virtual void setShown(bool shown) = 0;
    /// Whether the page shows all of its data: no query is under way, and no curve remains to be drawn. `--shots` waits for it.
    virtual bool isSettled() const;

    /// Stores and restores docks, tool bar, and the choices of the page and its panels.
    virtual void saveSession(QSettings& settings) const;
    virtual void restoreSession(QSettings& settings);
    /// Stores what the page keeps in files beside the settings, and returns once the disk has it. The page also does so itself,
    /// a moment after each change, without waiting for the disk.
    virtual void saveDocuments(const QSettings& settings) const;
    /// The places of the panels, for a settings file.
    virtual QByteArray arrangement() const;
    /// Restores the places of the panels; an arrangement that does not fit the page changes nothing.
    virtual void arrange(const QByteArray& arrangement);
    /// As QMainWindow::resizeDocks(). A dock that had to shrink with the window gets its size back when the window grows.
    void resizeDocks(const QList<QDockWidget*>& docks, const QList<int>& sizes, Qt::Orientation orientation);
    /// Restores the arrangement of rememberLayout().
    void resetLayout();

Q_SIGNALS:
    void layoutReset();

protected:
    void childEvent(QChildEvent* event) override;
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    Studio& studio() const { return studio_; }
    /// Adds an action to one of the page's menus and to `places`; its key works while one of them has the focus.
    static void add(QList<QAction*>& menu, QAction* action, const QList<QWidget*>& places);
    QAction* add(QList<QAction*>& menu, const ActionInfo& info, const QList<QWidget*>& places,
                 const std::function<void()>& run);
    /// Adds the commands on plots to the menus: copy and export; table, full size and back.
    void addPlotActions(PanelGroup& panels);
    /// Gives the page's export the key of all exports, which works wherever the focus is while the page is shown.
    static void makeExport(QAction& action);
    /// Makes a dock without adding it to an area; `name` is its object name and its key in stored layouts.
    QDockWidget* makeDock(const QString& name, const QString& title, QWidget* body);
    /// Where the page is too narrow for both, `side`, a dock at the right, becomes a tab behind `other`. Where it is wide, only
    /// these tabs are taken apart again: tabs that the user has made stay.
    void tabWhenNarrow(QDockWidget* other, QDockWidget* side);
    /// Puts the box of layouts at the right end of a tool bar.
    void addLayoutBox(QToolBar& bar);
    /// Gives the docks the sizes that the page or the user has set, as far as there is room.
    void fitDocks();
    /// Remembers the present arrangement as the standard one.
    void rememberLayout();

    QList<QAction*> editActions_, viewActions_, runActions_;  ///< of the menus
    StoredChoices choices_;                                   ///< of the page; each panel has its own

private:
    using DockSizes = QMap<QString, QSize>;  ///< by name; a side that is not set is -1
    QList<QDockWidget*> docks() const;
    /// Makes the docks of tabWhenNarrow() tabs with `front`, or else `other`, before the other one, or takes them apart again.
    void arrangeSides(QDockWidget* front = nullptr);
    DockSizes dockSizes() const;

    Studio& studio_;
    PageId id_;
    QString name_;
    QByteArray defaultLayout_;
    QDockWidget *other_ = nullptr, *side_ = nullptr;  ///< of tabWhenNarrow()
    bool areSidesTabbed_ = false;                     ///< the page has made them tabs
    DockSizes setSizes_, defaultSizes_;  ///< as the page or the user has set them, also where the window has no room
    DockSizes pressedSizes_;             ///< at the last mouse press, which may begin to move a separator
};

}  // namespace heddle::ui
