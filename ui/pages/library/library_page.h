// SPDX-License-Identifier: GPL-3.0-or-later
// The databases, the runs of the current one, and facts about both.
#pragma once

#include "ui/pages/library/database_list.h"
#include "ui/pages/page.h"
#include "ui/threads/coalescing_timer.h"

namespace heddle::ui {

class LibraryDetails;
class LibraryActions;
class RunImport;
class LibraryRuns;

class LibraryPage : public Page {
    Q_OBJECT

public:
    explicit LibraryPage(Studio& studio);

    QString title() const override { return tr("Library"); }
    Icon icon() const override { return Icon::Library; }
    QList<QAction*> editActions() const override;
    QList<QAction*> fileActions() const override;
    QList<QAction*> runActions() const override;
    void setShown(bool shown) override;
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;

private:
    void buildDocks();
    void connectPanels();
    void connectStudio();
    void refresh();
    void takeSelection();
    void setEmptyText();

    LibraryRuns* runs_;
    DatabaseList* databases_;
    LibraryDetails* details_;
    LibraryActions* actions_;
    RunImport* import_;
    CoalescingTimer report_;  ///< seldom, because the report reads the whole file
    bool shown_ = false, entered_ = false;
};

}  // namespace heddle::ui
