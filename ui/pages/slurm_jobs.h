// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog that lists the sweeps and studies that were submitted to Slurm, with their runs, and has the verbs on them.
#pragma once

#include "ui/data/slurm_watcher.h"

#include <QDialog>

#include <optional>

class QAction;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace heddle::ui {

class SlurmJobsDialog : public QDialog {
    Q_OBJECT

public:
    /// `studio` must outlive the dialog.
    SlurmJobsDialog(Studio& studio, QWidget* parent);

private:
    QPushButton* addVerb(const char* name, const QString& text, const QString& tip);
    /// On the submission of the current row.
    void carryOut(void (SlurmWatcher::*verb)(const SlurmWatcher::Listed&));
    void showAll();
    void showVerbs();
    /// The submission of the current row; nothing if there is none.
    std::optional<SlurmWatcher::Listed> current() const;
    static QString summary(const app::Submission& sweep);
    static QString stateOf(const app::SubmittedRun& run);

    SlurmWatcher& watcher_;
    const Databases& databases_;
    QTreeWidget* tree_;
    QLabel* problem_;
    QPushButton *cancel_, *again_, *remove_, *update_;
};

/// Makes the action of a page that opens the dialog, once; it is hidden where there is no Slurm.
QAction* makeSlurmJobsAction(Studio& studio, QWidget* page);

}  // namespace heddle::ui
