// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog that lists the sweeps that were submitted to Slurm, with their runs, and has the verbs on them.
#pragma once

#include "ui/data/slurm_watcher.h"

#include <QDialog>

#include <optional>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace heddle::ui {

class SlurmJobsDialog : public QDialog {
    Q_OBJECT

public:
    /// `watcher` must outlive the dialog.
    SlurmJobsDialog(SlurmWatcher& watcher, const Databases& databases, QWidget* parent);

private:
    QPushButton* addVerb(const char* name, const QString& text, const QString& tip);
    /// On the sweep of the current row.
    void carryOut(void (SlurmWatcher::*verb)(const SlurmWatcher::Sweep&));
    void showSweeps();
    void showVerbs();
    /// The sweep of the current row; nothing if there is none.
    std::optional<SlurmWatcher::Sweep> current() const;
    static QString summary(const app::Submission& sweep);
    static QString stateOf(const app::SubmittedRun& run);

    SlurmWatcher& watcher_;
    const Databases& databases_;
    QTreeWidget* tree_;
    QLabel* problem_;
    QPushButton *cancel_, *again_, *remove_, *update_;
};

}  // namespace heddle::ui
