// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done to the runs of Compare's table.
#pragma once

#include "ui/data/run_actions.h"
#include "ui/theme/tokens.h"

namespace heddle::ui {

class RunTableView;

class CompareActions : public QObject {
    Q_OBJECT

public:
    /// Adds its actions to the rows of the table.
    CompareActions(Studio& studio, RunTableView& table, QObject* parent);

    /// For the Edit menu and the Run menu.
    QList<QAction*> edits() const { return {copy_, find_}; }
    QList<QAction*> onRuns() const;
    /// Enables the actions for the row that is chosen now, and puts its run into the texts.
    void refresh();

private:
    QAction* add(Icon icon, const QString& text, const QKeySequence& key, const std::function<void()>& does);
    void copyRows();
    void pinBaseline();

    Studio& studio_;
    RunTableView& table_;
    RunActions* onRuns_;
    QAction *copy_, *baseline_, *tick_, *find_;
};

}  // namespace heddle::ui
