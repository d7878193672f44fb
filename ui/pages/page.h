// SPDX-License-Identifier: GPL-3.0-or-later
// One entry of the rail: a toolbar, docks and a middle.
#pragma once

#include "ui/data/studio.h"
#include "ui/theme/tokens.h"

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
    /// `name`: stable key of settings and of `--page`: "compose", "watch", "inspect", "compare", "library".
    Page(Studio& studio, PageId id, const QString& name);

    PageId id() const { return id_; }
    const QString& name() const { return name_; }
    virtual QString title() const = 0;
    virtual Icon icon() const = 0;
    /// Menu entries of this page, in the menu bar while the page is shown. Every shortcut of the page belongs to one of these
    /// actions.
    virtual QList<QAction*> fileActions() const { return {}; }
    virtual QList<QAction*> editActions() const { return editActions_; }
    virtual QList<QAction*> viewActions() const { return viewActions_; }
    virtual QList<QAction*> runActions() const { return runActions_; }
    /// Check boxes of the menu "Panels": the docks, and what else of the page can be hidden.
    virtual QList<QAction*> panelActions() const;

    /// The page is shown or hidden; it reads databases only while it is shown.
    virtual void setShown(bool shown) = 0;
    /// Whether all that this page shows is there, for which `--shots` waits: no query is under way, no curve is to be drawn.
    virtual bool isSettled() const;

    /// Stores and restores docks, tool bar and the page's own choices, below "<name>/".
    virtual void saveSession(QSettings& settings) const;
    virtual void restoreSession(QSettings& settings);
    /// The places of the panels, for a settings file.
    virtual QByteArray arrangement() const { return saveState(); }
    /// Restores the places of the panels; an arrangement that does not fit the page changes nothing.
    virtual void arrange(const QByteArray& arrangement);
    /// As QMainWindow::resizeDocks(). A dock that had to shrink with the window gets its size back when the window grows.
    void resizeDocks(const QList<QDockWidget*>& docks, const QList<int>& sizes, Qt::Orientation orientation);
    /// Restores the arrangement of rememberLayout().
    void resetLayout();

Q_SIGNALS:
    void layoutReset();

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    Studio& studio() const { return studio_; }
    /// An action whose key works while one of the widgets that it is added to has the focus.
    QAction* viewAction(const QString& text, const QKeySequence& key, const std::function<void()>& run);
    /// Adds an action to one of the page's menus and to `places`; its key works while one of them has the focus.
    static void add(QList<QAction*>& menu, QAction* action, const QList<QWidget*>& places);
    QAction* add(QList<QAction*>& menu, const QString& text, const QKeySequence& key, const QList<QWidget*>& places,
                 const std::function<void()>& run);
    /// Adds the commands on plots to the menus: copy and export; table, full size and back.
    void addPlotActions(PanelGroup& panels);
    /// Gives the page's export the key of all exports, which works wherever the focus is while the page is shown.
    static void makeExport(QAction& action);
    /// A dock that is not in any area yet; `name` is its key in stored layouts.
    QDockWidget* makeDock(const QString& name, const QString& title, QWidget* body);
    /// Puts the box of layouts at the right end of a tool bar.
    void addLayoutBox(QToolBar& bar);
    /// Gives the docks their wanted sizes, as far as there is room.
    void fitDocks();
    /// Remembers the present arrangement as the standard one.
    void rememberLayout();

    QList<QAction*> editActions_, viewActions_, runActions_;  ///< of the menus

private:
    using DockSizes = QMap<QString, QSize>;  ///< by name; a side that is not set is -1
    QList<QDockWidget*> docks() const;
    DockSizes dockSizes() const;

    Studio& studio_;
    PageId id_;
    QString name_;
    QByteArray defaultLayout_;
    DockSizes wanted_, defaultSizes_;  ///< as the page or the user has set them, whatever the window has room for
    DockSizes pressed_;                ///< at the last press of the mouse, which may move a separator
};

}  // namespace heddle::ui
